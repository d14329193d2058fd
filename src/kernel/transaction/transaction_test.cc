// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/transaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <filesystem>
#include <mutex>
#include <thread>

#include "kernel/engine/engine.h"
#include "kernel/log/log_file_name.h"
#include "kernel/store/faulty_store.h"
#include "kernel/store/memory_store.h"
#include "kernel/table/checkpoint_writer.h"

namespace bayou::transaction {
namespace {

using protocol::Action;
using protocol::AddFile;
using protocol::CommitInfo;
using protocol::DomainMetadata;
using store::Fault;
using ::testing::HasSubstr;

// Spoils the puts, and the reads, that a test names.
class Trouble final : public store::Adversary {
 public:
  void FailPut(Fault fault) { puts_to_fail_.push_back(fault); }
  void FailReads(int count) { failing_reads_ = count; }
  // A folder or a link to nothing: the name is taken, and not to be read.
  void Block(const std::string& name) { blocked_ = name; }
  int puts() const { return puts_; }

  Fault Before(const store::StoreCall& call) override {
    const std::lock_guard lock(mutex_);
    if (call.kind == store::CallKind::kRead && failing_reads_ > 0) {
      --failing_reads_;
      return Fault::kRefused;
    }
    if (call.kind != store::CallKind::kPutIfAbsent) return Fault::kNone;
    ++puts_;
    if (call.name == blocked_) return Fault::kTaken;
    if (puts_to_fail_.empty()) return Fault::kNone;
    const Fault fault = puts_to_fail_.front();
    puts_to_fail_.pop_front();
    return fault;
  }

 private:
  std::mutex mutex_;
  std::deque<Fault> puts_to_fail_;
  int failing_reads_ = 0;
  int puts_ = 0;
  std::string blocked_;
};

class TransactionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    database_ = engine::StartEngine({}).value();
    store_ = store::MakeFaultyStore(store::Memory::Make()->Open("", "/memory"),
                                    trouble_);
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
  std::shared_ptr<Trouble> trouble_ = std::make_shared<Trouble>();
  std::shared_ptr<store::Store> store_;
};

TEST_F(TransactionTest, StopsAtANameThatIsTakenByNoCommit) {
  CreateTable();
  const std::string name = "_delta_log/" + log::CommitName(1);
  trouble_->Block(name);
  Transaction append = Append("a.parquet");
  const int before = trouble_->puts();
  const auto version = append.Commit(kWrite);
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().condition, "DELTA_COMMIT_NAME_BLOCKED");
  EXPECT_THAT(version.error().message, HasSubstr(name));
  EXPECT_LE(trouble_->puts() - before, 10);
  append.Abandon();
  EXPECT_FALSE(store_->Head("a.parquet"));
}

TEST_F(TransactionTest, CommitsNothingThatIsNoText) {
  CreateTable();
  Transaction append = Append("a.parquet");
  AddFile file = File("b.parquet");
  file.partition_values["p"] = "\xff";
  append.AddFiles({file});
  const auto version = append.Commit(kWrite);
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().condition, "DELTA_INVALID_TEXT");
  EXPECT_EQ(Latest()->version(), 0);
}

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

TEST_F(TransactionTest, WhoIsLateCatchesUpWithoutTryingEachVersion) {
  CreateTable();
  Transaction late = Append("late.parquet");
  for (const char* path : {"a.parquet", "b.parquet", "c.parquet", "d.parquet"})
    ASSERT_TRUE(Append(path).Commit(kWrite));
  const int before = trouble_->puts();
  EXPECT_EQ(late.Commit(kWrite).value(), 5);
  EXPECT_EQ(trouble_->puts() - before, 2);
}

TEST_F(TransactionTest, TheHighestVersionOfAnApplicationIsCommitted) {
  CreateTable();
  Transaction append = Append("a.parquet");
  for (const std::int64_t version : {3, 5, 4})
    append.SetAppVersion({"app", version, {}});
  append.SetAppVersion({"other", 1, {}});
  ASSERT_TRUE(append.Commit(kWrite));
  const auto committed = OfKind<protocol::SetTransaction>(1);
  ASSERT_EQ(committed.size(), 2);
  EXPECT_EQ(committed[0].version, 5);
}

TEST_F(TransactionTest, TwoCreationsOfOneTable) {
  CreateTable();
  auto again =
      Transaction::Create(store_, {}, {}, Env::System()).Commit({"X", {}, {}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kAlreadyExists);
}

TEST_F(TransactionTest, AChangeOfTheSchemaIsAConflict) {
  CreateTable();
  Transaction append = Append("a.parquet");
  Other(
      R"({"commitInfo":{"operation":"ADD COLUMNS"}})"
      "\n"
      R"({"metaData":{"id":"id","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{}}})"
      "\n");
  const auto committed = append.Commit(kWrite);
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ErrorCode::kConflict);
  EXPECT_THAT(committed.error().message, HasSubstr("ADD COLUMNS"));
  append.Abandon();
  EXPECT_FALSE(store_->Head("a.parquet"));
}

TEST_F(TransactionTest, WhatAWinnerSwitchedOnIsAdopted) {
  CreateTable();
  Transaction append = Append("a.parquet");
  Transaction upgrade = Transaction::On(Latest(), Env::System()).value();
  protocol::Protocol protocol;
  protocol.min_writer_version = 7;
  protocol.writer_features = {"appendOnly", "invariants", "inCommitTimestamp",
                              "rowTracking", "domainMetadata"};
  upgrade.SetProtocol(protocol);
  protocol::Metadata metadata = upgrade.metadata();
  metadata.configuration["delta.enableInCommitTimestamps"] = "true";
  upgrade.SetMetadata(metadata);
  ASSERT_TRUE(upgrade.Commit({"SET TBLPROPERTIES", {}, {}}));
  const auto enabled = OfKind<protocol::Metadata>(1)[0].configuration;
  EXPECT_EQ(enabled.at("delta.inCommitTimestampEnablementVersion"), "1");
  EXPECT_EQ(enabled.at("delta.inCommitTimestampEnablementTimestamp"),
            std::to_string(*OfKind<CommitInfo>(1)[0].in_commit_timestamp));

  EXPECT_EQ(append.Commit(kWrite).value(), 2);
  EXPECT_GT(OfKind<CommitInfo>(2)[0].in_commit_timestamp,
            OfKind<CommitInfo>(1)[0].in_commit_timestamp);
  EXPECT_EQ(OfKind<AddFile>(2)[0].base_row_id, 0);
}

TEST_F(TransactionTest, EveryKindOfActionIsCommitted) {
  CreateTable();
  ASSERT_TRUE(Append("a.parquet").Commit(kWrite));
  ASSERT_TRUE(Append("b.parquet").Commit(kWrite));
  Transaction change = Transaction::On(Latest(), Env::System()).value();
  AddFile with_vector = File("b.parquet");
  with_vector.deletion_vector.emplace();
  with_vector.deletion_vector->storage_type = 'i';
  change.RemoveFile(File("a.parquet"));
  change.ReplaceFile(File("b.parquet"), with_vector);
  change.AddChangeFiles({{"_change_data/c.parquet", {}, 1, {}}});
  change.SetDomain({"mine", "{}", false});
  change.SetAppVersion({"app", 4, {}});
  change.ReadWholeTable();
  ASSERT_EQ(change.Commit({"DELETE", {}, {}, "why", {{"k", "v"}}}).value(), 3);

  ASSERT_EQ(OfKind<protocol::RemoveFile>(3).size(), 2);
  const auto removed = OfKind<protocol::RemoveFile>(3)[0];
  EXPECT_EQ(removed.path, "a.parquet");
  EXPECT_TRUE(removed.extended_file_metadata);
  EXPECT_EQ(removed.size, 1);
  EXPECT_TRUE(removed.deletion_timestamp);
  EXPECT_EQ(OfKind<AddFile>(3)[0].deletion_vector, with_vector.deletion_vector);
  EXPECT_EQ(OfKind<protocol::CdcFile>(3).size(), 1);
  EXPECT_EQ(OfKind<DomainMetadata>(3)[0].domain, "mine");
  EXPECT_EQ(OfKind<protocol::SetTransaction>(3)[0].version, 4);
  const CommitInfo info = OfKind<CommitInfo>(3)[0];
  EXPECT_EQ(info.is_blind_append, false);
  EXPECT_THAT(info.json, HasSubstr(R"("isolationLevel":"Serializable")"));
  EXPECT_THAT(
      info.json,
      HasSubstr(R"("userMetadata":"why","tags":{"k":"v"},"engineInfo")"));
}

TEST_F(TransactionTest, FilesThatOnlyMoveRowsRunAtSnapshotIsolation) {
  CreateTable();
  ASSERT_TRUE(Append("a.parquet").Commit(kWrite));
  Transaction compaction = Transaction::On(Latest(), Env::System()).value();
  compaction.ReadWholeTable();
  compaction.RemoveFile(File("a.parquet"), false);
  AddFile compacted = File("c.parquet");
  compacted.data_change = false;
  compaction.AddFiles({compacted});
  ASSERT_TRUE(Append("b.parquet").Commit(kWrite));
  ASSERT_EQ(compaction.Commit({"OPTIMIZE", {}, {}}).value(), 3);
  EXPECT_THAT(OfKind<CommitInfo>(3)[0].json,
              HasSubstr(R"("isolationLevel":"SnapshotIsolation")"));
}

TEST_F(TransactionTest, FilesReadAreFoundWhenARaceIsLost) {
  struct OnlyA final : log::FilePredicate {
    bool Keep(const log::FileView& file) const override {
      return file.path == "a.parquet";
    }
  };
  CreateTable();
  ASSERT_TRUE(Append("a.parquet").Commit(kWrite));
  ASSERT_TRUE(Append("b.parquet").Commit(kWrite));
  const auto base = Latest();
  const auto remove = [&](const std::string& path) {
    Transaction transaction = Transaction::On(base, Env::System()).value();
    transaction.ReadFiles(std::make_shared<OnlyA>());
    transaction.RemoveFile(File(path));
    return transaction;
  };
  ASSERT_TRUE(remove("b.parquet").Commit({"DELETE", {}, {}}));
  ASSERT_TRUE(remove("a.parquet").Commit({"DELETE", {}, {}}));
  Transaction late = Transaction::On(base, Env::System()).value();
  late.ReadFiles(std::make_shared<OnlyA>());
  late.AddFiles({File("new.parquet")});
  const auto committed = late.Commit(kWrite);
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().condition, "DELTA_CONCURRENT_DELETE_READ");
}

TEST_F(TransactionTest, AnAppendOnlyTableKeepsItsRows) {
  CreateTable({{"delta.appendOnly", "true"}});
  ASSERT_TRUE(Append("a.parquet").Commit(kWrite));
  for (const bool data_change : {true, false}) {
    Transaction remove = Transaction::On(Latest(), Env::System()).value();
    remove.RemoveFile(File("a.parquet"), data_change);
    const auto committed = remove.Commit({"DELETE", {}, {}});
    EXPECT_EQ(committed.has_value(), !data_change);
    if (!committed)
      EXPECT_EQ(committed.error().condition, "DELTA_CANNOT_MODIFY_APPEND_ONLY");
  }
}

TEST_F(TransactionTest, TheVersionOfAnApplicationIsLookedUp) {
  CreateTable();
  const auto base = Latest();
  const auto write = [&](std::int64_t version) {
    Transaction transaction = Transaction::On(base, Env::System()).value();
    EXPECT_FALSE(transaction.AppVersion("app"));
    transaction.SetAppVersion({"app", version, {}});
    return transaction.Commit(kWrite);
  };
  EXPECT_TRUE(write(1));
  const auto again = write(1);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().condition, "DELTA_CONCURRENT_TRANSACTION");
  EXPECT_EQ(Transaction::On(Latest(), Env::System())->AppVersion("app"), 1);
}

TEST_F(TransactionTest, AbandonDeletesEveryFileItBrought) {
  CreateTable();
  Transaction change = Append("a.parquet");
  for (const char* name : {"_change_data/c 1.parquet", "vector.bin"})
    ASSERT_TRUE(store_->Put(name, "x"));
  change.AddChangeFiles({{"_change_data/c%201.parquet", {}, 1, {}}});
  change.OwnFile("vector.bin");
  change.Abandon();
  for (const char* name :
       {"a.parquet", "_change_data/c 1.parquet", "vector.bin"})
    EXPECT_FALSE(store_->Head(name)) << name;
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
  trouble_->FailPut(Fault::kAnswerLost);
  EXPECT_EQ(append.Commit(kWrite).value(), 1);
  EXPECT_EQ(Latest()->version(), 1);
}

TEST_F(TransactionTest, ALostRequestIsRepeated) {
  CreateTable();
  Transaction append = Append("a.parquet");
  trouble_->FailPut(Fault::kRequestLost);
  EXPECT_EQ(append.Commit(kWrite).value(), 1);
}

TEST_F(TransactionTest, WhatCannotBeFoundOutIsUnknownAndKeepsItsFiles) {
  CreateTable();
  Transaction append = Append("a.parquet");
  trouble_->FailPut(Fault::kAnswerLost);
  trouble_->FailReads(1);
  const auto committed = append.Commit(kWrite);
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ErrorCode::kCommitUnknown);
  EXPECT_THAT(committed.error().message, HasSubstr(append.txn_id()));
  append.Abandon();
  EXPECT_TRUE(store_->Head("a.parquet"));
}

TEST_F(TransactionTest, WhatIsRefusedAfterALostRequestIsUnknown) {
  CreateTable();
  Transaction append = Append("a.parquet");
  trouble_->FailPut(Fault::kRequestLost);
  trouble_->FailPut(Fault::kRefused);
  const auto committed = append.Commit(kWrite);
  ASSERT_FALSE(committed);  // The request may still be on its way.
  EXPECT_EQ(committed.error().code, ErrorCode::kCommitUnknown);
  EXPECT_EQ(trouble_->puts(), 3);
}

TEST_F(TransactionTest, GoesOnFromACheckpointWhoseCommitIsGone) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("bayou-" + NewUuid(Env::System()));
  store_ = store::OpenLocalStore(folder);  // Where the engine can write, too.
  CreateTable();
  ASSERT_TRUE(Append("a.parquet").Commit(kWrite));
  ASSERT_TRUE(
      table::WriteCheckpoint(*Latest(), *database_->instance, Env::System()));
  for (const Version version : {0, 1})
    ASSERT_TRUE(store_->Delete("_delta_log/" + log::CommitName(version)));
  EXPECT_EQ(Append("b.parquet").Commit(kWrite).value(), 2);
  EXPECT_EQ(Latest()->state().Totals()->files, 2);
  std::filesystem::remove_all(folder);
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

TEST_F(TransactionTest, NoTimeIsBehindTheLast) {
  CreateTable({{"delta.enableInCommitTimestamps", "true"}},
              {"inCommitTimestamp"});
  Other(
      R"({"commitInfo":{"inCommitTimestamp":9223372036854775807,"operation":"WRITE"}})"
      "\n");
  const auto committed = Append("a.parquet").Commit(kWrite);
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().condition, "DELTA_LOG_INVALID");
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
