// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/vacuum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/log/log_file_name.h"
#include "ops/commands/vacuum_record.h"

namespace bayou::commands {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr protocol::Version kLatest = 100;

// A local store in which something happens.
class TroubledStore final : public store::Store {
 public:
  explicit TroubledStore(const std::string& folder)
      : store_(store::OpenLocalStore(folder)) {}

  Result<std::vector<store::ObjectMeta>> List(std::string_view folder,
                                              std::string_view from) override {
    return store_->List(folder, from);
  }
  Status ListTree(std::string_view folder, const TreeVisitor& visit) override {
    return store_->ListTree(folder, visit);
  }
  Result<std::string> Read(std::string_view name) override {
    return store_->Read(name);
  }
  Result<std::string> ReadRange(std::string_view name, std::int64_t offset,
                                std::int64_t length) override {
    return store_->ReadRange(name, offset, length);
  }
  Result<store::ObjectMeta> Head(std::string_view name) override {
    return store_->Head(name);
  }
  Status PutIfAbsent(std::string_view name, std::string_view text) override {
    if (before_put) std::exchange(before_put, nullptr)();
    return store_->PutIfAbsent(name, text);
  }
  Status Put(std::string_view name, std::string_view text) override {
    return store_->Put(name, text);
  }
  Status Sync(std::string_view name) override { return store_->Sync(name); }
  Status Move(std::string_view from, std::string_view to) override {
    return store_->Move(from, to);
  }
  Status Delete(std::string_view name) override {
    if (before_delete) std::exchange(before_delete, nullptr)();
    if (name == stuck)
      return Fail(ErrorCode::kUnavailable, "IO_ERROR", "the disk is on fire");
    return store_->Delete(name);
  }
  Result<bool> DeleteEmptyFolder(std::string_view name) override {
    return store_->DeleteEmptyFolder(name);
  }
  std::string NativePath(std::string_view name) const override {
    return store_->NativePath(name);
  }
  const std::string& location() const override { return store_->location(); }

  std::string stuck;                    // Cannot be deleted.
  std::function<void()> before_put;     // Once, before the next PutIfAbsent.
  std::function<void()> before_delete;  // Likewise.

 private:
  std::shared_ptr<store::Store> store_;
};

class VacuumTest : public ::testing::Test {
 public:
  VacuumTest() {
    std::string pattern = (fs::temp_directory_path() / "vacuum-XXXXXX");
    folder_ = ::mkdtemp(pattern.data());
    store_ = std::make_shared<TroubledStore>(folder_);
    engine_ = engine::StartEngine({.threads = 1}).value();
    connection_ = std::make_unique<duckdb::Connection>(*engine_);
    Put(Commit(0),
        R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})"
        "\n"
        R"({"metaData":{"id":"m","format":{"provider":"parquet","options":{}},)"
        R"("schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",)"
        R"(\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}",)"
        R"("partitionColumns":[],"configuration":{}}})"
        "\n");
    for (const char* name : {"a", "b", "c"}) Put(name, "text");
  }
  ~VacuumTest() override { fs::remove_all(folder_); }

  static std::string Commit(protocol::Version version) {
    return "_delta_log/" + log::CommitName(version);
  }
  void Put(const std::string& name, const std::string& text) {
    ASSERT_TRUE(store_->Put(name, text));
  }
  Result<VacuumResult> RunVacuum() {
    const auto snapshot =
        table::Snapshot::Open(store_, *engine_->instance).value();
    VacuumProgress progress;
    VacuumRequest request;
    request.retention_ms = retention_ms_;
    request.checks_retention = false;
    request.mode = mode_;
    return Vacuum(*connection_->context, snapshot, request, progress, later_);
  }
  bool IsThere(const std::string& name) {
    return store_->Head(name).has_value();
  }

  // All that there is is old.
  class Later final : public Env {
   public:
    std::int64_t NowMs() override { return Env::System().NowMs() + by_ms; }
    std::int64_t by_ms = 1'000'000'000;
    std::uint64_t Random() override { return Env::System().Random(); }
  };

  fs::path folder_;
  std::shared_ptr<TroubledStore> store_;
  std::shared_ptr<duckdb::DuckDB> engine_;
  std::unique_ptr<duckdb::Connection> connection_;
  Later later_;
  std::int64_t retention_ms_ = 0;
  std::optional<VacuumMode> mode_;
};

TEST_F(VacuumTest, TellsTheHistory) {
  const auto result = RunVacuum();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->files_deleted, 3);
  EXPECT_THAT(*store_->Read(Commit(1)),
              HasSubstr(R"("operation":"VACUUM START")"));
  EXPECT_THAT(*store_->Read(Commit(1)), HasSubstr(R"("numFilesToDelete":"3")"));
  EXPECT_THAT(*store_->Read(Commit(2)),
              HasSubstr(R"("operation":"VACUUM END")"));
  EXPECT_THAT(*store_->Read(Commit(2)), HasSubstr(R"("status":"COMPLETED")"));
  EXPECT_EQ(ReadVacuumRecord(*store_, kLatest).done_until, 0);
  EXPECT_EQ(ReadVacuumRecord(*store_, kLatest).last_full, 2);
}

TEST_F(VacuumTest, ReportsWhatItCannotDelete) {
  store_->stuck = "b";
  const auto result = RunVacuum();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().condition, "DELTA_VACUUM_FAILED");
  EXPECT_THAT(result.error().message, HasSubstr("b (the disk is on fire)"));
  EXPECT_FALSE(IsThere("a"));
  EXPECT_TRUE(IsThere("b"));
  EXPECT_FALSE(IsThere("c"));
  EXPECT_THAT(*store_->Read(Commit(2)), HasSubstr(R"("status":"FAILED")"));
  EXPECT_THAT(*store_->Read(Commit(2)), HasSubstr(R"("numDeletedFiles":"2")"));
  EXPECT_EQ(ReadVacuumRecord(*store_, kLatest).last_full, std::nullopt);
}

TEST_F(VacuumTest, SparesWhatAnotherTakesIntoTheTableMeanwhile) {
  store_->before_put = [this] {
    Put(Commit(1), R"({"add":{"path":"b","partitionValues":{},"size":4,)"
                   R"("modificationTime":5,"dataChange":true}})"
                   "\n");
  };
  const auto result = RunVacuum();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->files_deleted, 2);
  EXPECT_TRUE(IsThere("b"));
  EXPECT_THAT(*store_->Read(Commit(2)), HasSubstr("VACUUM START"));
}

TEST_F(VacuumTest, EndsWhateverHasBecomeOfTheTableMeanwhile) {
  store_->before_delete = [this] {
    std::string metadata = *store_->Read(Commit(0));
    metadata = metadata.substr(metadata.find('\n') + 1);
    Put(Commit(2), metadata);
  };
  const auto result = RunVacuum();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->files_deleted, 3);
  EXPECT_THAT(*store_->Read(Commit(3)), HasSubstr("VACUUM END"));
}

TEST_F(VacuumTest, ChecksBeforeItLooks) {
  const auto snapshot =
      table::Snapshot::Open(store_, *engine_->instance).value();
  EXPECT_EQ(LeastRetentionMs(*snapshot), 168 * 60 * 60 * 1000);
  VacuumRequest request;
  EXPECT_TRUE(CheckRetention(*snapshot, request));
  request.retention_ms = LeastRetentionMs(*snapshot);
  EXPECT_TRUE(CheckRetention(*snapshot, request));
  --*request.retention_ms;
  EXPECT_EQ(CheckRetention(*snapshot, request).error().condition,
            "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT");
  request.checks_retention = false;
  EXPECT_TRUE(CheckRetention(*snapshot, request));
  request.retention_ms = -1;
  EXPECT_EQ(CheckRetention(*snapshot, request).error().condition,
            "DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE");
}

TEST_F(VacuumTest, DoesNoMoreThanTheLogAsksFor) {
  const auto commit_remove = [&](protocol::Version version,
                                 const std::string& name) {
    Put(Commit(version), R"({"remove":{"path":")" + name +
                             R"(","deletionTimestamp":1,"dataChange":true}})"
                             "\n");
  };
  const auto make_older = [&](const std::string& name, std::int64_t ms) {
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() -
                                            std::chrono::milliseconds(ms));
  };
  retention_ms_ = 3'000'000'000;
  commit_remove(1, "a");
  make_older(Commit(0), 5'000'000'000);
  make_older(Commit(1), 1'500'000'000);

  auto result = RunVacuum();  // Nobody knows of a full run.
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->plan.is_skipped);
  EXPECT_EQ(result->plan.mode, VacuumMode::kFull);
  EXPECT_EQ(result->files_deleted, 0);

  result = RunVacuum();
  EXPECT_TRUE(result->plan.is_skipped) << result->plan.reason;
  EXPECT_FALSE(IsThere(Commit(4)));

  later_.by_ms = 2'000'000'000;  // By now, a has been gone for long enough.
  result = RunVacuum();
  EXPECT_EQ(result->plan.mode, VacuumMode::kLite) << result->plan.reason;
  EXPECT_EQ(result->files_deleted, 1);
  EXPECT_FALSE(IsThere("a"));
  EXPECT_TRUE(RunVacuum()->plan.is_skipped);

  retention_ms_ = 2'500'000'000;  // The full run kept more.
  EXPECT_EQ(RunVacuum()->plan.mode, VacuumMode::kFull);
  EXPECT_TRUE(RunVacuum()->plan.is_skipped);

  later_.by_ms = 3'000'000'000;  // The full run is too old.
  EXPECT_EQ(RunVacuum()->plan.mode, VacuumMode::kFull);
}

TEST_F(VacuumTest, AFailedRunIsNone) {
  store_->stuck = "a";
  EXPECT_FALSE(RunVacuum());
  retention_ms_ = 1;
  store_->stuck.clear();
  const auto result = RunVacuum();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->plan.mode, VacuumMode::kFull);
  EXPECT_FALSE(result->plan.is_skipped);
}

TEST_F(VacuumTest, WhatIsDoneStaysDone) {
  ASSERT_TRUE(RunVacuum());
  ASSERT_EQ(ReadVacuumRecord(*store_, kLatest).done_until, 0);
  retention_ms_ = std::int64_t{365} * 24 * 60 * 60 * 1000;
  mode_ = VacuumMode::kFull;
  const auto result = RunVacuum();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(ReadVacuumRecord(*store_, kLatest).done_until, 0);
  EXPECT_EQ(ReadVacuumRecord(*store_, kLatest).last_full, 4);
}

TEST_F(VacuumTest, ARecordOfVersionsThatAreNotThereIsNone) {
  ASSERT_TRUE(WriteVacuumRecord(
      *store_, {.done_until = INT64_MAX, .last_full = INT64_MAX}));
  const auto result = RunVacuum();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->plan.mode, VacuumMode::kFull);
  EXPECT_EQ(ReadVacuumRecord(*store_, kLatest).done_until, 0);
  mode_ = VacuumMode::kLite;
  ASSERT_TRUE(
      WriteVacuumRecord(*store_, {.done_until = INT64_MAX, .last_full = 2}));
  EXPECT_EQ(RunVacuum()->plan.first_commit, 0);
  EXPECT_LT(ReadVacuumRecord(*store_, kLatest).done_until, kLatest);
}

TEST_F(VacuumTest, TheRecordIsAHint) {
  for (const char* text :
       {"", "{}", "[", R"({"x":1})",
        R"({"latestCommitVersionOutsideOfRetentionWindow":-1})",
        R"({"latestCommitVersionOutsideOfRetentionWindow":"a"})"}) {
    Put("_delta_log/_last_vacuum_info", text);
    EXPECT_EQ(ReadVacuumRecord(*store_, kLatest).done_until, std::nullopt)
        << text;
  }
  ASSERT_TRUE(WriteVacuumRecord(*store_, {.done_until = 7, .last_full = {}}));
  EXPECT_EQ(ReadVacuumRecord(*store_, kLatest).done_until, 7);
  EXPECT_EQ(ReadVacuumRecord(*store_, kLatest).last_full, std::nullopt);
  ASSERT_TRUE(WriteVacuumRecord(*store_, {.done_until = {}, .last_full = 9}));
  EXPECT_EQ(ReadVacuumRecord(*store_, kLatest).done_until, std::nullopt);
  EXPECT_EQ(ReadVacuumRecord(*store_, kLatest).last_full, 9);
  EXPECT_EQ(ReadVacuumRecord(*store_, 8).last_full, std::nullopt);
}

}  // namespace
}  // namespace bayou::commands
