// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/iceberg_compat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

Field Column(const char* name, DataType type) {
  Field field;
  field.name = name;
  field.type = std::move(type);
  return field;
}

DataType ListOf(DataType element) {
  DataType list = DataType::Of(TypeKind::kArray);
  list.children.push_back(std::move(element));
  return list;
}

struct Table {
  Protocol protocol{3,
                    7,
                    {{"columnMapping"}},
                    {{"columnMapping", "icebergCompatV1", "icebergCompatV2",
                      "icebergCompatV3"}}};
  Metadata metadata;
  Schema schema{{Column("a", DataType::Of(TypeKind::kInteger))}};

  explicit Table(const std::string& version) {
    metadata.configuration = {{"delta.enableIcebergCompatV" + version, "true"},
                              {"delta.columnMapping.mode", "name"}};
  }
  bool Fits() const {
    const Status fits =
        CheckIcebergCompat(protocol, metadata, schema, "table t");
    EXPECT_TRUE(fits ||
                fits.error().condition == "DELTA_ICEBERG_COMPAT_VIOLATION");
    return fits.has_value();
  }
};

TEST(IcebergCompat, IsInForceWhereTheFeatureIsAndTheProperty) {
  Table table("2");
  EXPECT_EQ(IcebergCompatVersion(table.protocol, table.metadata), 2);
  table.metadata.configuration["delta.enableIcebergCompatV2"] = "false";
  EXPECT_EQ(IcebergCompatVersion(table.protocol, table.metadata), 0);
  EXPECT_EQ(IcebergCompatVersion(Protocol{}, Table("2").metadata), 0);
}

TEST(IcebergCompat, AsksForColumnMappingAndForbidsDeletionVectors) {
  for (const char* version : {"1", "2"}) {
    Table table(version);
    EXPECT_TRUE(table.Fits());
    table.metadata.configuration["delta.enableDeletionVectors"] = "true";
    EXPECT_FALSE(table.Fits());
    Table unmapped(version);
    unmapped.metadata.configuration.erase("delta.columnMapping.mode");
    EXPECT_FALSE(unmapped.Fits());
  }
  Table both("1");
  both.metadata.configuration["delta.enableIcebergCompatV2"] = "true";
  EXPECT_FALSE(both.Fits());
  Table third("3");
  EXPECT_FALSE(third.Fits());
  third.metadata.configuration["delta.enableRowTracking"] = "true";
  third.metadata.configuration["delta.enableDeletionVectors"] = "true";
  EXPECT_TRUE(third.Fits());
}

TEST(IcebergCompat, KnowsTypes) {
  Table table("2");
  table.schema.fields = {Column("v", DataType::Of(TypeKind::kVariant))};
  EXPECT_FALSE(table.Fits());
  table.schema.fields = {Column("v", DataType::Of(TypeKind::kVoid))};
  EXPECT_FALSE(table.Fits());
  table.schema.fields = {
      Column("l", ListOf(ListOf(DataType::Of(TypeKind::kLong))))};
  EXPECT_FALSE(table.Fits());
  SetNestedIds({{"l.element", 2}, {"l.element.element", 3}},
               table.schema.fields[0]);
  EXPECT_TRUE(table.Fits());
  Table first("1");
  first.schema = table.schema;
  EXPECT_FALSE(first.Fits());
}

TEST(IcebergCompat, KnowsChangesOfTypes) {
  Table table("2");
  const auto changed = [&](const char* from, const char* to) {
    table.schema.fields[0].metadata["delta.typeChanges"] =
        R"([{"fromType":")" + std::string(from) + R"(","toType":")" + to +
        R"("}])";
    return table.Fits();
  };
  EXPECT_TRUE(changed("short", "integer"));
  EXPECT_TRUE(changed("decimal(4,2)", "decimal(6,2)"));
  EXPECT_FALSE(changed("decimal(4,2)", "decimal(6,4)"));
  EXPECT_FALSE(changed("integer", "double"));
  EXPECT_FALSE(changed("date", "timestamp_ntz"));
}

TEST(NestedIds, SurviveTheirJson) {
  Field field;
  const NestedIds ids = {{"c.element", 4}, {"c.element.key", 5}};
  SetNestedIds(ids, field);
  EXPECT_EQ(NestedIdsOf(field), ids);
  field.metadata["delta.columnMapping.nested.ids"] = "[1]";
  EXPECT_TRUE(NestedIdsOf(field).empty());
}

}  // namespace
}  // namespace bayou::protocol
