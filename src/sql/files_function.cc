// SPDX-License-Identifier: Apache-2.0
//
// bayou_files: the live files of a version. Streamed, unless the question is
// which of them a condition leaves to be read.
#include <duckdb/planner/operator/logical_get.hpp>

#include "kernel/engine/engine.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/scan/table_scan.h"
#include "sql/condition_plan.h"
#include "sql/row_function.h"
#include "sql/settings.h"
#include "sql/table_functions.h"
#include "sql/table_lookup.h"

namespace bayou::sql {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

constexpr const char* kWhere = "where";

struct FilesQuery : public duckdb::TableFunctionData {
  std::string table;
  table::TimeTravel at;
  std::optional<std::string> where;  // nullopt: all files.

  bool SupportStatementCache() const override { return false; }
};

struct FilesState : public duckdb::GlobalTableFunctionState {
  std::shared_ptr<const table::Snapshot> snapshot;
  std::unique_ptr<log::FileCursor> cursor;  // Null: `rows` are all.
  std::vector<protocol::AddFile> batch;
  std::size_t next = 0;
  std::vector<Row> rows;
};

std::vector<Column> Columns(bool judged) {
  std::vector<Column> columns = {
      {"path", LogicalType::VARCHAR},
      {"partitionValues",
       LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR)},
      {"size", LogicalType::BIGINT},
      {"modificationTime", LogicalType::TIMESTAMP_TZ},
      {"numRecords", LogicalType::BIGINT},
      {"deletedRows", LogicalType::BIGINT},
      {"deletionVector", LogicalType::VARCHAR},
      {"stats", LogicalType::JSON()}};
  if (judged) {
    columns.push_back({"isRead", LogicalType::BOOLEAN});
    columns.push_back({"leftOutBy", LogicalType::VARCHAR});
    columns.push_back({"condition", LogicalType::VARCHAR});
  }
  return columns;
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  auto query = duckdb::make_uniq<FilesQuery>();
  query->table = TableArgument(input);
  query->at = TimeTravelArgument(context, input);
  const auto where = input.named_parameters.find(kWhere);
  if (where != input.named_parameters.end() && !where->second.IsNull()) {
    query->where = where->second.ToString();
  }
  for (const Column& column : Columns(query->where.has_value())) {
    names.emplace_back(column.name);
    types.push_back(column.type);
  }
  return query;
}

Value NumRecords(const protocol::AddFile& file) {
  if (!file.stats) return Value(LogicalType::BIGINT);
  const auto records = protocol::ReadStatistics(*file.stats, {}).num_records;
  return records ? Value::BIGINT(*records) : Value(LogicalType::BIGINT);
}

Row RowOf(const protocol::AddFile& file) {
  const auto& vector = file.deletion_vector;
  return {Value(file.path),
          TextMapValue(file.partition_values),
          Value::BIGINT(file.size),
          TimestampValue(file.modification_time),
          NumRecords(file),
          Value::BIGINT(vector ? vector->cardinality : 0),
          vector ? Value(vector->UniqueId()) : Value(LogicalType::VARCHAR),
          OptionalText(file.stats)};
}

Row Judged(const scan::FileVerdict& verdict) {
  Row row = RowOf(verdict.file);
  row.push_back(Value::BOOLEAN(verdict.kept));
  if (verdict.kept) {
    row.emplace_back(LogicalType::VARCHAR);
    row.emplace_back(LogicalType::VARCHAR);
  } else {
    row.emplace_back(verdict.by_partition ? "partition" : "statistics");
    row.emplace_back(std::string(verdict.condition));
  }
  return row;
}

// Plans the query as if it were to run, and asks its scan.
std::vector<Row> JudgedRows(
    duckdb::ClientContext& context,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const std::string& condition) {
  const auto plan = PlanCondition(context, *snapshot, condition);
  std::vector<Row> rows;
  if (const duckdb::LogicalGet* scan = FindScan(*plan)) {
    scan::VisitFiles(*scan->bind_data, [&](const scan::FileVerdict& verdict) {
      rows.push_back(Judged(verdict));
    });
    return rows;
  }
  // The planner saw that no row can match, whatever the files hold.
  const scan::BoundScan all = scan::BindScan(
      context, snapshot,
      {.allow_external_paths = BoolSetting(context, kAllowExternalPaths),
       .entry = nullptr,
       .reads = nullptr});
  scan::VisitFiles(*all.bind_data, [&](const scan::FileVerdict& verdict) {
    rows.push_back(Judged({.file = verdict.file,
                           .kept = false,
                           .by_partition = true,
                           .condition = condition}));
  });
  return rows;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> Init(
    duckdb::ClientContext& context, duckdb::TableFunctionInitInput& input) {
  const auto& query = input.bind_data->Cast<FilesQuery>();
  auto state = duckdb::make_uniq<FilesState>();
  state->snapshot = OpenTable(context, query.table, query.at);
  if (!query.where) {
    state->cursor = engine::Unwrap(state->snapshot->state().Files(
        {.stats = true, .tags = false, .row_tracking = false}, {}));
  } else {
    state->rows = JudgedRows(context, state->snapshot, *query.where);
  }
  return state;
}

// The next row, or nullopt at the end.
std::optional<Row> Next(FilesState& state) {
  if (!state.cursor) {
    if (state.next == state.rows.size()) return std::nullopt;
    return std::move(state.rows[state.next++]);
  }
  while (state.next == state.batch.size()) {
    state.next = 0;
    if (!engine::Unwrap(state.cursor->Next(state.batch))) return std::nullopt;
  }
  return RowOf(state.batch[state.next++]);
}

void Produce(duckdb::ClientContext&, duckdb::TableFunctionInput& input,
             duckdb::DataChunk& output) {
  auto& state = input.global_state->Cast<FilesState>();
  duckdb::idx_t count = 0;
  while (count < STANDARD_VECTOR_SIZE) {
    const std::optional<Row> row = Next(state);
    if (!row) break;
    for (std::size_t column = 0; column < row->size(); ++column) {
      output.SetValue(column, count, (*row)[column]);
    }
    ++count;
  }
  output.SetCardinality(count);
}

}  // namespace

duckdb::TableFunction FilesFunction() {
  duckdb::TableFunction function("bayou_files", {LogicalType::VARCHAR}, Produce,
                                 Bind, Init);
  AddTimeTravel(function);
  function.named_parameters[kWhere] = LogicalType::VARCHAR;
  return function;
}

}  // namespace bayou::sql
