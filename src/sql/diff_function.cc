// SPDX-License-Identifier: Apache-2.0
//
// bayou_diff: how two versions of a table differ, in files or in rows. Rows are
// a query, which reads the files that differ and no others.
#include <duckdb/parser/parser.hpp>
#include <duckdb/parser/statement/select_statement.hpp>
#include <duckdb/parser/tableref/subqueryref.hpp>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/scan/data_file_place.h"
#include "ops/commands/diff.h"
#include "sql/row_function.h"
#include "sql/settings.h"
#include "sql/standalone_command.h"
#include "sql/table_lookup.h"
#include "sql/upkeep_functions.h"

namespace bayou::sql {
namespace {

using commands::FileDifference;
using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::Value;
using table::Snapshot;
using Kind = FileDifference::Kind;

constexpr const char* kRows = "rows";
// With more files that differ, rows are sought in all.
constexpr std::size_t kMostNamedFiles = 10'000;

struct TwoVersions {
  std::shared_ptr<const Snapshot> from;
  std::shared_ptr<const Snapshot> to;
};

struct Difference {
  std::string table;
  protocol::Version from = 0;
  std::optional<protocol::Version> to;  // nullopt: the latest.

  TwoVersions Open(ClientContext& context) const {
    return {OpenTable(context, table, {.version = from, .timestamp_ms = {}}),
            OpenTable(context, table, {.version = to, .timestamp_ms = {}})};
  }
};

Difference DifferenceOf(const duckdb::TableFunctionBindInput& input) {
  Difference difference;
  difference.table = TableArgument(input);
  const auto version = [&](std::size_t i) -> std::optional<protocol::Version> {
    if (i >= input.inputs.size() || input.inputs[i].IsNull())
      return std::nullopt;
    return input.inputs[i].GetValue<protocol::Version>();
  };
  difference.from = version(1).value_or(0);
  difference.to = version(2);
  return difference;
}

// ----------------------------------------------------------------------- files

const char* NameOf(Kind kind) {
  switch (kind) {
    case Kind::kAdded:
      return "added";
    case Kind::kRemoved:
      return "removed";
    case Kind::kChanged:
      return "changed";
  }
  return "";
}

Row RowOf(const FileDifference& difference) {
  const protocol::AddFile& file = difference.file;
  const auto rows =
      protocol::ReadStatistics(file.stats.value_or(""), {}).num_records;
  const auto& vector = file.deletion_vector;
  return {Value(NameOf(difference.kind)),
          Value(file.path),
          TextMapValue(file.partition_values),
          Value::BIGINT(file.size),
          rows ? Value::BIGINT(*rows) : Value(LogicalType::BIGINT),
          Value::BIGINT(vector ? vector->cardinality : 0)};
}

std::vector<Row> Files(ClientContext& context, const Difference& difference) {
  const auto [from, to] = difference.Open(context);
  std::vector<Row> rows;
  for (const auto& file : engine::Unwrap(commands::DiffFiles(*from, *to)))
    rows.push_back(RowOf(file));
  return rows;
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  return BindRows(
      {{"change", LogicalType::VARCHAR},
       {"path", LogicalType::VARCHAR},
       {"partitionValues",
        LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR)},
       {"size", LogicalType::BIGINT},
       {"numRecords", LogicalType::BIGINT},
       {"deletedRows", LogicalType::BIGINT}},
      types, names, [difference = DifferenceOf(input)](ClientContext& context) {
        return Files(context, difference);
      });
}

// ------------------------------------------------------------------------ rows

// The columns of both, under the names and types of the later version.
std::string ColumnsOf(const Snapshot& version, const TwoVersions& both) {
  std::string columns;
  const auto add = [&](const protocol::Field& column) {
    const protocol::Field* own = version.schema().Find(column.name);
    columns += columns.empty() ? "" : ", ";
    columns += "CAST(";
    columns += own == nullptr ? "NULL" : engine::Identifier(own->name);
    columns += " AS " + engine::ToLogicalType(column.type).ToString() +
               ") AS " + engine::Identifier(column.name);
  };
  for (const auto& column : both.to->schema().fields) add(column);
  for (const auto& column : both.from->schema().fields) {
    if (both.to->schema().Find(column.name) == nullptr) add(column);
  }
  return columns;
}

// A condition that the files which differ meet, and no others.
std::string ConditionOn(ClientContext& context, const TwoVersions& both,
                        const std::vector<FileDifference>& files) {
  if (files.size() > kMostNamedFiles) return "";
  scan::ScannedTable table;
  table.snapshot = both.to;
  table.options.allow_external_paths =
      BoolSetting(context, kAllowExternalPaths);
  std::string names;
  for (const FileDifference& file : files) {
    const std::string place =
        engine::Unwrap(scan::PlaceOfFile(table, file.file.path));
    names +=
        (names.empty() ? "" : ", ") + engine::Literal(scan::UriOfPlace(place));
  }
  if (names.empty()) return " WHERE false";
  return " WHERE \"_metadata.file_path\" IN (" + names + ")";
}

std::string RowsOf(const Snapshot& version, const TwoVersions& both,
                   const std::string& condition) {
  return "SELECT " + ColumnsOf(version, both) + " FROM delta.main." +
         engine::Identifier(version.location()) + " AT (VERSION => " +
         std::to_string(version.version()) + ")" + condition;
}

duckdb::unique_ptr<duckdb::TableRef> BindRowsOf(
    ClientContext& context, duckdb::TableFunctionBindInput& input) {
  if (!FlagArgument(input, kRows)) return nullptr;  // Files: see Bind.
  const TwoVersions both = DifferenceOf(input).Open(context);
  const auto files = engine::Unwrap(commands::DiffFiles(*both.from, *both.to));
  const std::string condition = ConditionOn(context, both, files);
  const std::string from = RowsOf(*both.from, both, condition);
  const std::string to = RowsOf(*both.to, both, condition);
  duckdb::Parser parser(context.GetParserOptions());
  parser.ParseQuery("SELECT 'delete' AS _change_type, * FROM (" + from +
                    " EXCEPT ALL " + to +
                    ") UNION ALL SELECT 'insert' AS _change_type, * FROM (" +
                    to + " EXCEPT ALL " + from + ")");
  auto select =
      duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::SelectStatement>(
          std::move(parser.statements.at(0)));
  return duckdb::make_uniq<duckdb::SubqueryRef>(std::move(select));
}

}  // namespace

duckdb::TableFunctionSet DiffFunction() {
  duckdb::TableFunctionSet set("bayou_diff");
  for (const auto& arguments :
       {duckdb::vector<LogicalType>{LogicalType::VARCHAR, LogicalType::BIGINT},
        duckdb::vector<LogicalType>{LogicalType::VARCHAR, LogicalType::BIGINT,
                                    LogicalType::BIGINT}}) {
    auto function = RowFunction("bayou_diff", arguments, Bind);
    function.named_parameters[kRows] = LogicalType::BOOLEAN;
    function.bind_replace = BindRowsOf;
    set.AddFunction(function);
  }
  return set;
}

}  // namespace bayou::sql
