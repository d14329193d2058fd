// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/identity_values.h"

#include <gtest/gtest.h>

namespace bayou::write {
namespace {

protocol::Schema SchemaWith(const std::string& start, const std::string& step,
                            const std::string& mark = "") {
  protocol::Schema schema;
  schema.fields.resize(2);
  schema.fields[0].name = "v";
  protocol::Field& id = schema.fields[1];
  id.name = "id";
  id.type = protocol::DataType::Of(protocol::TypeKind::kLong);
  id.metadata["delta.identity.start"] = start;
  id.metadata["delta.identity.step"] = step;
  id.metadata["delta.identity.allowExplicitInsert"] = "false";
  if (!mark.empty()) id.metadata["delta.identity.highWaterMark"] = mark;
  return schema;
}

std::string FirstOf(const protocol::Schema& schema) {
  IdentityValues values;
  if (const Status status = values.Begin(schema); !status) {
    return std::string(status.error().condition);
  }
  const auto range = values.Take(1, 1);
  return range ? std::to_string(range->first)
               : std::string(range.error().condition);
}

TEST(IdentityValuesTest, GoOnBehindTheMark) {
  EXPECT_EQ(FirstOf(SchemaWith("10", "5")), "10");
  EXPECT_EQ(FirstOf(SchemaWith("10", "5", "20")), "25");
  EXPECT_EQ(FirstOf(SchemaWith("10", "5", "22")), "25");
  EXPECT_EQ(FirstOf(SchemaWith("10", "5", "3")), "10");
  EXPECT_EQ(FirstOf(SchemaWith("-1", "-2", "-5")), "-7");
  EXPECT_EQ(FirstOf(SchemaWith("-1", "-2", "7")), "-1");
  EXPECT_EQ(FirstOf(SchemaWith("1", "1", "9223372036854775807")),
            "DELTA_IDENTITY_OVERFLOW");
}

TEST(IdentityValuesTest, RefusesWhatMakesNoSense) {
  EXPECT_EQ(FirstOf(SchemaWith("1", "0")), "DELTA_SCHEMA_INVALID");
  EXPECT_EQ(FirstOf(SchemaWith("1", "\"x\"")), "DELTA_SCHEMA_INVALID");
  EXPECT_EQ(FirstOf(SchemaWith("1", "1", "1.5")), "DELTA_SCHEMA_INVALID");
}

TEST(IdentityValuesTest, MovesTheMarkInTheSchema) {
  protocol::Schema schema = SchemaWith("10", "5");
  IdentityValues values;
  ASSERT_TRUE(values.Begin(schema));
  EXPECT_FALSE(values.MoveMarks(schema));
  EXPECT_EQ(values.Take(1, 3)->first, 10);
  EXPECT_EQ(values.Take(1, 2)->first, 25);
  EXPECT_TRUE(values.MoveMarks(schema));
  EXPECT_EQ(schema.fields[1].metadata["delta.identity.highWaterMark"], "30");
}

}  // namespace
}  // namespace bayou::write
