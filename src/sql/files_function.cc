// SPDX-License-Identifier: Apache-2.0
//
// bayou_files: the live files of a version. Streamed, unless the question is
// which of them a condition leaves to be read.
#include <duckdb/optimizer/optimizer.hpp>
#include <duckdb/parser/expression/star_expression.hpp>
#include <duckdb/parser/parser.hpp>
#include <duckdb/parser/query_node/select_node.hpp>
#include <duckdb/parser/statement/select_statement.hpp>
#include <duckdb/parser/tableref/at_clause.hpp>
#include <duckdb/parser/tableref/basetableref.hpp>
#include <duckdb/planner/operator/logical_get.hpp>
#include <duckdb/planner/planner.hpp>

#include "kernel/engine/engine.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/scan/table_scan.h"
#include "sql/row_function.h"
#include "sql/settings.h"
#include "sql/table_functions.h"
#include "sql/table_lookup.h"
#include "sql/token.h"

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

// SELECT * FROM the table WHERE condition
duckdb::unique_ptr<duckdb::SelectStatement> QueryOf(
    const table::Snapshot& snapshot, const std::string& condition) {
  duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> conditions;
  if (!Tokenize(condition).tokens.empty())
    conditions = duckdb::Parser::ParseExpressionList(condition);
  if (conditions.size() != 1) {
    throw duckdb::ParserException("one condition is wanted, not: %s",
                                  condition);
  }
  const TableName name = TableName::OfPath(snapshot.location());
  auto table = duckdb::make_uniq<duckdb::BaseTableRef>();
  table->catalog_name = name.parts[0];
  table->schema_name = name.parts[1];
  table->table_name = name.parts[2];
  table->at_clause = duckdb::make_uniq<duckdb::AtClause>(
      "VERSION", duckdb::make_uniq<duckdb::ConstantExpression>(
                     Value::BIGINT(snapshot.version())));
  auto node = duckdb::make_uniq<duckdb::SelectNode>();
  node->select_list.push_back(duckdb::make_uniq<duckdb::StarExpression>());
  node->from_table = std::move(table);
  node->where_clause = std::move(conditions.front());
  auto statement = duckdb::make_uniq<duckdb::SelectStatement>();
  statement->node = std::move(node);
  return statement;
}

const duckdb::LogicalGet* FindScan(const duckdb::LogicalOperator& plan) {
  if (plan.type == duckdb::LogicalOperatorType::LOGICAL_GET) {
    return &plan.Cast<duckdb::LogicalGet>();
  }
  for (const auto& child : plan.children) {
    if (const auto* found = FindScan(*child)) return found;
  }
  return nullptr;
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
  duckdb::Planner planner(context);
  planner.CreatePlan(QueryOf(*snapshot, condition));
  duckdb::Optimizer optimizer(*planner.binder, context);
  const auto plan = optimizer.Optimize(std::move(planner.plan));
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
       .entry = nullptr});
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
