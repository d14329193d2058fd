// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/alter_table.h"

#include <utility>

#include "kernel/protocol/table_features.h"
#include "kernel/write/file_layout.h"
#include "ops/commands/alter_table_plan.h"

namespace bayou::commands {

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
