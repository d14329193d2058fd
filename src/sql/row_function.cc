// SPDX-License-Identifier: Apache-2.0
#include "sql/row_function.h"

#include "kernel/engine/engine.h"
#include "sql/time_travel.h"

namespace bayou::sql {
namespace {

constexpr const char* kVersion = "version";
constexpr const char* kTimestamp = "timestamp";
constexpr std::int64_t kMicrosPerMilli = 1000;

struct RowState : public duckdb::GlobalTableFunctionState {
  std::optional<std::vector<Row>> made;
  std::size_t next = 0;
};

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> Init(
    duckdb::ClientContext&, duckdb::TableFunctionInitInput&) {
  return duckdb::make_uniq<RowState>();
}

double Progress(duckdb::ClientContext&, const duckdb::FunctionData* bind_data,
                const duckdb::GlobalTableFunctionState*) {
  const auto& progress = bind_data->Cast<RowQuery>().progress;
  constexpr double kUnknown = -1;
  return progress ? progress() : kUnknown;
}

void Produce(duckdb::ClientContext& context, duckdb::TableFunctionInput& input,
             duckdb::DataChunk& output) {
  auto& state = input.global_state->Cast<RowState>();
  if (!state.made) state.made = input.bind_data->Cast<RowQuery>().rows(context);
  const std::vector<Row>& rows = *state.made;
  duckdb::idx_t count = 0;
  for (; count < STANDARD_VECTOR_SIZE && state.next < rows.size();
       ++count, ++state.next) {
    const Row& row = rows[state.next];
    for (std::size_t column = 0; column < row.size(); ++column) {
      output.SetValue(column, count, row[column]);
    }
  }
  output.SetCardinality(count);
}

}  // namespace

duckdb::TableFunction RowFunction(
    const char* name, const duckdb::vector<duckdb::LogicalType>& arguments,
    duckdb::table_function_bind_t bind) {
  duckdb::TableFunction function(name, arguments, Produce, bind, Init);
  function.table_scan_progress = Progress;
  return function;
}

duckdb::unique_ptr<duckdb::FunctionData> BindRows(
    const std::vector<Column>& columns,
    duckdb::vector<duckdb::LogicalType>& types,
    duckdb::vector<duckdb::string>& names,
    std::function<std::vector<Row>(duckdb::ClientContext&)> rows) {
  for (const Column& column : columns) {
    names.emplace_back(column.name);
    types.push_back(column.type);
  }
  auto query = duckdb::make_uniq<RowQuery>();
  query->rows = std::move(rows);
  return query;
}

void AddTimeTravel(duckdb::TableFunction& function) {
  function.named_parameters[kVersion] = duckdb::LogicalType::BIGINT;
  function.named_parameters[kTimestamp] = duckdb::LogicalType::ANY;
}

table::TimeTravel TimeTravelArgument(
    duckdb::ClientContext& context,
    const duckdb::TableFunctionBindInput& input) {
  const auto version = input.named_parameters.find(kVersion);
  const auto timestamp = input.named_parameters.find(kTimestamp);
  const bool has_version = version != input.named_parameters.end();
  const bool has_timestamp = timestamp != input.named_parameters.end();
  if (has_version && has_timestamp) {
    engine::Throw({ErrorCode::kInvalidArgument, "DELTA_TIME_TRAVEL_TWICE",
                   "give a version or a timestamp, not both"});
  }
  if (has_version) return engine::Unwrap(AtVersion(version->second));
  if (has_timestamp)
    return engine::Unwrap(AtTimestamp(context, timestamp->second));
  return {};
}

std::string TableArgument(const duckdb::TableFunctionBindInput& input) {
  const duckdb::Value& table = input.inputs.at(0);
  if (table.IsNull()) {
    engine::Throw({ErrorCode::kInvalidArgument, "DELTA_TABLE_NOT_FOUND",
                   "a table's path or name is wanted, not NULL"});
  }
  return table.ToString();
}

duckdb::Value OptionalText(const std::optional<std::string>& text) {
  return text ? duckdb::Value(*text)
              : duckdb::Value(duckdb::LogicalType::VARCHAR);
}

duckdb::Value TextList(const std::vector<std::string>& texts) {
  duckdb::vector<duckdb::Value> values;
  for (const std::string& text : texts) values.emplace_back(text);
  return duckdb::Value::LIST(duckdb::LogicalType::VARCHAR, std::move(values));
}

duckdb::Value TimestampValue(std::int64_t milliseconds) {
  std::int64_t micros = 0;
  // What is no time may stand in a log.
  if (__builtin_mul_overflow(milliseconds, kMicrosPerMilli, &micros)) {
    return duckdb::Value(duckdb::LogicalType::TIMESTAMP_TZ);
  }
  return duckdb::Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(micros));
}

}  // namespace bayou::sql
