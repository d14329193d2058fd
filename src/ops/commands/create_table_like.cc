// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/create_table_like.h"

#include <array>

#include "kernel/protocol/table_properties.h"
#include "ops/commands/alter_table_plan.h"
#include "ops/commands/clustering.h"

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::Field;

constexpr std::string_view kConstraintPrefix = "delta.constraints.";

constexpr std::array kNotes = {
    "delta.columnMapping.id", "delta.columnMapping.physicalName",
    "delta.columnMapping.nested.ids", "delta.typeChanges",
    "delta.identity.highWaterMark"};

void DropNotes(std::vector<Field>& fields);

void DropNotes(DataType& type) {
  DropNotes(type.fields);
  for (DataType& child : type.children) DropNotes(child);
}

void DropNotes(std::vector<Field>& fields) {
  for (Field& field : fields) {
    for (const char* note : kNotes) field.metadata.erase(note);
    DropNotes(field.type);
  }
}

}  // namespace

Result<TableDefinition> DefinitionLike(const table::Snapshot& source) {
  const protocol::Metadata& metadata = source.metadata();
  TableDefinition definition;
  definition.columns = source.schema().fields;
  definition.partition_columns = metadata.partition_columns;
  definition.comment = metadata.description;
  for (const auto& [key, value] : metadata.configuration) {
    if (key.starts_with(kConstraintPrefix)) {
      definition.constraints[key.substr(kConstraintPrefix.size())] = value;
    } else if (!protocol::IsKeptByWriters(key)) {
      definition.properties[key] = value;
    }
  }
  BAYOU_ASSIGN(const auto clustering, ClusteringColumns(source));
  definition.cluster_by = LogicalClusteringPaths(source.schema(), clustering);
  DropNotes(definition.columns);
  return definition;
}

}  // namespace bayou::commands
