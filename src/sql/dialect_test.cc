// SPDX-License-Identifier: Apache-2.0
#include "sql/dialect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A disk with one table, one other folder and one file.
Place DiskPlace(std::string_view path) {
  if (path == "dir/table") return Place::kTable;
  if (path == "dir") return Place::kFolder;
  if (path == "dir/a.parquet") return Place::kFile;
  return Place::kNothing;
}

std::string Sql(std::string_view text) {
  const Result<Statement> statement = Translate(text, DiskPlace);
  return statement ? statement->sql.text
                   : "error: " + statement.error().message;
}

TEST(SplitStatements, LeavesOutSemicolonsAndEmptyStatements) {
  EXPECT_THAT(SplitStatements("a; b ;; -- c;\n 'd;' ; /* ; */"),
              ElementsAre("a", "b", "'d;'"));
  EXPECT_THAT(SplitStatements(" ; "), ElementsAre());
}

struct Spelling {
  const char* written;
  const char* meant;
};

void PrintTo(const Spelling& spelling, std::ostream* out) {
  *out << spelling.written;
}

class SpellingTest : public ::testing::TestWithParam<Spelling> {};

TEST_P(SpellingTest, IsWhatDuckDBWrites) {
  EXPECT_EQ(Sql(GetParam().written), GetParam().meant);
}

INSTANTIATE_TEST_SUITE_P(
    Unchanged, SpellingTest,
    ::testing::Values(
        Spelling{"SELECT 1 -- `x`", "SELECT 1 -- `x`"},
        Spelling{"SELECT 'a`b', \"c`d\"", "SELECT 'a`b', \"c`d\""},
        Spelling{"SELECT timestamp AS of FROM t",
                 "SELECT timestamp AS of FROM t"},
        Spelling{"SELECT a FROM t AT (VERSION => 3)",
                 "SELECT a FROM t AT (VERSION => 3)"},
        Spelling{"SELECT 'dir/table', 'dir'", "SELECT 'dir/table', 'dir'"},
        Spelling{"SELECT array < b FROM t", "SELECT array < b FROM t"},
        Spelling{"SELECT * FROM 'dir/a.parquet'",
                 "SELECT * FROM 'dir/a.parquet'"},
        Spelling{"SELECT * FROM 'dir/*.csv'", "SELECT * FROM 'dir/*.csv'"},
        Spelling{"SELECT * FROM 's3://b/t/'", "SELECT * FROM 's3://b/t/'"},
        Spelling{"COPY t FROM 'dir'", "COPY t FROM 'dir'"},
        Spelling{"SELECT trim(both FROM 'dir')",
                 "SELECT trim(both FROM 'dir')"},
        Spelling{"SET threads = 1", "SET threads = 1"},
        Spelling{"DESCRIBE t", "DESCRIBE t"},
        Spelling{"DESCRIBE SELECT a FROM t", "DESCRIBE SELECT a FROM t"},
        Spelling{"SHOW TABLES", "SHOW TABLES"},
        Spelling{"CREATE TABLE t (a INTEGER, b STRING)",
                 "CREATE TABLE t (a INTEGER, b STRING)"},
        Spelling{"WITH x AS (SELECT 1) SELECT * FROM x",
                 "WITH x AS (SELECT 1) SELECT * FROM x"}));

INSTANTIATE_TEST_SUITE_P(
    Names, SpellingTest,
    ::testing::Values(
        Spelling{"SELECT `a b`, `c``d`, `e\"f`",
                 "SELECT \"a b\", \"c`d\", \"e\"\"f\""},
        Spelling{"FROM delta.`/x/y`", "FROM \"delta\".\"main\".\"/x/y\""},
        Spelling{"FROM DELTA.`/x/y` t", "FROM \"delta\".\"main\".\"/x/y\" t"},
        Spelling{"FROM delta.\"/x/y\"", "FROM \"delta\".\"main\".\"/x/y\""},
        Spelling{"FROM delta.\"t\"", "FROM delta.\"t\""},
        Spelling{"FROM 'dir/table' t",
                 "FROM \"delta\".\"main\".\"dir/table\" t"},
        Spelling{"SELECT * FROM a, 'dir/table'",
                 "SELECT * FROM a, \"delta\".\"main\".\"dir/table\""},
        Spelling{"FROM a JOIN 'dir' USING (x)",
                 "FROM a JOIN \"delta\".\"main\".\"dir\" USING (x)"},
        Spelling{"FROM (SELECT 'dir/table', 'dir')",
                 "FROM (SELECT 'dir/table', 'dir')"},
        Spelling{"COPY (FROM 'dir/table') TO 'x'",
                 "COPY (FROM \"delta\".\"main\".\"dir/table\") TO 'x'"},
        Spelling{"INSERT INTO 'new' VALUES (1)",
                 "INSERT INTO \"delta\".\"main\".\"new\" VALUES (1)"},
        Spelling{"INSERT INTO TABLE t SELECT 1", "INSERT INTO t SELECT 1"},
        Spelling{"CREATE TABLE 'new' (a INT)",
                 "CREATE TABLE \"delta\".\"main\".\"new\" (a INT)"},
        Spelling{"DESCRIBE 'dir/table'",
                 "DESCRIBE \"delta\".\"main\".\"dir/table\""},
        Spelling{
            "SELECT _metadata.row_id, t._metadata.FILE_NAME FROM t",
            "SELECT \"_metadata.row_id\", t.\"_metadata.file_name\" FROM t"}));

INSTANTIATE_TEST_SUITE_P(
    TimeTravel, SpellingTest,
    ::testing::Values(
        Spelling{"FROM t VERSION AS OF 3", "FROM t  AT (VERSION => 3)"},
        Spelling{"FROM t FOR VERSION AS OF '3'", "FROM t  AT (VERSION => '3')"},
        Spelling{"FROM t SYSTEM_VERSION AS OF 3 AS x JOIN u",
                 "FROM t  AS x AT (VERSION => 3) JOIN u"},
        Spelling{"FROM t VERSION AS OF 3 x WHERE y",
                 "FROM t  x AT (VERSION => 3) WHERE y"},
        Spelling{"FROM t VERSION AS OF 3 x (a, b) WHERE y",
                 "FROM t  x (a, b) AT (VERSION => 3) WHERE y"},
        Spelling{"FROM t VERSION AS OF 3, u", "FROM t  AT (VERSION => 3), u"},
        Spelling{"(FROM t VERSION AS OF 3) x", "(FROM t  AT (VERSION => 3)) x"},
        Spelling{"FROM `t` VERSION AS OF 3", "FROM \"t\"  AT (VERSION => 3)"},
        Spelling{"FROM 'dir/table' VERSION AS OF 3",
                 "FROM \"delta\".\"main\".\"dir/table\"  AT (VERSION => 3)"},
        Spelling{"FROM t TIMESTAMP AS OF '2024-01-01' x",
                 "FROM t  x AT (TIMESTAMP => '2024-01-01')"},
        Spelling{"FROM t TIMESTAMP AS OF current_timestamp() - INTERVAL 1 DAY "
                 "WHERE y",
                 "FROM t  AT (TIMESTAMP => current_timestamp() - INTERVAL 1 "
                 "DAY) WHERE y"},
        Spelling{"FROM t TIMESTAMP AS OF now() - interval '2 days' AS x",
                 "FROM t  AS x AT (TIMESTAMP => now() - interval '2 days')"},
        Spelling{"FROM t FOR SYSTEM_TIME AS OF DATE '2024-01-01' JOIN u",
                 "FROM t  AT (TIMESTAMP => DATE '2024-01-01') JOIN u"},
        Spelling{"SELECT * FROM t TIMESTAMP AS OF $",
                 "SELECT * FROM t TIMESTAMP AS OF $"},
        Spelling{"FROM t TIMESTAMP AS OF '2024-01-01'::timestamp x",
                 "FROM t  x AT (TIMESTAMP => '2024-01-01'::timestamp)"},
        Spelling{"FROM t TIMESTAMP AS OF (SELECT max(x) FROM u) ORDER BY 1",
                 "FROM t  AT (TIMESTAMP => (SELECT max(x) FROM u)) ORDER BY 1"},
        Spelling{"FROM t@v12 x", "FROM t x AT (VERSION => 12)"},
        Spelling{"FROM delta.`/x`@v1",
                 "FROM \"delta\".\"main\".\"/x\" AT (VERSION => 1)"},
        Spelling{"FROM delta.`/x@v1` y",
                 "FROM \"delta\".\"main\".\"/x\" y AT (VERSION => 1)"},
        Spelling{"FROM t@20240131235959123",
                 "FROM t AT (TIMESTAMP => '2024-01-31 23:59:59.123')"}));

INSTANTIATE_TEST_SUITE_P(
    Statements, SpellingTest,
    ::testing::Values(
        Spelling{"FROM bayou_scan('t', timestamp => now())",
                 "FROM bayou_scan('t', \"timestamp\" => now())"},
        Spelling{"FROM t AT (TIMESTAMP => now())",
                 "FROM t AT (TIMESTAMP => now())"},
        Spelling{"FROM bayou_files('t', where => 'a')",
                 "FROM bayou_files('t', \"where\" => 'a')"},
        Spelling{"DESCRIBE HISTORY t", "SELECT * FROM bayou_history('\"t\"')"},
        Spelling{"DESC HISTORY a.t LIMIT 5",
                 "SELECT * FROM bayou_history('\"a\".\"t\"', 5)"},
        Spelling{"DESCRIBE DETAIL delta.`/it's`",
                 "SELECT * FROM bayou_detail('\"delta\".\"main\".\"/it''s\"')"},
        Spelling{"DESCRIBE TABLE DETAIL '/x'",
                 "SELECT * FROM bayou_detail('\"delta\".\"main\".\"/x\"')"},
        Spelling{"DESCRIBE TABLE t", "DESCRIBE  t"},
        Spelling{
            "SELECT version FROM (DESCRIBE HISTORY t LIMIT 2) h WHERE version "
            "> 0",
            "SELECT version FROM (SELECT * FROM bayou_history('\"t\"', 2)) h "
            "WHERE version > 0"},
        Spelling{"SELECT name FROM (DESCRIBE DETAIL delta.`/x`)",
                 "SELECT name FROM (SELECT * FROM "
                 "bayou_detail('\"delta\".\"main\".\"/x\"'))"},
        Spelling{"SELECT * FROM (DESCRIBE detail)",
                 "SELECT * FROM (DESCRIBE detail)"},
        Spelling{"DESCRIBE history", "DESCRIBE history"},
        Spelling{"DESCRIBE t VERSION AS OF 2",
                 "DESCRIBE SELECT * FROM t  AT (VERSION => 2)"},
        Spelling{"SHOW TABLES IN x", "SHOW TABLES FROM x"},
        Spelling{"SHOW COLUMNS IN t",
                 "SELECT column_name AS col_name FROM (DESCRIBE \"t\")"},
        Spelling{
            "SET spark.databricks.delta.retentionDurationCheck.enabled = false",
            "SET bayou_retention_check = 'false'"},
        Spelling{"SET spark.sql.session.timeZone = 'UTC'",
                 "SET TimeZone = 'UTC'"}));

INSTANTIATE_TEST_SUITE_P(
    CreateTable, SpellingTest,
    ::testing::Values(
        Spelling{"CREATE TABLE t (a ARRAY<INT>) USING DELTA",
                 "CREATE TABLE t (a INT[])"},
        Spelling{"CREATE TABLE t (a STRUCT<x: INT, y: ARRAY<MAP<STRING, "
                 "LONG>>> NOT NULL, b INT)",
                 "CREATE TABLE t (a STRUCT(\"x\" INT, \"y\" MAP(STRING, "
                 "LONG)[]) NOT NULL, b INT)"},
        Spelling{
            "CREATE TABLE t (a DECIMAL(10,2), b INT) PARTITIONED BY (b)",
            "CREATE TABLE t (a DECIMAL(10,2), b INT) PARTITIONED BY (\"b\")"},
        Spelling{"CREATE TABLE t (a INT) PARTITIONED BY (b STRING, c INT)",
                 "CREATE TABLE t (a INT, \"b\" STRING, \"c\" INT) PARTITIONED "
                 "BY (\"b\", \"c\")"},
        Spelling{
            "CREATE TABLE t (a INT COMMENT 'it''s') COMMENT 'tab' USING delta",
            "CREATE TABLE t (a INT ) WITH (bayou_column_comments = "
            "'{\"a\":\"it''s\"}', "
            "bayou_comment = 'tab')"},
        Spelling{"CREATE TABLE t (a INT) TBLPROPERTIES ('x.Y'='1', "
                 "delta.b=true, c 'd') LOCATION '/l'",
                 "CREATE TABLE t (a INT) WITH (bayou_properties = "
                 "'{\"c\":\"d\",\"delta.b\":\"true\",\"x.Y\":\"1\"}', "
                 "bayou_location = '/l')"},
        Spelling{"CREATE OR REPLACE TABLE t TBLPROPERTIES ('a'='b') "
                 "PARTITIONED BY (x) AS SELECT 1 x",
                 "CREATE OR REPLACE TABLE t PARTITIONED BY (\"x\") WITH "
                 "(bayou_properties = "
                 "'{\"a\":\"b\"}') AS SELECT 1 x"},
        Spelling{"CREATE TABLE t USING DELTA AS WITH q AS (SELECT 1) FROM q",
                 "CREATE TABLE t AS WITH q AS (SELECT 1) FROM q"},
        Spelling{
            "CREATE TABLE delta.`/p` (a INT) USING DELTA WITH (x = 'y')",
            "CREATE TABLE \"delta\".\"main\".\"/p\" (a INT) WITH (x = 'y')"},
        Spelling{
            "CREATE TABLE t (a INT DEFAULT (1 + 2), CHECK (a > 0), `b` STRING)",
            "CREATE TABLE t (a INT , CHECK (a > 0), \"b\" STRING) WITH "
            "(bayou_defaults = '{\"a\":\"(1 + 2)\"}')"},
        Spelling{"SELECT CAST(a AS ARRAY<STRING>)",
                 "SELECT CAST(a AS STRING[])"}));

struct Refusal {
  const char* written;
  const char* why;
};

TEST(Translate, LeavesTheColumnsOfOtherDatabasesAlone) {
  for (const char* text :
       {"CREATE TABLE m.t (a INT DEFAULT 1, b VARCHAR(3), c INT GENERATED "
        "ALWAYS AS (a + 1), CONSTRAINT d CHECK (a > 0))",
        "CREATE TEMP TABLE t (a INT DEFAULT 1)"}) {
    const auto translated = Translate(
        text, DiskPlace,
        [](const TableName& name) { return name.parts.front() != "m"; });
    ASSERT_TRUE(translated);
    EXPECT_EQ(translated->sql.text, text);
  }
}

TEST(Translate, RefusesWhatWouldBeLost) {
  for (const Refusal& refusal :
       {Refusal{"CREATE TABLE t (a INT) USING parquet", "USING DELTA"},
        Refusal{"CREATE TABLE t (a INT) TBLPROPERTIES ('a'='1', 'a'='2')",
                "twice"},
        Refusal{"CREATE TABLE t (a INT) LOCATION", "not complete"},
        Refusal{"CONVERT TO DELTA iceberg.`/x`", "Iceberg"},
        Refusal{"SET spark.no.such = 1", "spark.no.such"}}) {
    EXPECT_THAT(Sql(refusal.written), HasSubstr(refusal.why))
        << refusal.written;
  }
}

struct CommandCase {
  const char* written;
  const char* operation;
  const char* target;
};

TEST(Translate, RecognisesCommandsOnATable) {
  for (const CommandCase& want :
       {CommandCase{"VACUUM t RETAIN 0 HOURS", "VACUUM", "\"t\""},
        CommandCase{"OPTIMIZE delta.`/x` WHERE a = 1", "OPTIMIZE",
                    "\"delta\".\"main\".\"/x\""},
        CommandCase{"RESTORE TABLE a.t TO VERSION AS OF 1", "RESTORE",
                    "\"a\".\"t\""},
        CommandCase{"RESTORE t VERSION AS OF 1", "RESTORE", "\"t\""},
        CommandCase{"ALTER TABLE t ADD COLUMN x INT", "ALTER TABLE", "\"t\""},
        CommandCase{"GENERATE symlink_format_manifest FOR TABLE t", "GENERATE",
                    "\"t\""},
        CommandCase{"CREATE TABLE t SHALLOW CLONE u", "CLONE", "\"u\""},
        CommandCase{"REORG TABLE t APPLY (PURGE)", "REORG", "\"t\""}}) {
    const Result<Statement> statement = Translate(want.written, DiskPlace);
    ASSERT_TRUE(statement && statement->command) << want.written;
    EXPECT_EQ(statement->command->operation, want.operation);
    EXPECT_EQ(statement->command->target.Sql(), want.target);
  }
  for (const char* plain :
       {"SELECT 1", "VACUUM", "INSERT INTO t VALUES (1)", "EXPLAIN SELECT 1"}) {
    EXPECT_FALSE(Translate(plain, DiskPlace)->command) << plain;
  }
}

TEST(Translate, TakesOverwritesOutOfInserts) {
  const struct {
    const char* written;
    const char* sql;
    const char* target;
    const char* where;
  } cases[] = {
      {"INSERT OVERWRITE t SELECT 1", "INSERT INTO t SELECT 1", "\"t\"", ""},
      {"INSERT OVERWRITE TABLE t SELECT 1", "INSERT INTO t SELECT 1", "\"t\"",
       ""},
      {"INSERT OVERWRITE INTO t BY NAME VALUES (1)",
       "INSERT INTO t BY NAME VALUES (1)", "\"t\"", ""},
      {"INSERT INTO t REPLACE WHERE a IN (SELECT 1) AND b SELECT 2",
       "INSERT INTO t  SELECT 2", "\"t\"", "a IN (SELECT 1) AND b"},
      {"INSERT INTO delta.`/x` BY NAME REPLACE WHERE a = 1 FROM s",
       "INSERT INTO \"delta\".\"main\".\"/x\" BY NAME  FROM s",
       "\"delta\".\"main\".\"/x\"", "a = 1"},
  };
  for (const auto& [written, sql, target, where] : cases) {
    const Result<Statement> statement = Translate(written, DiskPlace);
    ASSERT_TRUE(statement && statement->insert.overwrite) << written;
    EXPECT_EQ(statement->sql.text, sql);
    EXPECT_EQ(statement->insert.overwrite->target, target);
    EXPECT_EQ(statement->insert.overwrite->where, where);
  }
  EXPECT_FALSE(
      Translate("INSERT INTO t SELECT 1", DiskPlace)->insert.overwrite);
}

TEST(Translate, TakesSparksClausesOutOfInserts) {
  const Result<Statement> partition = Translate(
      "INSERT OVERWRITE t PARTITION (p = f(1, 2), `q` = NULL, r) SELECT 1",
      DiskPlace);
  ASSERT_TRUE(partition);
  EXPECT_EQ(partition->sql.text, "INSERT INTO t  SELECT 1");
  EXPECT_EQ(partition->insert.overwrite->where,
            "\"p\" = f(1, 2) AND \"q\" IS NULL");
  ASSERT_EQ(partition->insert.partition.size(), 2U);
  EXPECT_EQ(partition->insert.partition[0].column, "p");
  EXPECT_EQ(partition->insert.partition[0].value, "f(1, 2)");

  const Result<Statement> evolving = Translate(
      "INSERT WITH SCHEMA EVOLUTION INTO TABLE t (a) BY NAME SELECT 1",
      DiskPlace);
  ASSERT_TRUE(evolving && evolving->evolves_schema);
  EXPECT_EQ(evolving->sql.text, "INSERT INTO t (a) BY NAME SELECT 1");

  const Result<Statement> overwriting =
      Translate("INSERT OVERWRITE t WITH ('overwriteSchema' = 'true') SELECT 1",
                DiskPlace);
  ASSERT_TRUE(overwriting && overwriting->insert.overwrites_schema);
  EXPECT_EQ(overwriting->sql.text, "INSERT INTO t  SELECT 1");
  EXPECT_FALSE(overwriting->may_evolve_schema);

  for (const char* refused :
       {"INSERT INTO t WITH ('overwriteSchema' = 'true') SELECT 1",
        "INSERT INTO t WITH ('compression' = 'zstd') SELECT 1",
        "INSERT INTO t PARTITION (p = ) SELECT 1",
        "INSERT INTO t PARTITION (p = 1 SELECT 1",
        "INSERT OVERWRITE t PARTITION (p = 1) IF NOT EXISTS SELECT 1"}) {
    EXPECT_FALSE(Translate(refused, DiskPlace)) << refused;
  }
}

TEST(EditedText, LeadsBackToWhatWasWritten) {
  const std::string_view written = "SELECT `a`, nope FROM delta.`/x`";
  const EditedText sql = Translate(written, DiskPlace)->sql;
  for (const char* word : {"nope", "FROM"}) {
    EXPECT_EQ(sql.Original(sql.text.find(word)), written.find(word)) << word;
  }
  EXPECT_EQ(sql.Original(sql.text.find("main")), written.find("delta"));
}

TEST(ParseTableArgument, TellsNamesFromPaths) {
  EXPECT_THAT(ParseTableArgument("t").parts, ElementsAre("t"));
  EXPECT_THAT(ParseTableArgument("lake.main.\"a.b\"").parts,
              ElementsAre("lake", "main", "a.b"));
  for (const char* path :
       {"/x/y", "x/y", "./x", "a b", "file:/x", "x.y.z.w", "..", "a-b"}) {
    EXPECT_THAT(ParseTableArgument(path).parts,
                ElementsAre("delta", "main", path))
        << path;
  }
  EXPECT_TRUE(ParseTableArgument("\"delta\".\"main\".\"/x y\"").is_path);
}

}  // namespace
}  // namespace bayou::sql
