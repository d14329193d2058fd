// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/alter_table.h"

#include <fmt/format.h>

#include <utility>

#include "kernel/protocol/table_features.h"
#include "kernel/write/file_layout.h"
#include "ops/commands/alter_table_plan.h"

namespace bayou::commands {
namespace {

bool IsOfProtocol(const std::string& key) {
  return key.starts_with("delta.feature.") || key == "delta.minReaderVersion" ||
         key == "delta.minWriterVersion" ||
         key == "delta.ignoreProtocolDefaults";
}

}  // namespace

Result<SchemaPlace> FieldPlace(AlteredTable& altered, const ColumnPath& path) {
  auto place = FindPlace(altered.schema, path);
  if (!place || !place->is_field()) return NotFound(altered, path);
  return *std::move(place);
}

tl::unexpected<Error> NotFound(const AlteredTable& altered,
                               const ColumnPath& path) {
  return Fail(ErrorCode::kInvalidArgument, "DELTA_COLUMN_NOT_FOUND",
              fmt::format("table {} has no column {}", altered.table.location(),
                          Dotted(path)));
}

Status RaiseProtocol(AlteredTable& altered) {
  TableChange& change = altered.change;
  protocol::Metadata metadata = change.metadata;
  metadata.schema_string = protocol::SchemaToJson(altered.schema);
  BAYOU_ASSIGN(auto raised,
               protocol::ProtocolForChangedTable(change.protocol, metadata));
  change.changes_protocol = raised.has_value();
  if (raised) change.protocol = *std::move(raised);
  std::erase_if(change.metadata.configuration, [](const auto& property) {
    return IsOfProtocol(property.first);
  });
  return {};
}

Result<TableChange> PlanAlteration(const table::Snapshot& table,
                                   const TableAlteration& alteration,
                                   Env& env) {
  AlteredTable altered{table, table.schema(), {}, env};
  altered.change.metadata = table.metadata();
  altered.change.protocol = table.protocol();
  BAYOU_TRY(std::visit([&](const auto& asked) { return Alter(altered, asked); },
                       alteration));
  TableChange& change = altered.change;
  change.metadata.schema_string = protocol::SchemaToJson(altered.schema);
  // No table that we would refuse to open, or to write, again.
  BAYOU_TRY(protocol::ParseSchema(change.metadata.schema_string));
  BAYOU_TRY(protocol::CheckWritable(change.protocol, change.metadata,
                                    table.location()));
  BAYOU_TRY(
      write::PlanFileLayout(change.protocol, change.metadata, altered.schema));
  return std::move(change);
}

}  // namespace bayou::commands
