// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/log_cleanup.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "kernel/engine/engine.h"
#include "kernel/table/checkpoint_writer.h"

namespace bayou::table {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::int64_t kDay = 24LL * 60 * 60 * 1000;

class Clock final : public Env {
 public:
  std::int64_t NowMs() override { return now_ms; }
  std::uint64_t Random() override { return ++random_; }
  std::int64_t now_ms = 0;

 private:
  std::uint64_t random_ = 0;
};

// A table with one commit a day, each of which adds a file, that keeps its log
// for ten days.
class LogCleanupTest : public ::testing::Test {
 public:
  static void SetUpTestSuite() {
    engine_ = *engine::StartEngine({.threads = 2});
  }
  static void TearDownTestSuite() { engine_.reset(); }

  LogCleanupTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "log-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    store_ = store::OpenLocalStore(folder_);
  }
  ~LogCleanupTest() override { std::filesystem::remove_all(folder_); }

  void Create(const std::string& properties = "",
              const std::string& retention = "10 days") {
    Put(R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,)"
        R"("readerFeatures":["v2Checkpoint"],)"
        R"("writerFeatures":["v2Checkpoint"]}})"
        "\n"
        R"({"metaData":{"id":"m","format":{"provider":"parquet","options":{}},)"
        R"("schemaString":"{\"type\":\"struct\",\"fields\":[]}",)"
        R"("partitionColumns":[],"configuration":{)"
        R"("delta.logRetentionDuration":"interval )" +
        retention + "\"" + properties + "}}}\n");
  }
  void Put(const std::string& lines) {
    const std::string name = log::CommitName(next_);
    ASSERT_TRUE(store_->Put("_delta_log/" + name, lines));
    SetDay(name, next_++);
  }
  // Each version has the day of its number.
  void CommitUntil(Version version) {
    while (next_ <= version) {
      Put(fmt::format(
          R"({{"add":{{"path":"f{}","partitionValues":{{}},"size":1,)"
          R"("modificationTime":5,"dataChange":true}}}})"
          "\n",
          next_));
    }
  }
  void Checkpoint() {
    ASSERT_TRUE(WriteCheckpoint(**Open(), *engine_->instance, clock_));
  }
  // A V2 checkpoint, whose sidecars are as old as the table.
  std::string V2Checkpoint(bool json = false) {
    const auto written = WriteCheckpoint(
        **Open(), {.spec = CheckpointForm::Spec::kV2, .json_manifest = json},
        *engine_->instance, clock_);
    if (!written) return std::string(written.error().condition);
    for (const std::string& name : Names("_sidecars")) SetDay(name, 0);
    return *written;
  }
  // Below the log, of a folder of it.
  std::vector<std::string> Names(const std::string& folder) {
    std::vector<std::string> names;
    const auto files = store_->List("_delta_log/" + folder, "");
    for (const auto& file : *files) names.push_back(folder + "/" + file.name);
    return names;
  }
  // Gives a file of the log the time of an hour of that day.
  void SetDay(const std::string& file, std::int64_t day) {
    const std::chrono::sys_seconds time =
        std::chrono::sys_days(std::chrono::days(kFirstDay + day)) +
        std::chrono::hours(1);
    std::filesystem::last_write_time(folder_ + "/_delta_log/" + file,
                                     std::chrono::file_clock::from_sys(time));
  }
  // The names that go when it is noon of a day.
  std::vector<std::string> Expired(std::int64_t day) {
    const auto plan = Plan(day);
    if (!plan) return {plan.error().message};
    std::vector<std::string> names;
    for (const auto& file : plan->files) {
      names.push_back(file.name.substr(std::string("_delta_log/").size()));
    }
    return names;
  }
  Result<LogCleanup> Plan(std::int64_t day) {
    clock_.now_ms = (kFirstDay + day) * kDay + kDay / 2;
    return PlanLogCleanup(**Open(), *engine_->instance, clock_);
  }
  Result<std::shared_ptr<const Snapshot>> Open(
      std::optional<Version> version = {}) {
    return Snapshot::Open(store_, *engine_->instance, {version, {}});
  }

  static constexpr std::int64_t kFirstDay = 20'000;
  inline static std::shared_ptr<duckdb::DuckDB> engine_;
  Clock clock_;
  std::string folder_;
  std::shared_ptr<store::Store> store_;
  Version next_ = 0;
};

TEST_F(LogCleanupTest, VersionsOfTheRetentionStayRebuildable) {
  Create();
  CommitUntil(2);
  Checkpoint();
  CommitUntil(5);
  Checkpoint();
  CommitUntil(8);
  // Ten days before day 14 version 3 was the latest: the log begins with the
  // checkpoint before it.
  EXPECT_THAT(Expired(14), ElementsAre(log::CommitName(0), log::CommitName(1)));
  const auto plan = Plan(15);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->start, 2);
  const auto later = Plan(16);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->start, 5);
  ASSERT_TRUE(RunLogCleanup(*store_, *later));
  EXPECT_EQ((*Open())->state().Totals()->files, 8);
  for (Version version = 5; version <= 8; ++version) {
    EXPECT_EQ((*Open(version))->state().Totals()->files, version);
  }
  EXPECT_EQ(Open(4).error().condition, "DELTA_VERSION_NOT_FOUND");
  EXPECT_THAT(Expired(16), IsEmpty());
}

TEST_F(LogCleanupTest, NothingGoesWithoutACheckpointToBeginWith) {
  Create();
  CommitUntil(8);
  EXPECT_THAT(Expired(100), IsEmpty());
  Checkpoint();
  EXPECT_THAT(Expired(5), IsEmpty());
  EXPECT_EQ(Plan(100)->start, 8);
}

TEST_F(LogCleanupTest, WhatCannotBeReadIsNoStart) {
  Create();
  CommitUntil(4);
  ASSERT_TRUE(store_->Put("_delta_log/" + log::CheckpointName(4), "PAR1 not"));
  const auto plan = Plan(100);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().condition, "DELTA_CHECKPOINT_UNREADABLE");
}

TEST_F(LogCleanupTest, CommitsWhoseTimesHangOnOlderOnesStay) {
  Create();
  CommitUntil(4);
  Checkpoint();
  // Its file says that version 3 is younger than version 4.
  SetDay(log::CommitName(3), 4);
  SetDay(log::CommitName(4), 4);
  CommitUntil(6);
  EXPECT_THAT(Expired(100), IsEmpty());
}

TEST_F(LogCleanupTest, ProtectedVersionsGoTogetherOrNotAtAll) {
  Create(R"(,"delta.requireCheckpointProtectionBeforeVersion":"4")");
  CommitUntil(3);
  Checkpoint();
  EXPECT_THAT(Expired(100), IsEmpty());
  CommitUntil(4);
  Checkpoint();
  EXPECT_EQ(Plan(100)->start, 4);
}

TEST_F(LogCleanupTest, WhatBelongsToOldVersionsGoesWithThem) {
  Create();
  CommitUntil(6);
  Checkpoint();
  CommitUntil(8);
  const std::vector<std::string> old = {
      "00000000000000000003.crc",
      "00000000000000000001.00000000000000000005.compacted.json",
      "00000000000000000005.00000000000000000008.compacted.json",
      "00000000000000000003.checkpoint.0000000001.0000000002.parquet",
      "_staged_commits/00000000000000000003.uuid.json",
      "_sidecars/unused.parquet"};
  const std::vector<std::string> kept = {
      "00000000000000000007.crc",
      "00000000000000000007.00000000000000000008.compacted.json",
      "_staged_commits/00000000000000000007.uuid.json", "notes.txt"};
  for (const auto& names : {old, kept}) {
    for (const std::string& name : names) {
      ASSERT_TRUE(store_->Put("_delta_log/" + name, "x"));
      SetDay(name, 3);
    }
  }
  ASSERT_TRUE(store_->Put("_delta_log/_sidecars/young.parquet", "x"));
  SetDay("_sidecars/young.parquet", 99);
  const auto expired = Expired(100);
  for (const std::string& name : old) EXPECT_THAT(expired, Contains(name));
  for (const std::string& name : kept) {
    EXPECT_THAT(expired, Not(Contains(name)));
  }
  EXPECT_THAT(expired, Not(Contains("_sidecars/young.parquet")));
  EXPECT_THAT(expired, Not(Contains(log::CommitName(6))));
}

TEST_F(LogCleanupTest, SidecarsGoThatNoCheckpointNames) {
  Create();
  CommitUntil(4);
  V2Checkpoint();
  const std::string old = Names("_sidecars").front();
  CommitUntil(8);
  V2Checkpoint();
  ASSERT_EQ(Names("_sidecars").size(), 2U);
  const auto plan = Plan(100);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->start, 8);
  EXPECT_EQ(plan->sidecars, 1U);
  EXPECT_EQ(plan->files.back().name, "_delta_log/" + old);
  ASSERT_TRUE(RunLogCleanup(*store_, *plan));
  EXPECT_THAT(Names("_sidecars"), Not(Contains(old)));
  EXPECT_EQ((*Open())->state().Totals()->files, 8);
}

TEST_F(LogCleanupTest, TheManifestAtTheStartCanBeFoundUnderAClassicName) {
  Create();
  CommitUntil(4);
  const std::string manifest = V2Checkpoint();
  ASSERT_TRUE(RunLogCleanup(*store_, *Plan(100)));
  ASSERT_TRUE(store_->Delete("_delta_log/" + manifest));
  EXPECT_EQ((*Open())->state().segment().checkpoint.front().name,
            log::CheckpointName(4));
  EXPECT_EQ((*Open())->state().Totals()->files, 4);
}

TEST_F(LogCleanupTest, SidecarsStayForACheckpointThatHasCome) {
  Create();
  CommitUntil(4);
  V2Checkpoint();
  CommitUntil(8);
  Checkpoint();
  const auto plan = Plan(100);
  ASSERT_EQ(plan->sidecars, 1U);
  V2Checkpoint(true);
  ASSERT_TRUE(RunLogCleanup(*store_, *plan));
  EXPECT_EQ(Names("_sidecars").size(), 2U);
  EXPECT_THAT(Names(""), Not(Contains("/" + log::CommitName(4))));
}

TEST_F(LogCleanupTest, SidecarsOfTheLastDayStay) {
  Create("", "0 hours");
  CommitUntil(4);
  Checkpoint();
  for (const auto& [name, day] :
       {std::pair("_sidecars/a.parquet", 98), {"_sidecars/b.parquet", 99}}) {
    ASSERT_TRUE(store_->Put(std::string("_delta_log/") + name, "x"));
    SetDay(name, day);
  }
  const auto expired = Expired(100);
  EXPECT_THAT(expired, Contains("_sidecars/a.parquet"));
  EXPECT_THAT(expired, Not(Contains("_sidecars/b.parquet")));
}

TEST_F(LogCleanupTest, SidecarsStayWhereACheckpointCannotBeRead) {
  Create();
  CommitUntil(4);
  V2Checkpoint();
  CommitUntil(8);
  ASSERT_TRUE(store_->Put("_delta_log/_sidecars/unused.parquet", "x"));
  SetDay("_sidecars/unused.parquet", 0);
  EXPECT_THAT(Expired(17), Contains("_sidecars/unused.parquet"));
  ASSERT_TRUE(store_->Put("_delta_log/" + log::CheckpointName(8), "PAR1 not"));
  EXPECT_EQ(Plan(17)->sidecars, 0U);
  EXPECT_THAT(Expired(17), Contains(log::CommitName(3)));
}

TEST_F(LogCleanupTest, AFileThatIsGoneAlreadyIsNoError) {
  Create();
  CommitUntil(4);
  Checkpoint();
  const auto plan = Plan(100);
  ASSERT_TRUE(plan);
  ASSERT_TRUE(store_->Delete("_delta_log/" + log::CommitName(2)));
  EXPECT_TRUE(RunLogCleanup(*store_, *plan));
  EXPECT_EQ((*Open())->state().Totals()->files, 4);
}

}  // namespace
}  // namespace bayou::table
