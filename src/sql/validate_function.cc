// SPDX-License-Identifier: Apache-2.0
//
// bayou_validate: examines a table.
#include "base/env.h"
#include "kernel/engine/engine.h"
#include "ops/commands/validate.h"
#include "sql/commit_words.h"
#include "sql/examined_place.h"
#include "sql/row_function.h"
#include "sql/settings.h"
#include "sql/standalone_command.h"
#include "sql/upkeep_functions.h"

namespace bayou::sql {
namespace {

using commands::Finding;
using commands::ValidateRequest;
using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::Value;

constexpr const char* kDeep = "deep";
constexpr const char* kRepair = "repair";

Row RowOf(const Finding& finding) {
  return {Value(std::string(finding.code)),
          Value(std::string(commands::SeverityName(finding.severity))),
          Value(finding.place),
          Value(finding.what),
          Value(finding.remedy),
          Value::BOOLEAN(finding.is_repaired)};
}

std::vector<Row> Run(ClientContext& context, const std::string& table,
                     ValidateRequest request) {
  if (request.repairs) CheckStandalone(context, "bayou_validate with repair");
  request.location = PlaceToExamine(context, table);
  request.scan.allow_external_paths = BoolSetting(context, kAllowExternalPaths);
  request.user_metadata = WordsForCommit(context);
  const auto result =
      engine::Unwrap(commands::Validate(context, request, Env::System()));
  if (result.version) NoteCommitted(context);
  std::vector<Row> rows;
  for (const Finding& finding : result.findings) rows.push_back(RowOf(finding));
  return rows;
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  ValidateRequest request;
  request.is_deep = FlagArgument(input, kDeep);
  request.repairs = FlagArgument(input, kRepair);
  return BindRows(
      {{"code", LogicalType::VARCHAR},
       {"severity", LogicalType::VARCHAR},
       {"place", LogicalType::VARCHAR},
       {"what", LogicalType::VARCHAR},
       {"remedy", LogicalType::VARCHAR},
       {"repaired", LogicalType::BOOLEAN}},
      types, names,
      [table = TableArgument(input), request](ClientContext& context) {
        return Run(context, table, request);
      });
}

}  // namespace

duckdb::TableFunction ValidateFunction() {
  auto function = RowFunction("bayou_validate", {LogicalType::VARCHAR}, Bind);
  function.named_parameters[kDeep] = LogicalType::BOOLEAN;
  function.named_parameters[kRepair] = LogicalType::BOOLEAN;
  return function;
}

}  // namespace bayou::sql
