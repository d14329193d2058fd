// SPDX-License-Identifier: Apache-2.0
//
// Two sessions on one table: what a transaction that was begun first bears of
// what the other commits.
#include "sql/delta_transaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/env.h"
#include "bayou/session.h"

namespace bayou::sql {
namespace {

using ::testing::HasSubstr;

// Rows as `a,b;c,d`.
class Rows final : public ResultSink {
 public:
  CellFormat Begin(std::span<const ResultColumn>) override {
    text.clear();
    return CellFormat::kText;
  }
  Status Row(std::span<const std::optional<std::string_view>> cells) override {
    if (!text.empty()) text += ';';
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text += ',';
      text += cells[i].value_or("NULL");
    }
    return {};
  }
  Status End() override { return {}; }

  std::string text;
};

class TwoSessionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    lake_ = std::filesystem::temp_directory_path() /
            ("bayou-" + NewUuid(Env::System()));
    std::filesystem::create_directories(lake_);
    SessionOptions options;
    options.lake = lake_;
    options.threads = 1;
    options.memory_limit = std::uint64_t{500} << 20;
    ours_ = Session::Open(options).value();
    theirs_ = Session::Open(options).value();
  }
  void TearDown() override {
    ours_.reset();
    theirs_.reset();
    std::filesystem::remove_all(lake_);
  }

  // Ten rows in one file: id from 0 to 9, v = id.
  void CreateTable(const std::string& properties) {
    const std::string with = "'delta.enableDeletionVectors' = 'true'" +
                             std::string(properties.empty() ? "" : ", ") +
                             properties;
    Run(*theirs_, "CREATE TABLE t (id INT, v INT) TBLPROPERTIES (" + with +
                      "); INSERT INTO t SELECT range, range FROM range(10)");
  }
  // The table's level: for it, the rows that two commits change count.
  void AllowRowLevel() {
    Run(*theirs_,
        "SET bayou_allow_unknown_properties = true; ALTER TABLE t SET "
        "TBLPROPERTIES ('delta.isolationLevel' = 'WriteSerializable')");
  }

  std::string Run(Session& session, const std::string& sql) {
    Rows rows;
    const Status done = session.Run(sql, rows);
    EXPECT_TRUE(done) << sql << ": " << (done ? "" : done.error().message);
    return rows.text;
  }

  // What our transaction ends with, when they committed before it did: the
  // condition of an error, or an empty text.
  std::string Lose(const std::string& ours, const std::string& theirs) {
    Run(*ours_, "BEGIN; " + ours);
    Run(*theirs_, theirs);
    Rows rows;
    const Status done = ours_->Run("COMMIT", rows);
    message_ = done ? "" : done.error().message;
    return done ? "" : std::string(done.error().condition);
  }
  std::string Table() { return Run(*theirs_, "SELECT * FROM t ORDER BY ALL"); }

  std::string lake_;
  std::unique_ptr<Session> ours_;
  std::unique_ptr<Session> theirs_;
  std::string message_;
};

// ------------------------------------------- rows that others add meanwhile

TEST_F(TwoSessionsTest, RowsElsewhereAreNotWhatAStatementWouldHaveRead) {
  for (const char* change :
       {"DELETE FROM t WHERE id = 5", "UPDATE t SET v = 50 WHERE id = 6",
        ("MERGE INTO t USING (SELECT 7 AS id) s ON t.id = s.id AND t.id = 7 "
         "WHEN MATCHED THEN UPDATE SET v = 70"),
        "SELECT v FROM t WHERE id = 5; INSERT INTO t VALUES (11, 11)",
        "INSERT INTO t SELECT id + 20, v FROM t WHERE id = 8"}) {
    CreateTable("");
    EXPECT_EQ(Lose(change, "INSERT INTO t VALUES (1000, 1)"), "") << change;
    std::filesystem::remove_all(lake_ + "/t");
  }
}

TEST_F(TwoSessionsTest, RowsThatAStatementWouldHaveReadAreAConflict) {
  for (const char* change :
       {"DELETE FROM t WHERE id = 5", "UPDATE t SET v = 50 WHERE id = 5",
        ("MERGE INTO t USING (SELECT 5 AS id) s ON t.id = s.id "
         "WHEN MATCHED THEN UPDATE SET v = 70"),
        "SELECT v FROM t WHERE id = 5; INSERT INTO t VALUES (11, 11)",
        "SELECT count(*) FROM t; INSERT INTO t VALUES (11, 11)",
        "SELECT sum(v) FROM t; DELETE FROM t WHERE id = 1",
        "DELETE FROM t WHERE id = 1 AND v < (SELECT max(v) FROM t)",
        "INSERT INTO t SELECT id + 20, v FROM t WHERE id = 5"}) {
    CreateTable("");
    EXPECT_EQ(Lose(change, "INSERT INTO t VALUES (5, 1)"),
              "DELTA_CONCURRENT_APPEND")
        << change;
    EXPECT_THAT(message_, HasSubstr("version 2 (operation WRITE)"));
    EXPECT_THAT(message_, HasSubstr("was committed: run it again"));
    std::filesystem::remove_all(lake_ + "/t");
  }
}

TEST_F(TwoSessionsTest, WhatWasTrueOfAnOldVersionStaysTrue) {
  CreateTable("");
  Run(*theirs_, "INSERT INTO t VALUES (10, 10)");
  EXPECT_EQ(Lose("INSERT INTO t SELECT count(*), 0 FROM t VERSION AS OF 1",
                 "INSERT INTO t VALUES (11, 11)"),
            "");
}

// -------------------------------------------------------- row by row

TEST_F(TwoSessionsTest, OtherRowsOfTheSameFileMerge) {
  CreateTable("");
  AllowRowLevel();
  EXPECT_EQ(Lose("DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 2"),
            "");
  EXPECT_EQ(
      Lose("UPDATE t SET v = 30 WHERE id = 3",
           "UPDATE t SET v = 40 WHERE id = 4; DELETE FROM t WHERE id = 0"),
      "");
  EXPECT_EQ(Lose("MERGE INTO t USING (SELECT 5 AS id) s ON t.id = s.id AND "
                 "t.id = 5 WHEN MATCHED THEN DELETE",
                 "DELETE FROM t WHERE id = 6"),
            "");
  EXPECT_EQ(Table(), "3,30;4,40;7,7;8,8;9,9");
  EXPECT_EQ(
      Run(*ours_, "SELECT isolationLevel FROM bayou_history('t') LIMIT 1"),
      "WriteSerializable");
}

TEST_F(TwoSessionsTest, TheSameRowIsAConflict) {
  CreateTable("");
  AllowRowLevel();
  EXPECT_EQ(Lose("DELETE FROM t WHERE id IN (1, 2)",
                 "UPDATE t SET v = v + 100 WHERE id IN (2, 3)"),
            "DELTA_CONCURRENT_APPEND");
  EXPECT_EQ(Lose("DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id <= 1"),
            "DELTA_CONCURRENT_APPEND");
}

TEST_F(TwoSessionsTest, SerializableHoldsFilesAgainstEachOther) {
  CreateTable("");
  EXPECT_EQ(Lose("DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 2"),
            "DELTA_CONCURRENT_APPEND");
}

TEST_F(TwoSessionsTest, TheLastRowsOfAFileGoTogether) {
  CreateTable("");
  AllowRowLevel();
  EXPECT_EQ(Lose("DELETE FROM t WHERE id < 4", "DELETE FROM t WHERE id >= 4"),
            "");
  EXPECT_EQ(Table(), "");
  EXPECT_EQ(Run(*ours_, "SELECT count(*) FROM t"), "0");
  Run(*ours_, "INSERT INTO t VALUES (1, 1); DELETE FROM t WHERE id = 1");
  EXPECT_EQ(Table(), "");
}

// ---------------------------------------------------- files described anew

TEST_F(TwoSessionsTest, AFileThatGetsRowIdsDoesNotComeBack) {
  const std::string track =
      "ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')";
  CreateTable("");
  Run(*theirs_, "INSERT INTO t VALUES (10, 10)");
  EXPECT_EQ(Lose(track, "OPTIMIZE t"), "DELTA_CONCURRENT_DELETE_DELETE");
  EXPECT_EQ(Run(*ours_, "SELECT count(*) FROM t"), "11");
  EXPECT_NE(Lose(track, "DELETE FROM t WHERE id = 10"), "");
  Run(*ours_, track);
  Run(*theirs_, "INSERT INTO t VALUES (11, 11)");
  EXPECT_EQ(Lose("ALTER TABLE t DROP FEATURE rowTracking", "OPTIMIZE t"),
            "DELTA_CONCURRENT_DELETE_DELETE");
  EXPECT_EQ(Run(*ours_, "SELECT count(*) FROM t"), "11");
}

TEST_F(TwoSessionsTest, RowIdsThatAnotherGaveAreTakenOver) {
  CreateTable("");
  EXPECT_EQ(Lose("DELETE FROM t WHERE id = 0",
                 "ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = "
                 "'true')"),
            "");
  EXPECT_EQ(Run(*ours_,
                "SELECT min(_metadata.row_id - id), "
                "max(_metadata.row_id - id), count(*) FROM t"),
            "0,0,9");
}

TEST_F(TwoSessionsTest, RowsThatWereReadAreFollowedIntoOtherFiles) {
  Run(*theirs_,
      "CREATE TABLE t (k INT); INSERT INTO t VALUES (1); "
      "INSERT INTO t VALUES (3)");
  EXPECT_EQ(Lose("MERGE INTO t USING (VALUES (1), (2)) s(k) ON t.k = s.k "
                 "WHEN NOT MATCHED THEN INSERT VALUES (s.k)",
                 "OPTIMIZE t; DELETE FROM t"),
            "DELTA_CONCURRENT_DELETE_READ");
  EXPECT_EQ(Table(), "");
}

TEST_F(TwoSessionsTest, RowsThatWereReadAsAWholeMatter) {
  CreateTable("");
  AllowRowLevel();
  for (const char* change :
       {"SELECT count(*) FROM t WHERE id >= 0; DELETE FROM t WHERE id = 1",
        "DELETE FROM t WHERE id = 1 AND v < (SELECT max(v) FROM t)",
        "MERGE INTO t USING (FROM range(50)) s(id) ON t.id = s.id "
        "WHEN MATCHED AND v > 50 THEN DELETE WHEN NOT MATCHED THEN INSERT "
        "VALUES (s.id, 0)"}) {
    EXPECT_EQ(Lose(change,
                   "DELETE FROM t WHERE id = "
                   "(SELECT max(id) FROM t)"),
              "DELTA_CONCURRENT_DELETE_READ")
        << change;
  }
}

TEST_F(TwoSessionsTest, RowsThatGoFromFilesThatKeepTheirsDoNotMatter) {
  CreateTable("");
  AllowRowLevel();
  Run(*theirs_, "INSERT INTO t SELECT range, range FROM range(5, 20)");
  // The second file was read, too, for its bounds hold 7.
  EXPECT_EQ(Lose("DELETE FROM t WHERE id = 7 AND v < 8",
                 "DELETE FROM t WHERE id = 15"),
            "");
  EXPECT_EQ(Run(*ours_, "SELECT count(*) FROM t"), "22");
}

TEST_F(TwoSessionsTest, FeedAndRowIdsStayRightWhenRowsMerge) {
  CreateTable(
      "'delta.enableChangeDataFeed' = 'true', 'delta.enableRowTracking' = "
      "'true'");
  AllowRowLevel();
  const std::string ids =
      Run(*ours_,
          "SELECT id, _metadata.row_id FROM t WHERE id IN (3, 5) "
          "ORDER BY id");
  EXPECT_EQ(Lose("UPDATE t SET v = 30 WHERE id = 3",
                 "UPDATE t SET v = 50 WHERE id = 5"),
            "");
  EXPECT_EQ(Lose("DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 2"),
            "");
  EXPECT_EQ(Run(*ours_,
                "SELECT id, _metadata.row_id FROM t WHERE id IN (3, 5) "
                "ORDER BY id"),
            ids);
  EXPECT_EQ(Run(*ours_,
                "SELECT _commit_version, _change_type, id, v FROM "
                "table_changes('t', 3) ORDER BY ALL"),
            "3,update_postimage,5,50;3,update_preimage,5,5;"
            "4,update_postimage,3,30;4,update_preimage,3,3;"
            "5,delete,2,2;6,delete,1,1");
}

// ------------------------------------------------- several changes in one

TEST_F(TwoSessionsTest, ChangesOfChangesMergeWithOtherRows) {
  CreateTable("");
  AllowRowLevel();
  EXPECT_EQ(Lose("DELETE FROM t WHERE id = 1; UPDATE t SET v = 20 WHERE id = 2;"
                 "UPDATE t SET v = v + 1 WHERE id = 2;"
                 "INSERT INTO t VALUES (11, 11); DELETE FROM t WHERE id = 11",
                 "DELETE FROM t WHERE id = 3"),
            "");
  EXPECT_EQ(Table(), "0,0;2,21;4,4;5,5;6,6;7,7;8,8;9,9");
}

TEST_F(TwoSessionsTest, ChangesOfChangesLoseAgainstTheSameRows) {
  CreateTable("");
  AllowRowLevel();
  for (const char* change :
       {"INSERT INTO t VALUES (11, 11); DELETE FROM t WHERE id = 2",
        "DELETE FROM t WHERE id = 1; DELETE FROM t WHERE id IN (2, 3)",
        "UPDATE t SET v = 0 WHERE id = 2; UPDATE t SET v = 1 WHERE id = 1"}) {
    EXPECT_NE(Lose(change, "UPDATE t SET v = v + 1 WHERE id = 2"), "")
        << change;
  }
  EXPECT_EQ(Table(), "0,0;1,1;2,5;3,3;4,4;5,5;6,6;7,7;8,8;9,9");
}

TEST_F(TwoSessionsTest, WhatIsReadBesideOwnChangesMattersAsItWas) {
  CreateTable("");
  for (const char* change :
       {"INSERT INTO t VALUES (11, 11); SELECT v FROM t WHERE id = 5",
        "DELETE FROM t WHERE id = 1; SELECT count(*) FROM t",
        "INSERT INTO t VALUES (11, 11); DELETE FROM t WHERE id IN (5, 11)"}) {
    EXPECT_EQ(Lose(change, "INSERT INTO t VALUES (5, 1)"),
              "DELTA_CONCURRENT_APPEND")
        << change;
  }
  EXPECT_EQ(Lose("INSERT INTO t VALUES (11, 11); DELETE FROM t WHERE id = 11",
                 "INSERT INTO t VALUES (5, 1)"),
            "");
}

TEST_F(TwoSessionsTest, NobodyElseSeesWhatIsNotCommitted) {
  CreateTable("");
  Run(*ours_, "BEGIN; DELETE FROM t WHERE id < 9; CREATE TEMP TABLE s (i INT)");
  EXPECT_EQ(Run(*ours_, "SELECT id FROM t"), "9");
  EXPECT_EQ(Run(*theirs_, "SELECT count(*) FROM t"), "10");
  Run(*ours_, "ROLLBACK");
  EXPECT_EQ(Run(*ours_, "SELECT count(*) FROM t"), "10");
}

TEST_F(TwoSessionsTest, FilesThatCameAndWentAreLeftByNobody) {
  Run(*ours_,
      "CREATE TABLE t (id INT) TBLPROPERTIES "
      "('delta.enableDeletionVectors' = 'false');"
      "BEGIN; INSERT INTO t VALUES (1), (2); UPDATE t SET id = id + 10;"
      "UPDATE t SET id = id + 10 WHERE id = 11; COMMIT");
  EXPECT_EQ(Table(), "12;21");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(lake_ + "/t"))
    files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(Run(*ours_, "SELECT count(*) FROM bayou_files('t')"),
            std::to_string(files));
}

// ------------------------------- tables that a transaction makes, and by path

TEST_F(TwoSessionsTest, RowsOfATableThatBothMakeAreNotLost) {
  for (const char* make :
       {"CREATE TABLE IF NOT EXISTS t (id INT)",
        "CREATE TABLE IF NOT EXISTS t AS SELECT 7 AS id WHERE false"}) {
    const std::string both = std::string(make) + "; INSERT INTO t VALUES (1)";
    EXPECT_EQ(Lose(both, "BEGIN; " + both + "; COMMIT"),
              "DELTA_TABLE_ALREADY_EXISTS")
        << make;
    EXPECT_EQ(Table(), "1") << make;
    std::filesystem::remove_all(lake_ + "/t");
  }
  EXPECT_EQ(Lose("CREATE TABLE IF NOT EXISTS t (id INT)",
                 "CREATE TABLE t AS SELECT 1 AS id"),
            "");
}

TEST_F(TwoSessionsTest, FilesOfATableInTheMakingAreInNobodysWay) {
  EXPECT_EQ(Lose("CREATE TABLE t (id INT); INSERT INTO t VALUES (1)",
                 "CREATE TABLE t (id INT)"),
            "DELTA_TABLE_ALREADY_EXISTS");
  EXPECT_EQ(Table(), "");
}

TEST_F(TwoSessionsTest, WhatIsReadByItsPathIsRead) {
  CreateTable("");
  const std::string by_path = "delta.`" + lake_ + "/t`";
  EXPECT_EQ(Lose("INSERT INTO t SELECT max(id) + 1, 0 FROM " + by_path,
                 "INSERT INTO t VALUES (10, 0)"),
            "DELTA_CONCURRENT_APPEND");
  EXPECT_EQ(Lose("INSERT INTO " + by_path + " SELECT max(id) + 1, 0 FROM t",
                 "INSERT INTO t VALUES (11, 0)"),
            "DELTA_CONCURRENT_APPEND");
  Run(*ours_, "INSERT INTO t SELECT max(id) + 1, 0 FROM " + by_path);
  EXPECT_EQ(
      Run(*ours_, "SELECT \"isBlindAppend\" FROM bayou_history('t') LIMIT 1"),
      "false");
}

TEST_F(TwoSessionsTest, OwnChangesAreSeenByPathToo) {
  CreateTable("");
  const std::string by_path = "delta.`" + lake_ + "/t`";
  Run(*ours_, "BEGIN; DELETE FROM t WHERE id < 5");
  EXPECT_EQ(Run(*ours_, "SELECT min(id) FROM " + by_path), "5");
  Run(*ours_, "COMMIT");
  Run(*ours_, "BEGIN; DELETE FROM " + by_path + " WHERE id < 8");
  EXPECT_EQ(Run(*ours_, "SELECT min(id) FROM t"), "8");
  Run(*ours_, "ROLLBACK");
  EXPECT_EQ(Run(*ours_, "SELECT min(id) FROM " + by_path), "5");
}

TEST_F(TwoSessionsTest, TheSchemaOfAStatementThatFailedIsForgotten) {
  CreateTable("");
  Rows rows;
  Run(*ours_, "BEGIN");
  EXPECT_FALSE(ours_->Run(
      "MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 AS id, 6 AS z) s ON "
      "t.id = s.id WHEN MATCHED THEN UPDATE SET nosuch = 1",
      rows));
  EXPECT_FALSE(ours_->Run(
      "INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 1 AS id, 6 AS z, "
      "nosuch FROM t",
      rows));
  Run(*ours_, "INSERT INTO t VALUES (10, 10); COMMIT");
  EXPECT_EQ(Run(*ours_, "SELECT count(*) FROM (DESCRIBE t)"), "2");
}

TEST_F(TwoSessionsTest, CommandsSeeTheSchemaThatIsCommitted) {
  CreateTable("");
  Run(*ours_,
      "BEGIN; INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 10 AS id, 1 "
      "AS z");
  EXPECT_EQ(Run(*ours_, "SELECT count(*) FROM bayou_schema('t')"), "2");
  EXPECT_EQ(Run(*ours_, "SELECT sum(z) FROM t"), "1");
  Run(*ours_, "COMMIT");
  EXPECT_EQ(Run(*ours_, "SELECT count(*) FROM bayou_schema('t')"), "3");
}

TEST_F(TwoSessionsTest, TheHistoryCountsWhatACommitHas) {
  Run(*ours_,
      "CREATE TABLE t (id INT) TBLPROPERTIES "
      "('delta.enableDeletionVectors' = 'false')");
  Run(*ours_,
      "BEGIN; INSERT INTO t VALUES (1), (2); UPDATE t SET id = id + 10; INSERT "
      "INTO t VALUES (3); DELETE FROM t WHERE id = 3; COMMIT");
  EXPECT_EQ(Run(*ours_,
                "SELECT \"operationMetrics\"['numFiles'], "
                "\"operationMetrics\"['numOutputRows'], "
                "\"operationMetrics\"['numRemovedFiles'] FROM "
                "bayou_history('t') LIMIT 1"),
            "1,2,0");
}

// ------------------------------------------------------------- applications

TEST_F(TwoSessionsTest, OneOfTwoWritesOfOneNumberIsDone) {
  CreateTable("");
  EXPECT_EQ(Lose("SET TRANSACTION 'app', 1; INSERT INTO t VALUES (100, 0)",
                 "SET TRANSACTION 'app', 1; INSERT INTO t VALUES (100, 0)"),
            "DELTA_CONCURRENT_TRANSACTION");
  EXPECT_THAT(message_, HasSubstr("application app"));
  Run(*ours_, "SET TRANSACTION 'app', 1; INSERT INTO t VALUES (100, 0)");
  EXPECT_EQ(Run(*ours_, "SELECT count(*) FROM t WHERE id = 100"), "1");
}

}  // namespace
}  // namespace bayou::sql
