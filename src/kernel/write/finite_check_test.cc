// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/finite_check.h"

#include <gtest/gtest.h>

#include "kernel/write/rows_for_test.h"

namespace bayou::write {
namespace {

Status Check(const std::string& value, const std::string& of_type) {
  SqlRows rows;
  const auto schema = rows.SchemaOf("SELECT NULL::" + of_type + " AS c");
  const std::string query = "SELECT CASE WHEN range = 2500 THEN " + value +
                            " END::" + of_type + " AS c FROM range(3000)";
  for (const auto& chunk : rows.Chunks(query))
    BAYOU_TRY(CheckFinite(schema, *chunk));
  return {};
}

TEST(CheckFinite, TakesWhatThereIsInDelta) {
  EXPECT_TRUE(Check("'9999-12-31'", "DATE"));
  EXPECT_TRUE(Check("'-290000-01-01'", "TIMESTAMP"));
  EXPECT_TRUE(Check("NULL", "TIMESTAMPTZ"));
  EXPECT_TRUE(Check("'infinity'", "VARCHAR"));
  EXPECT_TRUE(Check("'infinity'", "DOUBLE"));
  EXPECT_TRUE(Check("[NULL, DATE '2024-01-01']", "DATE[]"));
}

TEST(CheckFinite, RefusesInfinityAtEveryLevel) {
  for (const auto& [value, type] :
       std::vector<std::pair<std::string, std::string>>{
           {"'infinity'", "DATE"},
           {"'-infinity'", "DATE"},
           {"'infinity'", "TIMESTAMP"},
           {"'-infinity'", "TIMESTAMPTZ"},
           {"{'x': 1, 'y': DATE 'infinity'}", "STRUCT(x INT, y DATE)"},
           {"[NULL, DATE '2024-01-01', DATE 'infinity']", "DATE[]"},
           {"MAP {DATE 'infinity': 1}", "MAP(DATE, INT)"},
           {"MAP {1: [{'t': TIMESTAMP 'infinity'}]}",
            "MAP(INT, STRUCT(t TIMESTAMP)[])"}}) {
    const Status status = Check(value, type);
    ASSERT_FALSE(status) << type;
    EXPECT_EQ(status.error().condition, "DELTA_INFINITE_TIME") << type;
    EXPECT_NE(status.error().message.find("column c "), std::string::npos);
  }
}

}  // namespace
}  // namespace bayou::write
