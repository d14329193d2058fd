// SPDX-License-Identifier: Apache-2.0
//
// bayou_scan and table_changes.
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/tableref/at_clause.hpp>
#include <duckdb/parser/tableref/basetableref.hpp>
#include <duckdb/planner/operator/logical_get.hpp>

#include "kernel/engine/engine.h"
#include "kernel/scan/change_feed.h"
#include "sql/row_function.h"
#include "sql/settings.h"
#include "sql/table_functions.h"
#include "sql/table_lookup.h"
#include "sql/table_name.h"
#include "sql/time_travel.h"

namespace bayou::sql {
namespace {

using duckdb::LogicalType;

// The table itself, as if its name stood there.
duckdb::unique_ptr<duckdb::TableRef> BindScanAs(
    duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input) {
  TimeTravelArgument(context, input);  // Throws for what makes no sense.
  const TableName name = ParseTableArgument(TableArgument(input));
  auto ref = duckdb::make_uniq<duckdb::BaseTableRef>();
  const std::size_t count = name.parts.size();
  if (count > 2) ref->catalog_name = name.parts[count - 3];
  if (count > 1) ref->schema_name = name.parts[count - 2];
  ref->table_name = name.table();
  for (const auto& [unit, value] : input.named_parameters) {
    ref->at_clause = duckdb::make_uniq<duckdb::AtClause>(
        unit, duckdb::make_uniq<duckdb::ConstantExpression>(value));
  }
  return ref;
}

// The scan function is made for the table, so the plan is made here.
duckdb::unique_ptr<duckdb::LogicalOperator> BindChanges(
    duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
    duckdb::idx_t index, duckdb::vector<duckdb::string>& names) {
  scan::ChangeRange range;
  range.first =
      engine::Unwrap(AtVersionOrTimestamp(context, input.inputs.at(1)));
  if (input.inputs.size() > 2 && !input.inputs[2].IsNull()) {
    range.last = engine::Unwrap(AtVersionOrTimestamp(context, input.inputs[2]));
  }
  scan::BoundScan scan = scan::BindChangeFeed(
      context, LocationOf(context, TableArgument(input)), range,
      {.allow_external_paths = BoolSetting(context, kAllowExternalPaths),
       .entry = nullptr,
       .reads = nullptr});
  names = scan.names;
  duckdb::virtual_column_map_t hidden;
  if (scan.function.get_virtual_columns) {
    hidden = scan.function.get_virtual_columns(context, scan.bind_data.get());
  }
  auto get = duckdb::make_uniq<duckdb::LogicalGet>(
      index, scan.function, std::move(scan.bind_data), std::move(scan.types),
      std::move(scan.names), std::move(hidden));
  for (duckdb::idx_t i = 0; i < names.size(); ++i) get->AddColumnId(i);
  return get;
}

}  // namespace

duckdb::TableFunction BayouScanFunction() {
  duckdb::TableFunction function("bayou_scan", {LogicalType::VARCHAR}, nullptr,
                                 nullptr);
  function.bind_replace = BindScanAs;
  AddTimeTravel(function);
  return function;
}

duckdb::TableFunctionSet TableChangesFunction() {
  duckdb::TableFunctionSet set("table_changes");
  for (const auto& arguments :
       {duckdb::vector<LogicalType>{LogicalType::VARCHAR, LogicalType::ANY},
        duckdb::vector<LogicalType>{LogicalType::VARCHAR, LogicalType::ANY,
                                    LogicalType::ANY}}) {
    duckdb::TableFunction function("table_changes", arguments, nullptr,
                                   nullptr);
    function.bind_operator = BindChanges;
    set.AddFunction(function);
  }
  return set;
}

}  // namespace bayou::sql
