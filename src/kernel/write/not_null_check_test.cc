// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/not_null_check.h"

#include <gtest/gtest.h>

#include <functional>

#include "kernel/write/rows_for_test.h"

namespace bayou::write {
namespace {

using protocol::Field;
using protocol::Schema;

struct Case {
  std::string name;
  std::function<void(Field&)>
      require;  // Makes something of column `c` NOT NULL.
  std::string good;
  std::string bad;
  std::string path;
};

class NotNull : public ::testing::TestWithParam<Case> {
 protected:
  Status Check(const std::string& value) {
    const std::string query = "SELECT " + value + " AS c FROM range(3000)";
    Schema schema = rows_.SchemaOf("SELECT " + GetParam().good + " AS c");
    GetParam().require(schema.fields[0]);
    for (const auto& chunk : rows_.Chunks(query)) {
      BAYOU_TRY(CheckNotNull(schema, *chunk));
    }
    return {};
  }
  SqlRows rows_;
};

TEST_P(NotNull, TakesRowsThatKeepTheRule) {
  const Status status = Check(GetParam().good);
  EXPECT_TRUE(status) << status.error().message;
}

TEST_P(NotNull, RefusesRowsThatBreakItAndNamesTheColumn) {
  const Status status = Check("CASE WHEN range = 2500 THEN " + GetParam().bad +
                              " ELSE " + GetParam().good + " END");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kConstraint);
  EXPECT_NE(status.error().message.find("column " + GetParam().path + " "),
            std::string::npos)
      << status.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    , NotNull,
    ::testing::Values(
        Case{"Column", [](Field& c) { c.nullable = false; }, "1", "NULL", "c"},
        Case{"Field", [](Field& c) { c.type.fields[0].nullable = false; },
             "{'x': 1}", "{'x': NULL}", "c.x"},
        Case{"Element", [](Field& c) { c.type.contains_null = false; },
             "[1, 2]", "[1, NULL]", "c"},
        Case{"MapValue", [](Field& c) { c.type.contains_null = false; },
             "MAP {'a': 'b'}", "MAP {'a': NULL}", "c"},
        Case{"FieldOfElement",
             [](Field& c) { c.type.children[0].fields[0].nullable = false; },
             "[{'x': 1}, NULL]", "[{'x': NULL}]", "c.x"}),
    [](const auto& test) { return test.param.name; });

TEST(NotNullField, MayBeMissingWithItsStruct) {
  SqlRows rows;
  Schema schema = rows.SchemaOf("SELECT {'x': 1} AS c");
  schema.fields[0].type.fields[0].nullable = false;
  for (const auto& chunk : rows.Chunks("SELECT NULL::STRUCT(x INTEGER) AS c")) {
    EXPECT_TRUE(CheckNotNull(schema, *chunk));
  }
}

TEST(VoidColumn, HoldsNothingButNulls) {
  SqlRows rows;
  Schema schema = rows.SchemaOf("SELECT 1 AS c");
  schema.fields[0].type = protocol::DataType::Of(protocol::TypeKind::kVoid);
  EXPECT_TRUE(
      CheckNotNull(schema, *rows.Chunks("SELECT NULL::INTEGER AS c")[0]));
  EXPECT_FALSE(CheckNotNull(schema, *rows.Chunks("SELECT 1 AS c")[0]));
}

}  // namespace
}  // namespace bayou::write
