// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/table_schema.h"

#include "kernel/protocol/table_features.h"

namespace bayou::protocol {
namespace {

void ForgetMapping(DataType& type);

void ForgetMapping(std::vector<Field>& fields) {
  for (Field& field : fields) {
    field.metadata.erase("delta.columnMapping.physicalName");
    field.metadata.erase("delta.columnMapping.id");
    ForgetMapping(field.type);
  }
}

void ForgetMapping(DataType& type) {
  ForgetMapping(type.fields);
  for (DataType& child : type.children) ForgetMapping(child);
}

}  // namespace

ColumnMappingMode ColumnMappingInForce(const Protocol& protocol,
                                       const Metadata& metadata) {
  if (!Supports(protocol, "columnMapping")) return ColumnMappingMode::kNone;
  return TableProperties(metadata.configuration).column_mapping_mode();
}

Result<Schema> TableSchema(const Protocol& protocol, const Metadata& metadata) {
  BAYOU_ASSIGN(Schema schema, ParseSchema(metadata.schema_string));
  if (ColumnMappingInForce(protocol, metadata) == ColumnMappingMode::kNone) {
    ForgetMapping(schema.fields);
  }
  return schema;
}

}  // namespace bayou::protocol
