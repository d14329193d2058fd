// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kernel/engine/exact_parquet.h"

namespace bayou::engine {
namespace {

class EngineTest : public ::testing::Test {
 protected:
  EngineTest()
      : engine_(*StartEngine({})), connection_(Connect(*engine_->instance)) {}

  Error ErrorOf(const std::string& sql) {
    const auto result = connection_->Query(sql);
    EXPECT_TRUE(result->HasError()) << sql;
    return FromDuckDB(result->GetErrorObject());
  }

  std::shared_ptr<duckdb::DuckDB> engine_;
  std::unique_ptr<duckdb::Connection> connection_;
};

TEST_F(EngineTest, HasParquetJsonAndTimeZonesBuiltIn) {
  const auto result = connection_->Query(
      "SELECT to_json({'a': 1})::VARCHAR, "
      "(TIMESTAMPTZ '2024-07-01 00:00:00+02')::VARCHAR");
  ASSERT_FALSE(result->HasError()) << result->GetError();
  EXPECT_EQ(result->GetValue(0, 0).ToString(), "{\"a\":1}");
  EXPECT_EQ(result->GetValue(1, 0).ToString(), "2024-06-30 22:00:00+00");
}

TEST_F(EngineTest, KeepsItsLimits) {
  const auto engine = *StartEngine({.memory_limit = 64 << 20, .threads = 1});
  const auto result =
      Connect(*engine->instance)->Query("SELECT current_setting('threads')");
  EXPECT_EQ(result->GetValue(0, 0).ToString(), "1");
}

// Both sides of EXCEPT are too many to be ready when the first rows are.
TEST_F(EngineTest, ResultsOfAUnionOfComputationsDoNotHang) {
  const std::string all = "SELECT range AS a FROM range(1000000)";
  const std::string none = "SELECT range FROM range(1000000) WHERE range < 0";
  const auto started =
      Start(*connection_, "(" + all + " EXCEPT ALL " + none + ") UNION ALL (" +
                              all + " EXCEPT ALL " + none + ")");
  ASSERT_TRUE(started) << started.error().message;
  duckdb::idx_t rows = 0;
  while (const auto chunk = Fetch(**started)) rows += chunk->size();
  EXPECT_EQ(rows, 2'000'000);
}

TEST_F(EngineTest, OtherResultsStream) {
  for (const char* sql : {"SELECT * FROM range(9000000)",
                          "SELECT * FROM range(9) UNION ALL SELECT * FROM "
                          "range(5) ORDER BY ALL",
                          "SELECT * FROM range(9) UNION ALL SELECT * FROM "
                          "(SELECT a.range FROM range(7) a, range(5) b)"}) {
    const auto started = Start(*connection_, sql);
    ASSERT_TRUE(started) << started.error().message;
    EXPECT_EQ((*started)->type, duckdb::QueryResultType::STREAM_RESULT) << sql;
  }
}

TEST_F(EngineTest, SaysWhatKindOfErrorItWas) {
  EXPECT_EQ(ErrorOf("SELEC 1").condition, "SQL_PARSER_ERROR");
  EXPECT_EQ(ErrorOf("SELECT x").condition, "SQL_BINDER_ERROR");
  EXPECT_EQ(ErrorOf("SELECT * FROM nowhere").condition, "SQL_CATALOG_ERROR");
  EXPECT_EQ(ErrorOf("SELECT 'a'::INTEGER").condition, "CONVERSION_ERROR");
  EXPECT_EQ(ErrorOf("SELECT * FROM read_parquet('/no/such/file')").code,
            ErrorCode::kNotFound);
  EXPECT_EQ(ErrorOf("SELECT * FROM bayou_parquet(['/no/such/file'])").code,
            ErrorCode::kNotFound);
}

TEST_F(EngineTest, GivesBackTheErrorThatCrossedDuckDB) {
  const Error sent{ErrorCode::kCorruption, "DELTA_LOG_GAP",
                   "version 3: 'missing'"};
  const auto received = Guard([&] { Throw(sent); });
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, sent.code);
  EXPECT_EQ(received.error().condition, sent.condition);
  EXPECT_EQ(received.error().message, sent.message);
}

TEST_F(EngineTest, GuardsAndUnwraps) {
  EXPECT_EQ(*Guard([] { return Unwrap(Result<int>(7)); }), 7);
  const auto failed = Guard([] {
    return Unwrap(
        Result<int>(Fail(ErrorCode::kConflict, "DELTA_CONFLICT", "lost")));
  });
  EXPECT_EQ(failed.error().code, ErrorCode::kConflict);
}

TEST_F(EngineTest, RunsAStatement) {
  const auto sum = engine::Run(*connection_,
                               "SELECT sum(range)::BIGINT FROM range(1000000)");
  ASSERT_TRUE(sum);
  EXPECT_EQ((*sum)->GetValue(0, 0).GetValue<std::int64_t>(), 499999500000);
  EXPECT_EQ(engine::Run(*connection_, "SELECT x").error().condition,
            "SQL_BINDER_ERROR");
  EXPECT_EQ(
      engine::Run(*connection_, "SELECT (range || 'x')::INTEGER FROM range(10)")
          .error()
          .condition,
      "CONVERSION_ERROR");
}

TEST_F(EngineTest, QuotesNamesAndTexts) {
  EXPECT_EQ(Identifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(Literal("it's"), "'it''s'");
}

TEST_F(EngineTest, ReadsParquetFilesByTheirExactNames) {
  const auto base =
      std::filesystem::temp_directory_path() / "exact-parquet-test";
  for (const char* folder :
       {"[z]", "a?b", "a*b", "x=1", "a'b", "a\\b", "trailing "}) {
    std::filesystem::create_directories(base / folder);
    const std::vector<std::string> files = {base / folder / "1.parquet",
                                            base / folder / "2.parquet"};
    for (const std::string& file : files) {
      const auto written =
          connection_->Query("COPY (SELECT 1 AS id) TO " + Literal(file));
      ASSERT_FALSE(written->HasError()) << written->GetError();
    }
    const auto read =
        connection_->Query("SELECT * FROM " + ParquetRelation(files));
    ASSERT_FALSE(read->HasError()) << read->GetError();
    EXPECT_EQ(read->ColumnCount(), 1U) << "a folder became a column";
    EXPECT_EQ(read->RowCount(), 2U);
  }
  std::filesystem::remove_all(base);
}

}  // namespace
}  // namespace bayou::engine
