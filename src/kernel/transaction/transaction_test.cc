// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/transaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "kernel/engine/engine.h"
#include "kernel/log/log_file_name.h"

namespace bayou::transaction {
namespace {

using protocol::Action;
using protocol::AddFile;
using protocol::CommitInfo;
using protocol::DomainMetadata;
using ::testing::HasSubstr;

// A folder in memory, whose next answers to PutIfAbsent a test can spoil.
class MemoryStore final : public store::Store {
 public:
  enum class Fault { kAnswerLost, kRequestLost };

  void FailPut(Fault fault) { faults_.push_back(fault); }
  void FailReads(int count) { failing_reads_ = count; }
  bool Has(const std::string& name) const { return files_.contains(name); }

  Result<std::vector<store::ObjectMeta>> List(std::string_view folder,
                                              std::string_view from) override {
    const std::lock_guard lock(mutex_);
    std::vector<store::ObjectMeta> listed;
    const std::string prefix = std::string(folder) + "/";
    for (const auto& [name, content] : files_) {
      if (!name.starts_with(prefix)) continue;
      const std::string rest = name.substr(prefix.size());
      if (rest < from || rest.find('/') != std::string::npos) continue;
      listed.push_back({rest, static_cast<std::int64_t>(content.size()), 1});
    }
    if (listed.empty()) return Missing(folder);
    return listed;
  }
  Result<std::string> Read(std::string_view name) override {
    const std::lock_guard lock(mutex_);
    if (failing_reads_ > 0 && failing_reads_-- > 0) {
      return Fail(ErrorCode::kUnavailable, "TEST", "the network is down");
    }
    const auto file = files_.find(std::string(name));
    if (file == files_.end()) return Missing(name);
    return file->second;
  }
  Result<std::string> ReadRange(std::string_view name, std::int64_t offset,
                                std::int64_t length) override {
    BAYOU_ASSIGN(const std::string content, Read(name));
    return content.substr(static_cast<std::size_t>(offset),
                          static_cast<std::size_t>(length));
  }
  Result<store::ObjectMeta> Head(std::string_view name) override {
    BAYOU_ASSIGN(const std::string content, Read(name));
    return store::ObjectMeta{std::string(name),
                             static_cast<std::int64_t>(content.size()), 1};
  }
  Status PutIfAbsent(std::string_view name, std::string_view content) override {
    const std::lock_guard lock(mutex_);
    std::optional<Fault> fault;
    if (!faults_.empty()) {
      fault = faults_.front();
      faults_.erase(faults_.begin());
    }
    if (fault == Fault::kRequestLost) return Lost();
    if (!files_.emplace(name, content).second) {
      return Fail(ErrorCode::kAlreadyExists, "TEST", "taken");
    }
    if (fault == Fault::kAnswerLost) return Lost();
    return {};
  }
  Status Put(std::string_view name, std::string_view content) override {
    const std::lock_guard lock(mutex_);
    files_[std::string(name)] = content;
    return {};
  }
  Status Sync(std::string_view) override { return {}; }
  Status Move(std::string_view from, std::string_view to) override {
    const std::lock_guard lock(mutex_);
    auto file = files_.extract(std::string(from));
    if (file.empty()) return Missing(from);
    files_[std::string(to)] = std::move(file.mapped());
    return {};
  }
  Status Delete(std::string_view name) override {
    const std::lock_guard lock(mutex_);
    if (files_.erase(std::string(name)) == 0) return Missing(name);
    return {};
  }
  std::string NativePath(std::string_view name) const override {
    return std::string(name);
  }
  const std::string& location() const override { return location_; }

 private:
  static tl::unexpected<Error> Missing(std::string_view name) {
    return Fail(ErrorCode::kNotFound, "TEST", "no " + std::string(name));
  }
  static tl::unexpected<Error> Lost() {
    return Fail(ErrorCode::kCommitUnknown, "TEST", "no answer");
  }

  std::mutex mutex_;
  std::map<std::string, std::string> files_;
  std::vector<Fault> faults_;
  int failing_reads_ = 0;
  std::string location_ = "/memory";
};

class TransactionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    database_ = engine::StartEngine({}).value();
    store_ = std::make_shared<MemoryStore>();
  }

  Version CreateTable(protocol::StringMap configuration = {},
                      std::vector<std::string> writer_features = {}) {
    protocol::Protocol protocol;
    if (!writer_features.empty()) {
      protocol.min_writer_version = 7;
      protocol.writer_features = std::move(writer_features);
    }
    protocol::Metadata metadata;
    metadata.id = "id";
    metadata.schema_string =
        R"({"type":"struct","fields":[{"name":"x","type":"integer","nullable":true,"metadata":{}}]})";
    metadata.configuration = std::move(configuration);
    return Transaction::Create(store_, protocol, metadata, Env::System())
        .Commit({"CREATE TABLE", {}, {}})
        .value();
  }

  std::shared_ptr<const table::Snapshot> Latest() {
    auto snapshot = table::Snapshot::Open(store_, *database_->instance);
    EXPECT_TRUE(snapshot) << snapshot.error().message;
    return *snapshot;
  }

  static AddFile File(const std::string& path, int rows = 10) {
    AddFile add;
    add.path = path;
    add.size = 1;
    add.stats = R"({"numRecords":)" + std::to_string(rows) + "}";
    return add;
  }

  Transaction Append(const std::string& path) {
    Transaction transaction = Transaction::On(Latest(), Env::System()).value();
    transaction.AddFiles({File(path)});
    (void)store_->Put(path, "rows");
    return transaction;
  }

  std::vector<Action> ActionsOf(Version version) {
    const std::string name = "_delta_log/" + log::CommitName(version);
    return protocol::ParseActions(store_->Read(name).value(), name).value();
  }

  template <typename Kind>
  std::vector<Kind> OfKind(Version version) {
    std::vector<Kind> found;
    for (const Action& action : ActionsOf(version)) {
      if (const auto* kind = std::get_if<Kind>(&action)) found.push_back(*kind);
    }
    return found;
  }

  // Commits actions as another writer would.
  void Other(const std::string& lines) {
    const Version version = Latest()->version() + 1;
    ASSERT_TRUE(
        store_->PutIfAbsent("_delta_log/" + log::CommitName(version), lines));
  }

  inline static const Operation kWrite = {
      "WRITE", {{"mode", "\"Append\""}}, {{"numFiles", 1}}};
  std::shared_ptr<duckdb::DuckDB> database_;
  std::shared_ptr<MemoryStore> store_;
};

TEST_F(TransactionTest, CommitsTheNextVersionWithItsCommitInfoFirst) {
  EXPECT_EQ(CreateTable(), 0);
  EXPECT_EQ(Append("a.parquet").Commit(kWrite).value(), 1);
  const std::vector<Action> actions = ActionsOf(1);
  ASSERT_EQ(actions.size(), 2);
  const auto* info = std::get_if<CommitInfo>(&actions[0]);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->operation, "WRITE");
  EXPECT_EQ(info->is_blind_append, true);
  EXPECT_THAT(info->json,
              HasSubstr(R"("operationParameters":{"mode":"Append"})"));
  EXPECT_THAT(info->json, HasSubstr(R"("readVersion":0)"));
  EXPECT_THAT(info->json, HasSubstr(R"("operationMetrics":{"numFiles":"1"})"));
  EXPECT_THAT(info->json, HasSubstr(R"("engineInfo":"Bayou/)"));
  EXPECT_EQ(std::get<AddFile>(actions[1]).path, "a.parquet");
}

TEST_F(TransactionTest, ALostRaceTakesTheNextVersion) {
  CreateTable();
  Transaction first = Append("a.parquet");
  Transaction second = Append("b.parquet");
  EXPECT_EQ(first.Commit(kWrite).value(), 1);
  EXPECT_EQ(second.Commit(kWrite).value(), 2);
}

TEST_F(TransactionTest, TwoCreationsOfOneTable) {
  CreateTable();
  auto again =
      Transaction::Create(store_, {}, {}, Env::System()).Commit({"X", {}, {}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kAlreadyExists);
}

TEST_F(TransactionTest, AChangeOfMetadataOrProtocolIsAConflict) {
  CreateTable();
  for (
      const char* line :
      {R"({"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{}}})",
       R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})"}) {
    Transaction append = Append("a.parquet");
    Other(std::string(R"({"commitInfo":{"operation":"SET TBLPROPERTIES"}})") +
          "\n" + line + "\n");
    const auto committed = append.Commit(kWrite);
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, ErrorCode::kConflict);
    EXPECT_THAT(committed.error().message, HasSubstr("SET TBLPROPERTIES"));
    append.Abandon();
    EXPECT_FALSE(store_->Has("a.parquet"));
  }
}

TEST_F(TransactionTest, RowsComputedFromTheTableConflictWithNewRows) {
  CreateTable();
  Transaction append = Append("a.parquet");
  append.ReadWholeTable();
  EXPECT_TRUE(Append("b.parquet").Commit(kWrite));
  const auto committed = append.Commit(kWrite);
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().condition, "DELTA_CONCURRENT_APPEND");
}

TEST_F(TransactionTest, ALostAnswerIsSettledByReadingBack) {
  CreateTable();
  Transaction append = Append("a.parquet");
  store_->FailPut(MemoryStore::Fault::kAnswerLost);
  EXPECT_EQ(append.Commit(kWrite).value(), 1);
  EXPECT_EQ(Latest()->version(), 1);
}

TEST_F(TransactionTest, ALostRequestIsRepeated) {
  CreateTable();
  Transaction append = Append("a.parquet");
  store_->FailPut(MemoryStore::Fault::kRequestLost);
  EXPECT_EQ(append.Commit(kWrite).value(), 1);
}

TEST_F(TransactionTest, WhatCannotBeFoundOutIsUnknownAndKeepsItsFiles) {
  CreateTable();
  Transaction append = Append("a.parquet");
  store_->FailPut(MemoryStore::Fault::kAnswerLost);
  store_->FailReads(1);
  const auto committed = append.Commit(kWrite);
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ErrorCode::kCommitUnknown);
  EXPECT_THAT(committed.error().message, HasSubstr(append.txn_id()));
  append.Abandon();
  EXPECT_TRUE(store_->Has("a.parquet"));
}

TEST_F(TransactionTest, RowIdsAreAssignedAnewAfterALostRace) {
  CreateTable({}, {"rowTracking", "domainMetadata"});
  Transaction first = Append("a.parquet");
  Transaction second = Append("b.parquet");
  ASSERT_TRUE(first.Commit(kWrite));
  ASSERT_TRUE(second.Commit(kWrite));
  EXPECT_EQ(OfKind<AddFile>(1)[0].base_row_id, 0);
  EXPECT_EQ(OfKind<AddFile>(2)[0].base_row_id, 10);
  EXPECT_EQ(OfKind<AddFile>(2)[0].default_row_commit_version, 2);
  EXPECT_EQ(OfKind<DomainMetadata>(2)[0].configuration,
            R"({"rowIdHighWaterMark":19})");
}

TEST_F(TransactionTest, InCommitTimestampsGrow) {
  CreateTable({{"delta.enableInCommitTimestamps", "true"}},
              {"inCommitTimestamp"});
  Transaction append = Append("a.parquet");
  Other(
      R"({"commitInfo":{"inCommitTimestamp":99999999999999,"operation":"WRITE"}})"
      "\n");
  EXPECT_EQ(append.Commit(kWrite).value(), 2);
  const CommitInfo info = OfKind<CommitInfo>(2)[0];
  EXPECT_EQ(info.in_commit_timestamp, 100000000000000);
  EXPECT_THAT(info.json, ::testing::StartsWith(R"({"inCommitTimestamp":)"));
}

TEST_F(TransactionTest, RacingAppendsAllLand) {
  constexpr int kThreads = 8;
  constexpr int kAppends = 20;
  CreateTable();
  std::vector<std::thread> writers;
  std::atomic<int> failed = 0;
  for (int writer = 0; writer < kThreads; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < kAppends; ++i) {
        const std::string path =
            std::to_string(writer) + "-" + std::to_string(i) + ".parquet";
        if (!Append(path).Commit(kWrite)) ++failed;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(Latest()->version(), kThreads * kAppends);
  EXPECT_EQ(Latest()->state().Totals()->files, kThreads * kAppends);
}

TEST(OperationParameters, AreEncodedAsDeltaSparkDoes) {
  EXPECT_EQ(TextParameter("a\"b"), R"("a\"b")");
  EXPECT_EQ(ListParameter({"a", "b"}), R"("[\"a\",\"b\"]")");
  EXPECT_EQ(MapParameter({{"k", "v"}}), R"("{\"k\":\"v\"}")");
}

}  // namespace
}  // namespace bayou::transaction
