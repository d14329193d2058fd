// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/file_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/write/rows_for_test.h"

namespace bayou::write {
namespace {

using protocol::DataType;
using protocol::Protocol;
using protocol::Schema;
using protocol::TypeKind;
using ::testing::ElementsAre;

Schema Columns(std::vector<std::pair<std::string, DataType>> columns) {
  Schema schema;
  for (auto& [name, type] : columns) {
    protocol::Field field;
    field.name = name;
    field.type = std::move(type);
    schema.fields.push_back(std::move(field));
  }
  return schema;
}

Protocol WithFeatures(const std::vector<std::string>& features) {
  Protocol protocol;
  protocol.min_reader_version = 3;
  protocol.min_writer_version = 7;
  protocol.reader_features = features;
  protocol.writer_features = features;
  return protocol;
}

DataType ArrayOf(DataType element) {
  DataType type = DataType::Of(TypeKind::kArray);
  type.children.push_back(std::move(element));
  return type;
}

Result<std::shared_ptr<const FileLayout>> Plan(const Schema& schema,
                                               const Protocol& protocol = {}) {
  return PlanFileLayout(protocol, {}, schema);
}

const DataType kInteger = DataType::Of(TypeKind::kInteger);
const DataType kVariant = DataType::Of(TypeKind::kVariant);

TEST(FileLayout, FilesLeaveOutPartitionColumnsAndVoid) {
  const Schema schema = Columns({{"a", kInteger},
                                 {"p", kInteger},
                                 {"v", DataType::Of(TypeKind::kVoid)},
                                 {"b", kInteger}});
  const auto layout = LayoutFor(schema, {"p"});
  EXPECT_THAT(layout->partition_columns, ElementsAre(1));
  EXPECT_THAT(layout->stored_columns, ElementsAre(0, 3));
}

TEST(FileLayout, PartitionColumnsComeLastWhereTheyAreMaterialized) {
  protocol::Metadata metadata;
  metadata.partition_columns = {"P"};  // Names compare without case.
  const Schema schema = Columns({{"p", kInteger}, {"a", kInteger}});
  const auto layout = PlanFileLayout(
      WithFeatures({"materializePartitionColumns"}), metadata, schema);
  EXPECT_THAT(layout.value()->stored_columns, ElementsAre(1, 0));
}

TEST(FileLayout, RefusesWhatFilesCannotHold) {
  EXPECT_FALSE(Plan(Columns({{"v", DataType::Of(TypeKind::kVoid)}})));
  EXPECT_FALSE(Plan(Columns(
      {{"a", kInteger}, {"l", ArrayOf(DataType::Of(TypeKind::kVoid))}})));
}

TEST(FileLayout, VariantsAreShreddedWhereTheTableWantsIt) {
  const Protocol shredding = WithFeatures({"variantType", "variantShredding"});
  protocol::Metadata wanted;
  wanted.configuration["delta.enableVariantShredding"] = "true";
  const Schema variant = Columns({{"v", kVariant}});
  const auto shreds = [&](const Protocol& protocol) {
    return PlanFileLayout(protocol, wanted, variant).value()->shreds_variants;
  };
  EXPECT_TRUE(shreds(shredding));
  EXPECT_FALSE(shreds(WithFeatures({"variantType"})));
  wanted.configuration["delta.enableVariantShredding"] = "false";
  EXPECT_FALSE(shreds(shredding));
  wanted.configuration.clear();
  EXPECT_FALSE(shreds(shredding));  // Only older files may be shredded.
}

TEST(FileLayout, VariantsInsideOfOtherTypesAreRefused) {
  const Protocol shredding = WithFeatures({"variantType", "variantShredding"});
  protocol::Metadata wanted;
  wanted.configuration["delta.enableVariantShredding"] = "true";
  EXPECT_FALSE(
      PlanFileLayout(shredding, wanted, Columns({{"l", ArrayOf(kVariant)}})));
}

}  // namespace
}  // namespace bayou::write
