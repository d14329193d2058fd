// SPDX-License-Identifier: Apache-2.0
//
// bayou_clone: what CLONE runs.
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/parsed_data/create_table_info.hpp>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "ops/commands/clone.h"
#include "sql/commit_words.h"
#include "sql/delta_catalog.h"
#include "sql/row_function.h"
#include "sql/settings.h"
#include "sql/standalone_command.h"
#include "sql/table_lookup.h"
#include "sql/table_options.h"
#include "sql/token.h"
#include "sql/upkeep_functions.h"

namespace bayou::sql {
namespace {

using commands::CloneRequest;
using commands::CloneResult;
using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::Value;

constexpr const char* kShallow = "shallow";
constexpr const char* kMode = "mode";
constexpr const char* kProperties = "properties";
constexpr const char* kLocation = "location";

// What is to become of a table that is there.
enum class Mode : std::uint8_t {
  kCreate,  // An error.
  kCreateIfNotExists,
  kCreateOrReplace,
  kReplace,  // It must be there.
};

struct Cloning {
  std::string clone;
  std::string source;
  table::TimeTravel at;
  Mode mode = Mode::kCreate;
  std::optional<std::string> location;
  CloneRequest request;
};

Mode ModeOf(const std::string& text) {
  if (EqualIgnoringCase(text, "create")) return Mode::kCreate;
  if (EqualIgnoringCase(text, "create_if_not_exists"))
    return Mode::kCreateIfNotExists;
  if (EqualIgnoringCase(text, "create_or_replace"))
    return Mode::kCreateOrReplace;
  if (EqualIgnoringCase(text, "replace")) return Mode::kReplace;
  engine::Throw({ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
                 "the mode of CLONE is create, create_if_not_exists, "
                 "create_or_replace or replace, not " +
                     text});
}

duckdb::OnCreateConflict ConflictOf(Mode mode) {
  switch (mode) {
    case Mode::kCreate:
      return duckdb::OnCreateConflict::ERROR_ON_CONFLICT;
    case Mode::kCreateIfNotExists:
      return duckdb::OnCreateConflict::IGNORE_ON_CONFLICT;
    default:
      return duckdb::OnCreateConflict::REPLACE_ON_CONFLICT;
  }
}

// nullopt: there is one already, which will do.
Result<std::optional<std::string>> PlaceForClone(ClientContext& context,
                                                 const Cloning& cloning) {
  const TableName name = ParseTableArgument(cloning.clone);
  const NamePlace place = PlaceOfName(context, name);
  if (place.database.GetCatalogType() != kStorageType) {
    return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                "a clone of a Delta table is a Delta table; " + cloning.clone +
                    " is in another database");
  }
  duckdb::CreateTableInfo info;
  info.table = name.table();
  info.on_conflict = ConflictOf(cloning.mode);
  if (cloning.location) {
    info.options["bayou_location"] =
        duckdb::make_uniq<duckdb::ConstantExpression>(Value(*cloning.location));
  }
  return static_cast<DeltaCatalog&>(place.database)
      .PlaceForNewTable(context, place.schema, info);
}

Row ResultRow(const CloneResult& result) {
  return {
      Value::BIGINT(result.source_bytes),  Value::BIGINT(result.source_files),
      Value::BIGINT(result.files_removed), Value::BIGINT(result.files_copied),
      Value::BIGINT(result.bytes_removed), Value::BIGINT(result.bytes_copied)};
}

std::vector<Row> Run(ClientContext& context, Cloning cloning) {
  CheckStandalone(context, "CLONE");
  const auto place = engine::Unwrap(PlaceForClone(context, cloning));
  if (!place) return {};
  CloneRequest& request = cloning.request;
  request.location = *place;
  if (table::Snapshot::IsTable(*place)) {
    request.replaced =
        engine::Unwrap(table::Snapshot::Open(*place, *context.db));
  } else if (cloning.mode == Mode::kReplace) {
    engine::Throw({ErrorCode::kNotFound, "DELTA_TABLE_NOT_FOUND",
                   "there is no table at " + *place +
                       " to be replaced; write CREATE OR REPLACE TABLE"});
  }
  request.source = OpenTable(context, cloning.source, cloning.at);
  request.allows_unknown_properties =
      BoolSetting(context, kAllowUnknownProperties);
  request.scan.allow_external_paths = BoolSetting(context, kAllowExternalPaths);
  request.user_metadata = WordsForCommit(context);
  const CloneResult result =
      engine::Unwrap(commands::Clone(context, request, Env::System()));
  NoteCommitted(context);
  return {ResultRow(result)};
}

protocol::StringMap PropertiesIn(const Value& map) {
  protocol::StringMap properties;
  for (const Value& entry : duckdb::MapValue::GetChildren(map)) {
    const auto& pair = duckdb::StructValue::GetChildren(entry);
    properties[pair[0].ToString()] = pair[1].ToString();
  }
  return properties;
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext& context, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  Cloning cloning;
  cloning.clone = TableArgument(input);
  cloning.source = input.inputs.at(1).ToString();
  cloning.at = TimeTravelArgument(context, input);
  cloning.request.is_deep = !FlagArgument(input, kShallow);
  if (const Value* mode = NamedArgument(input, kMode))
    cloning.mode = ModeOf(mode->ToString());
  if (const Value* location = NamedArgument(input, kLocation))
    cloning.location = location->ToString();
  if (const Value* properties = NamedArgument(input, kProperties))
    cloning.request.properties = PropertiesIn(*properties);
  const LogicalType number = LogicalType::BIGINT;
  return BindRows({{"source_table_size", number},
                   {"source_num_of_files", number},
                   {"num_removed_files", number},
                   {"num_copied_files", number},
                   {"removed_files_size", number},
                   {"copied_files_size", number}},
                  types, names, [cloning](ClientContext& running) {
                    return Run(running, cloning);
                  });
}

}  // namespace

duckdb::TableFunction CloneFunction() {
  auto function = RowFunction(
      "bayou_clone", {LogicalType::VARCHAR, LogicalType::VARCHAR}, Bind);
  AddTimeTravel(function);
  function.named_parameters[kShallow] = LogicalType::BOOLEAN;
  function.named_parameters[kMode] = LogicalType::VARCHAR;
  function.named_parameters[kLocation] = LogicalType::VARCHAR;
  function.named_parameters[kProperties] =
      LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR);
  return function;
}

}  // namespace bayou::sql
