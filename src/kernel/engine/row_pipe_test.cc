// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/row_pipe.h"

#include <gtest/gtest.h>

#include "kernel/engine/engine.h"

namespace bayou::engine {
namespace {

class RowPipeTest : public ::testing::TestWithParam<int> {
 protected:
  RowPipeTest()
      : engine_(*StartEngine({.memory_limit = 0, .threads = GetParam()})),
        sink_(Connect(*engine_->instance)) {}

  Result<RowPipe> Open(const std::string& sql) {
    return RowPipe::Open(Connect(*engine_->instance), sql);
  }
  // Of the next rows: how many, the least, the greatest, and how many are not
  // one more than the row before them.
  std::string Next(RowPipe& pipe, std::int64_t count) {
    const std::string rows = pipe.Next(*sink_, count);
    const auto result = engine::Run(
        *sink_,
        "SELECT concat_ws(' ', count(*), min(i), max(i), count(*) FILTER (i != "
        "before + 1)) FROM (SELECT i, lag(i) OVER () AS before FROM " +
            rows + " AS rows(i))");
    if (!result) return std::string(result.error().condition);
    return (*result)->GetValue(0, 0).ToString();
  }

  std::shared_ptr<duckdb::DuckDB> engine_;
  std::unique_ptr<duckdb::Connection> sink_;
};

TEST_P(RowPipeTest, GivesTheRowsInOrderToOneQueryBehindTheOther) {
  auto pipe = Open("SELECT range AS i FROM range(300000)");
  ASSERT_TRUE(pipe) << pipe.error().message;
  EXPECT_TRUE(*pipe->HasRows());
  EXPECT_EQ(Next(*pipe, 4096), "4096 0 4095 0");
  EXPECT_EQ(Next(*pipe, 100'000), "100352 4096 104447 0");
  EXPECT_EQ(Next(*pipe, INT64_MAX), "195552 104448 299999 0");
  EXPECT_FALSE(*pipe->HasRows());
  EXPECT_EQ(Next(*pipe, INT64_MAX), "0 0");
}

TEST_P(RowPipeTest, TellsWhatKeptItsQueryFromGoingOn) {
  auto pipe = Open(
      "SELECT CASE WHEN range = 4900000 THEN error('broken')::BIGINT ELSE "
      "range END AS i FROM range(5000000)");
  ASSERT_TRUE(pipe) << pipe.error().message;
  EXPECT_EQ(Next(*pipe, INT64_MAX), "SQL_INVALID_INPUT");
}

TEST_P(RowPipeTest, MayBeLeftBeforeItsEnd) {
  auto pipe = Open("SELECT range AS i FROM range(300000)");
  ASSERT_TRUE(pipe) << pipe.error().message;
  EXPECT_EQ(Next(*pipe, 1), "2048 0 2047 0");
}

INSTANTIATE_TEST_SUITE_P(Threads, RowPipeTest, ::testing::Values(1, 2));

}  // namespace
}  // namespace bayou::engine
