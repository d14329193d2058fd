// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/conflict_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::transaction {
namespace {

using protocol::Action;
using protocol::AddFile;
using protocol::CommitInfo;
using protocol::DomainMetadata;
using protocol::Metadata;
using protocol::Protocol;
using protocol::RemoveFile;
using protocol::SetTransaction;
using ::testing::HasSubstr;

// A scan of the partitions `p` = one value.
class OnePartition final : public log::FilePredicate {
 public:
  explicit OnePartition(std::string value) : value_(std::move(value)) {}
  bool Keep(const log::FileView& file) const override {
    return file.partition_values[0].second == value_;
  }

 private:
  std::string value_;
};

AddFile Added(const std::string& path, const std::string& partition = "a",
              bool data_change = true) {
  AddFile add;
  add.path = path;
  add.partition_values["p"] = partition;
  add.data_change = data_change;
  return add;
}

RemoveFile Removed(const std::string& path, bool data_change = true) {
  RemoveFile remove;
  remove.path = path;
  remove.data_change = data_change;
  return remove;
}

CommitInfo Info(bool is_blind_append, const std::string& operation = "WRITE") {
  CommitInfo info;
  info.operation = operation;
  info.is_blind_append = is_blind_append;
  return info;
}

Metadata TableWith(protocol::StringMap properties) {
  Metadata metadata;
  metadata.schema_string = R"({"type":"struct","fields":[]})";
  metadata.configuration = std::move(properties);
  return metadata;
}

// What the loser is and what the winner did; then the condition of the
// conflict, or an empty text.
class ConflictCheckerTest : public ::testing::Test {
 protected:
  std::string ConflictWith(std::vector<Action> winner) {
    const LosingTransaction loser{.table = "/t",
                                  .operation = "MERGE",
                                  .reads = reads_,
                                  .files_read = files_read_,
                                  .settled = settled_,
                                  .staged = staged_,
                                  .isolation = isolation_,
                                  .protocol = protocol_,
                                  .metadata = metadata_,
                                  .comes_before = comes_before_};
    counts_as_later_ = CountsAsLater(loser, {7, winner});
    const Status status = CheckConflict(loser, {7, std::move(winner)});
    if (status) return "";
    message_ = status.error().message;
    EXPECT_EQ(status.error().code, ErrorCode::kConflict);
    return std::string(status.error().condition);
  }

  void ReadPartition(const std::string& value) {
    reads_.scans.push_back(std::make_shared<OnePartition>(value));
  }

  ReadSet reads_;
  std::set<std::string> files_read_;
  std::set<std::string> settled_;
  StagedActions staged_;
  IsolationLevel isolation_ = IsolationLevel::kSerializable;
  Protocol protocol_;
  Metadata metadata_ = TableWith({});
  std::optional<protocol::Version> comes_before_;
  bool counts_as_later_ = false;
  std::string message_;
};

// -------------------------------------------------------------- 1: protocol

TEST_F(ConflictCheckerTest, AnUpgradeIsAdopted) {
  Protocol upgraded;
  upgraded.min_writer_version = 7;
  upgraded.writer_features = {"appendOnly", "invariants", "inCommitTimestamp"};
  EXPECT_EQ(ConflictWith({upgraded}), "");
}

TEST_F(ConflictCheckerTest, BothChangeTheProtocol) {
  staged_.protocol = Protocol{};
  EXPECT_EQ(ConflictWith({Protocol{}}), "DELTA_PROTOCOL_CHANGED");
}

TEST_F(ConflictCheckerTest, ADroppedFeature) {
  protocol_.min_writer_version = 7;
  protocol_.writer_features = {"appendOnly", "domainMetadata"};
  Protocol left = protocol_;
  left.writer_features = {"appendOnly"};
  EXPECT_EQ(ConflictWith({left}), "DELTA_PROTOCOL_CHANGED");
  EXPECT_THAT(message_, HasSubstr("domainMetadata"));
}

TEST_F(ConflictCheckerTest, AProtocolThatBayouCannotWriteStops) {
  Protocol beyond;
  beyond.min_writer_version = 7;
  beyond.writer_features = {"appendOnly", "invariants", "fromTheFuture"};
  const LosingTransaction loser{"/t",        "MERGE",   reads_,
                                files_read_, settled_,  staged_,
                                isolation_,  protocol_, metadata_};
  const Status status = CheckConflict(loser, {7, {beyond}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().condition, "DELTA_UNSUPPORTED_WRITER_FEATURE");
}

// -------------------------------------------------------------- 2: metadata

TEST_F(ConflictCheckerTest, BothChangeTheMetadata) {
  staged_.metadata = metadata_;
  EXPECT_EQ(ConflictWith({metadata_}), "DELTA_METADATA_CHANGED");
}

TEST_F(ConflictCheckerTest, ANewPropertyIsNamed) {
  EXPECT_EQ(ConflictWith({Info(true, "SET TBLPROPERTIES"),
                          TableWith({{"delta.appendOnly", "true"}})}),
            "DELTA_METADATA_CHANGED");
  EXPECT_THAT(message_, HasSubstr("delta.appendOnly"));
  EXPECT_THAT(message_, HasSubstr("version 7 (operation SET TBLPROPERTIES)"));
}

TEST_F(ConflictCheckerTest, AFeatureThatIsSwitchedOnWithItsProtocolPasses) {
  Protocol upgraded;
  upgraded.min_writer_version = 7;
  upgraded.writer_features = {"appendOnly", "invariants", "inCommitTimestamp"};
  const Metadata enabled =
      TableWith({{"delta.enableInCommitTimestamps", "true"}});
  EXPECT_EQ(ConflictWith({upgraded, enabled}), "");
  EXPECT_EQ(ConflictWith({enabled}), "DELTA_METADATA_CHANGED");
}

TEST_F(ConflictCheckerTest, OnlyTheMarksOfIdentityColumnsMoved) {
  CommitInfo info = Info(true);
  info.json = R"({"tags":{"delta.identity.schemaUpdate":"true"}})";
  EXPECT_EQ(ConflictWith({info, TableWith({{"any", "thing"}})}), "");
}

// --------------------------------------------- 3, 4: domains, applications

TEST_F(ConflictCheckerTest, TheSameDomain) {
  staged_.domains = {{"mine", "{}", false}};
  EXPECT_EQ(ConflictWith({DomainMetadata{"other", "{}", false}}), "");
  EXPECT_EQ(ConflictWith({DomainMetadata{"mine", "{}", false}}),
            "DELTA_CONCURRENT_TRANSACTION");
  staged_.domains = {{"delta.rowTracking", "{}", false}};
  EXPECT_EQ(ConflictWith({DomainMetadata{"delta.rowTracking", "{}", false}}),
            "");
}

TEST_F(ConflictCheckerTest, AnApplicationWhoseVersionWasLookedUp) {
  staged_.app_versions = {{"app", 3, {}}};
  EXPECT_EQ(ConflictWith({SetTransaction{"app", 2, {}}}), "");
  reads_.app_ids = {"app"};
  EXPECT_EQ(ConflictWith({SetTransaction{"other", 2, {}}}), "");
  EXPECT_EQ(ConflictWith({SetTransaction{"app", 2, {}}}),
            "DELTA_CONCURRENT_TRANSACTION");
}

// ---------------------------------------------------------- 9: added files

TEST_F(ConflictCheckerTest, ABlindAppendMindsNoFiles) {
  staged_.adds = {Added("mine")};
  EXPECT_EQ(ConflictWith({Info(true), Added("a"), Removed("b")}), "");
}

TEST_F(ConflictCheckerTest, RowsThatTheScanWouldHaveRead) {
  ReadPartition("a");
  EXPECT_EQ(ConflictWith({Info(true), Added("x", "b")}), "");
  EXPECT_EQ(ConflictWith({Info(true), Added("x", "a")}),
            "DELTA_CONCURRENT_APPEND");
}

TEST_F(ConflictCheckerTest, AnyOfSeveralScansCounts) {
  ReadPartition("a");
  ReadPartition("b");
  EXPECT_EQ(ConflictWith({Info(true), Added("x", "b")}),
            "DELTA_CONCURRENT_APPEND");
}

TEST_F(ConflictCheckerTest, TheWholeTableMeansEveryFile) {
  reads_.whole_table = true;
  EXPECT_EQ(ConflictWith({Info(true), Added("x")}), "DELTA_CONCURRENT_APPEND");
  EXPECT_EQ(ConflictWith({Info(true), Removed("x")}),
            "DELTA_CONCURRENT_DELETE_READ");
}

TEST_F(ConflictCheckerTest, RowsThatOnlyMovedAreNoNewRows) {
  reads_.whole_table = true;
  EXPECT_EQ(ConflictWith({Info(false, "OPTIMIZE"), Added("x", "a", false),
                          Removed("y", false)}),
            "");
}

TEST_F(ConflictCheckerTest, WriteSerializableLooksPastBlindAppends) {
  isolation_ = IsolationLevel::kWriteSerializable;
  reads_.whole_table = true;
  EXPECT_EQ(ConflictWith({Info(true), Added("x")}), "");
  EXPECT_EQ(ConflictWith({Info(false), Added("x")}), "DELTA_CONCURRENT_APPEND");
  EXPECT_EQ(ConflictWith({Added("x")}), "DELTA_CONCURRENT_APPEND");
}

// It would come before the append and behind the winner, which comes behind the
// append.
TEST_F(ConflictCheckerTest, NobodyComesBetweenALoserAndTheAppendItPassed) {
  const auto read_at = [](int version) {
    CommitInfo info = Info(false);
    info.json = R"({"readVersion":)" + std::to_string(version) + "}";
    return info;
  };
  isolation_ = IsolationLevel::kWriteSerializable;
  reads_.scans.push_back(std::make_shared<OnePartition>("a"));
  EXPECT_EQ(ConflictWith({Info(true), Added("x", "b")}), "");
  EXPECT_FALSE(counts_as_later_);
  EXPECT_EQ(ConflictWith({read_at(4), Removed("other")}), "");
  EXPECT_FALSE(counts_as_later_);
  EXPECT_EQ(ConflictWith({Info(true), Added("x")}), "");
  EXPECT_TRUE(counts_as_later_);

  comes_before_ = 5;
  EXPECT_EQ(ConflictWith({Info(true), Added("y")}), "");
  EXPECT_EQ(ConflictWith({read_at(4), Removed("other")}), "");
  EXPECT_EQ(ConflictWith({read_at(5), Removed("other", false)}), "");
  EXPECT_EQ(ConflictWith({read_at(5), Removed("other")}),
            "DELTA_CONCURRENT_APPEND");
  EXPECT_THAT(message_, HasSubstr("the rows of version 5"));
  EXPECT_EQ(ConflictWith({Info(false), Removed("other")}),
            "DELTA_CONCURRENT_APPEND");
}

TEST_F(ConflictCheckerTest, WriteSerializableMindsThemWhenMetadataChanges) {
  isolation_ = IsolationLevel::kWriteSerializable;
  reads_.whole_table = true;
  staged_.metadata = metadata_;
  EXPECT_EQ(ConflictWith({Info(true), Added("x")}), "DELTA_CONCURRENT_APPEND");
}

TEST_F(ConflictCheckerTest, SnapshotIsolationMindsNoNewRows) {
  isolation_ = IsolationLevel::kSnapshotIsolation;
  reads_.whole_table = true;
  EXPECT_EQ(ConflictWith({Info(false), Added("x")}), "");
}

TEST_F(ConflictCheckerTest, ABackfillOfRowIdsAddsNoRows) {
  reads_.whole_table = true;
  EXPECT_EQ(ConflictWith({Info(false, "ROW TRACKING BACKFILL"), Added("x")}),
            "");
}

// ------------------------------------------------------- 10: removed, read

TEST_F(ConflictCheckerTest, RowsOfAFileThatWasReadAreGone) {
  ReadPartition("a");
  files_read_ = {"dir/a b"};
  EXPECT_EQ(ConflictWith({Info(false), Removed("other")}), "");
  EXPECT_EQ(ConflictWith({Info(false), Removed("dir/a%20b")}),
            "DELTA_CONCURRENT_DELETE_READ");
  isolation_ = IsolationLevel::kSnapshotIsolation;
  EXPECT_EQ(ConflictWith({Info(false), Removed("dir/a%20b")}),
            "DELTA_CONCURRENT_DELETE_READ");
}

TEST_F(ConflictCheckerTest, ACompactionOfFilesThatWereOnlyReadPasses) {
  ReadPartition("a");
  files_read_ = {"x"};
  EXPECT_EQ(ConflictWith({Info(false), Removed("x", false)}), "");
}

// --------------------------------------------------- 11: removed by both

TEST_F(ConflictCheckerTest, BothRemoveAFile) {
  staged_.removes = {Removed("x")};
  EXPECT_EQ(ConflictWith({Info(false), Removed("y")}), "");
  for (const bool data_change : {true, false}) {
    EXPECT_EQ(ConflictWith({Info(false), Removed("x", data_change)}),
              "DELTA_CONCURRENT_DELETE_DELETE");
  }
}

TEST_F(ConflictCheckerTest, AVectorOfTheSameFileCountsAsTheFile) {
  staged_.removes = {Removed("x")};
  RemoveFile with_vector = Removed("x");
  with_vector.deletion_vector.emplace();
  EXPECT_EQ(ConflictWith({Info(false), with_vector}),
            "DELTA_CONCURRENT_DELETE_DELETE");
}

TEST_F(ConflictCheckerTest, WhatIsSettledRowByRowIsNoConflict) {
  isolation_ = IsolationLevel::kWriteSerializable;
  reads_.row_scans.push_back(std::make_shared<OnePartition>("a"));
  staged_.removes = {Removed("x")};
  EXPECT_EQ(ConflictWith({Info(false), Removed("x"), Added("x")}),
            "DELTA_CONCURRENT_APPEND");
  settled_ = {"x"};
  EXPECT_EQ(ConflictWith({Info(false), Removed("x"), Added("x")}), "");
  EXPECT_EQ(ConflictWith({Info(false), Removed("x"), Added("x"), Added("y")}),
            "DELTA_CONCURRENT_APPEND");
  files_read_ = {"x"};  // By another scan, as a whole.
  EXPECT_EQ(ConflictWith({Info(false), Removed("x"), Added("x")}),
            "DELTA_CONCURRENT_DELETE_READ");
}

// ------------------------------------------------------------------- order

TEST_F(ConflictCheckerTest, TheFirstReasonIsTold) {
  reads_.whole_table = true;
  EXPECT_EQ(ConflictWith({Added("x"), Removed("y"),
                          TableWith({{"delta.appendOnly", "true"}})}),
            "DELTA_METADATA_CHANGED");
}

TEST_F(ConflictCheckerTest, TheMessageNamesBothOperations) {
  reads_.whole_table = true;
  ConflictWith({Info(false, "UPDATE"), Added("x")});
  EXPECT_THAT(message_, HasSubstr("version 7 (operation UPDATE)"));
  EXPECT_THAT(message_, HasSubstr("this statement (MERGE)"));
  EXPECT_THAT(message_, HasSubstr("run it again"));
}

}  // namespace
}  // namespace bayou::transaction
