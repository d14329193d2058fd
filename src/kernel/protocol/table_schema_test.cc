// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/table_schema.h"

#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

Metadata Mapped(const char* mode) {
  Metadata metadata;
  metadata.schema_string =
      R"({"type":"struct","fields":[{"name":"a","nullable":true,"type":)"
      R"({"type":"array","containsNull":true,"elementType":{"type":"struct",)"
      R"("fields":[{"name":"b","type":"long","nullable":true,"metadata":)"
      R"({"delta.columnMapping.physicalName":"col-2","delta.columnMapping.id":2,)"
      R"("comment":"kept"}}]}},"metadata":)"
      R"({"delta.columnMapping.physicalName":"col-1","delta.columnMapping.id":1}}]})";
  if (*mode) metadata.configuration["delta.columnMapping.mode"] = mode;
  return metadata;
}

Protocol Versions(int reader, int writer) {
  Protocol protocol;
  protocol.min_reader_version = reader;
  protocol.min_writer_version = writer;
  return protocol;
}

const Field& Inner(const Schema& schema) {
  return schema.fields.at(0).type.children.at(0).fields.at(0);
}

TEST(TableSchema, HasPhysicalNamesWhereColumnsAreMapped) {
  for (const char* mode : {"name", "id"}) {
    const auto schema = TableSchema(Versions(2, 5), Mapped(mode));
    EXPECT_EQ(schema->fields.at(0).physical_name(), "col-1") << mode;
    EXPECT_EQ(Inner(*schema).physical_name(), "col-2") << mode;
    EXPECT_EQ(Inner(*schema).field_id(), 2) << mode;
  }
}

TEST(TableSchema, ForgetsWhatIsLeftOverOfColumnMapping) {
  for (const auto& schema : {TableSchema(Versions(1, 2), Mapped("name")),
                             TableSchema(Versions(2, 5), Mapped("none")),
                             TableSchema(Versions(2, 5), Mapped(""))}) {
    EXPECT_EQ(schema->fields.at(0).physical_name(), "a");
    EXPECT_EQ(schema->fields.at(0).field_id(), std::nullopt);
    EXPECT_EQ(Inner(*schema).physical_name(), "b");
    EXPECT_EQ(Inner(*schema).MetadataText("comment"), "kept");
  }
}

}  // namespace
}  // namespace bayou::protocol
