// SPDX-License-Identifier: Apache-2.0
#include "sql/standalone_command.h"

#include "kernel/engine/engine.h"
#include "sql/delta_table.h"
#include "sql/table_lookup.h"

namespace bayou::sql {

void CheckStandalone(duckdb::ClientContext& context, const char* command) {
  if (context.transaction.IsAutoCommit()) return;
  engine::Throw({ErrorCode::kUnsupported, "DELTA_COMMAND_IN_TRANSACTION",
                 std::string(command) +
                     " commits by itself and cannot be part of a transaction; "
                     "COMMIT or ROLLBACK first"});
}

std::shared_ptr<const table::Snapshot> BeginStandalone(
    duckdb::ClientContext& context, const std::string& table,
    const char* command) {
  CheckStandalone(context, command);
  return FindDeltaTable(context, table).snapshot();
}

const duckdb::Value* NamedArgument(const duckdb::TableFunctionBindInput& input,
                                   const char* name) {
  const auto given = input.named_parameters.find(name);
  return given == input.named_parameters.end() || given->second.IsNull()
             ? nullptr
             : &given->second;
}

bool FlagArgument(const duckdb::TableFunctionBindInput& input,
                  const char* name) {
  const duckdb::Value* flag = NamedArgument(input, name);
  return flag != nullptr && flag->GetValue<bool>();
}

}  // namespace bayou::sql
