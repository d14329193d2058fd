// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/type_widening.h"

#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

TEST(TypeWidening, WhatTheProtocolLists) {
  EXPECT_TRUE(IsTypeWidening("byte", "long"));
  EXPECT_TRUE(IsTypeWidening("float", "double"));
  EXPECT_TRUE(IsTypeWidening("integer", "double"));
  EXPECT_TRUE(IsTypeWidening("date", "timestamp_ntz"));
  EXPECT_TRUE(IsTypeWidening("decimal(4,2)", "decimal(8,4)"));
  EXPECT_TRUE(IsTypeWidening("byte", "decimal(12,2)"));
  EXPECT_TRUE(IsTypeWidening("long", "decimal(20,0)"));
}

TEST(TypeWidening, AndNothingElse) {
  EXPECT_FALSE(IsTypeWidening("long", "integer"));
  EXPECT_FALSE(IsTypeWidening("long", "double"));
  EXPECT_FALSE(IsTypeWidening("integer", "string"));
  EXPECT_FALSE(IsTypeWidening("date", "timestamp"));
  EXPECT_FALSE(IsTypeWidening("decimal(4,2)", "decimal(5,4)"));
  EXPECT_FALSE(IsTypeWidening("byte", "decimal(4,1)"));
  EXPECT_FALSE(IsTypeWidening("long", "decimal(19,0)"));
  EXPECT_FALSE(IsTypeWidening("integer", "decimal(10,x)"));
}

TEST(TypeWidening, DecimalsThatThereAreNotAreNoneToWidenTo) {
  EXPECT_FALSE(IsTypeWidening("byte", "decimal(39,0)"));
  EXPECT_FALSE(IsTypeWidening("byte", "decimal(2147483647,-5)"));
  EXPECT_FALSE(IsTypeWidening("decimal(1,0)", "decimal(12,13)"));
}

Schema SchemaWith(const std::string& changes) {
  Field inner;
  inner.name = "x";
  inner.type = DataType::Of(TypeKind::kLong);
  inner.metadata["delta.typeChanges"] = changes;
  Field outer;
  outer.name = "s";
  outer.type = DataType::Of(TypeKind::kStruct);
  outer.type.fields.push_back(inner);
  return Schema{{outer}};
}

TEST(TypeWidening, EveryRecordedChangeIsChecked) {
  EXPECT_TRUE(CheckTypeChanges(SchemaWith(
      R"([{"fromType":"short","toType":"integer"},{"fromType":"integer","toType":"long"}])")));
  const auto unknown = CheckTypeChanges(
      SchemaWith(R"([{"fromType":"string","toType":"long"}])"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().condition, "DELTA_UNSUPPORTED_TYPE_CHANGE");
  for (const char* broken : {"{}", "[1]", "[{}]", "[", "\"\""}) {
    const auto checked = CheckTypeChanges(SchemaWith(broken));
    ASSERT_FALSE(checked) << broken;
    EXPECT_EQ(checked.error().condition, "DELTA_SCHEMA_INVALID") << broken;
  }
}

}  // namespace
}  // namespace bayou::protocol
