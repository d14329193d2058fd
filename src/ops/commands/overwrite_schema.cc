// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/overwrite_schema.h"

#include <algorithm>
#include <utility>

#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/table_features.h"
#include "kernel/protocol/table_schema.h"
#include "kernel/write/file_layout.h"
#include "ops/commands/alter_table_plan.h"
#include "ops/commands/clustering.h"
#include "ops/commands/column_mapper.h"
#include "ops/commands/table_columns.h"

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::Field;
using protocol::Metadata;
using protocol::Schema;
using table::Snapshot;

void KeepMapping(const std::vector<Field>& before, std::vector<Field>& after);

void KeepMapping(const DataType& before, DataType& after) {
  if (before.kind != after.kind) return;
  KeepMapping(before.fields, after.fields);
  for (std::size_t i = 0; i < after.children.size(); ++i)
    KeepMapping(before.children[i], after.children[i]);
}

void KeepMapping(const std::vector<Field>& before, std::vector<Field>& after) {
  for (Field& field : after) {
    const auto found = std::ranges::find_if(before, [&](const Field& old) {
      return protocol::EqualIgnoringCase(old.name, field.name);
    });
    if (found == before.end()) continue;
    KeepMapping(found->type, field.type);
    if (TypeName(found->type) != TypeName(field.type)) continue;
    for (const auto& [key, value] : found->metadata) {
      if (key.starts_with("delta.columnMapping.")) field.metadata[key] = value;
    }
  }
}

Status MapColumns(const Snapshot& table, Env& env, Schema& schema,
                  Metadata& metadata) {
  KeepMapping(table.schema().fields, schema.fields);
  ColumnMapper mapper(env, ColumnMapper::Names::kNew,
                      LastColumnId(table.metadata(), table.schema()),
                      IdentifiesElements(metadata));
  BAYOU_TRY(mapper.Map(schema.fields));
  metadata.configuration["delta.columnMapping.maxColumnId"] =
      std::to_string(mapper.last_id());
  return {};
}

// By name, as the version that is there calls them.
Result<ClusteringPaths> ClusteringNames(const Snapshot& table) {
  BAYOU_ASSIGN(const auto physical, ClusteringColumns(table));
  BAYOU_ASSIGN(const auto schema,
               protocol::TableSchema(table.state().protocol(),
                                     table.state().metadata()));
  return LogicalClusteringPaths(schema, physical);
}

}  // namespace

Result<std::shared_ptr<const Snapshot>> OverwriteSchema(
    const Snapshot& table, std::vector<Field> columns, Env& env) {
  Schema schema{std::move(columns)};
  Metadata metadata = table.metadata();
  BAYOU_TRY(CheckColumns(schema, metadata.partition_columns));
  metadata.partition_columns =
      NamesInSchema(schema, metadata.partition_columns);
  if (table.column_mapping() == protocol::ColumnMappingMode::kNone) {
    BAYOU_TRY(CheckUnmappedNames(schema.fields));
  } else {
    BAYOU_TRY(MapColumns(table, env, schema, metadata));
  }
  BAYOU_ASSIGN(const auto clustering, ClusteringNames(table));
  BAYOU_TRY(PhysicalClusteringColumns(metadata, schema, clustering));
  metadata.schema_string = protocol::SchemaToJson(schema);
  BAYOU_ASSIGN(auto raised,
               protocol::ProtocolForChangedTable(table.protocol(), metadata));
  protocol::Protocol protocol = raised ? *raised : table.protocol();
  BAYOU_TRY(protocol::CheckWritable(protocol, metadata, table.location()));
  BAYOU_TRY(write::PlanFileLayout(protocol, metadata, schema));
  return table.Changed(std::move(metadata), std::move(protocol));
}

Status KeepClustering(transaction::Transaction& transaction) {
  const Snapshot& table = *transaction.base();
  BAYOU_ASSIGN(const auto names, ClusteringNames(table));
  if (names.empty() || !transaction.staged().domains.empty()) return {};
  BAYOU_ASSIGN(const auto before, ClusteringColumns(table));
  // Whether they may be clustered by was asked when the schema was made.
  const auto after =
      PhysicalClusteringColumns(table.metadata(), table.schema(), names);
  if (after && *after != before)
    transaction.SetDomain(ClusteringDomain(*after));
  return {};
}

}  // namespace bayou::commands
