// SPDX-License-Identifier: Apache-2.0
//
// bayou_advise: what would do a table good.
#include "base/env.h"
#include "kernel/engine/engine.h"
#include "ops/commands/advise.h"
#include "sql/row_function.h"
#include "sql/table_lookup.h"
#include "sql/upkeep_functions.h"

namespace bayou::sql {
namespace {

using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::Value;

std::vector<Row> Run(ClientContext& context, const std::string& table) {
  const auto snapshot = OpenTable(context, table);
  std::vector<Row> rows;
  for (const commands::Finding& advice :
       engine::Unwrap(commands::Advise(*snapshot, Env::System()))) {
    rows.push_back({Value(std::string(advice.code)),
                    Value(std::string(commands::SeverityName(advice.severity))),
                    Value(advice.what), Value(advice.remedy)});
  }
  return rows;
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  return BindRows({{"code", LogicalType::VARCHAR},
                   {"severity", LogicalType::VARCHAR},
                   {"what", LogicalType::VARCHAR},
                   {"remedy", LogicalType::VARCHAR}},
                  types, names,
                  [table = TableArgument(input)](ClientContext& context) {
                    return Run(context, table);
                  });
}

}  // namespace

duckdb::TableFunction AdviseFunction() {
  return RowFunction("bayou_advise", {LogicalType::VARCHAR}, Bind);
}

}  // namespace bayou::sql
