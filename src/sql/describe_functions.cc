// SPDX-License-Identifier: Apache-2.0
//
// bayou_history, bayou_detail, bayou_schema and bayou_log.
#include <algorithm>
#include <array>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "ops/commands/describe_detail.h"
#include "ops/commands/describe_history.h"
#include "ops/commands/describe_log.h"
#include "sql/row_function.h"
#include "sql/table_functions.h"
#include "sql/table_lookup.h"

namespace bayou::sql {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

const LogicalType& TextMapType() {
  static const LogicalType type =
      LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR);
  return type;
}
const LogicalType& TextListType() {
  static const LogicalType type = LogicalType::LIST(LogicalType::VARCHAR);
  return type;
}

constexpr std::array kJobFields = {"jobId", "jobName",    "jobRunId",
                                   "runId", "jobOwnerId", "triggerType"};
constexpr std::array kNotebookFields = {"notebookId"};

template <std::size_t N>
LogicalType TextStructType(const std::array<const char*, N>& fields) {
  duckdb::child_list_t<LogicalType> children;
  for (const char* field : fields)
    children.emplace_back(field, LogicalType::VARCHAR);
  return LogicalType::STRUCT(std::move(children));
}

template <std::size_t N>
Value TextStruct(const std::optional<commands::TextMap>& map,
                 const std::array<const char*, N>& fields) {
  if (!map) return Value(TextStructType(fields));
  duckdb::child_list_t<Value> children;
  for (const char* field : fields) {
    const auto found = map->find(field);
    children.emplace_back(
        field,
        OptionalText(found == map->end() ? std::nullopt : found->second));
  }
  return Value::STRUCT(std::move(children));
}

Value OptionalMap(const std::optional<commands::TextMap>& map) {
  return map ? TextMapValue(*map) : Value(TextMapType());
}

Row HistoryRowValues(const commands::HistoryRow& row) {
  return {
      Value::BIGINT(row.version),
      TimestampValue(row.timestamp_ms),
      OptionalText(row.user_id),
      OptionalText(row.user_name),
      OptionalText(row.operation),
      OptionalMap(row.operation_parameters),
      TextStruct(row.job, kJobFields),
      TextStruct(row.notebook, kNotebookFields),
      OptionalText(row.cluster_id),
      row.read_version ? Value::BIGINT(*row.read_version)
                       : Value(LogicalType::BIGINT),
      OptionalText(row.isolation_level),
      row.is_blind_append ? Value::BOOLEAN(*row.is_blind_append)
                          : Value(LogicalType::BOOLEAN),
      OptionalMap(row.operation_metrics),
      OptionalText(row.user_metadata),
      OptionalText(row.engine_info),
  };
}

duckdb::unique_ptr<duckdb::FunctionData> BindHistory(
    duckdb::ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  std::int64_t limit = commands::kDefaultHistoryLimit;
  if (input.inputs.size() > 1 && !input.inputs[1].IsNull()) {
    limit = input.inputs[1].GetValue<std::int64_t>();
  }
  const std::vector<Column> columns = {
      {"version", LogicalType::BIGINT},
      {"timestamp", LogicalType::TIMESTAMP_TZ},
      {"userId", LogicalType::VARCHAR},
      {"userName", LogicalType::VARCHAR},
      {"operation", LogicalType::VARCHAR},
      {"operationParameters", TextMapType()},
      {"job", TextStructType(kJobFields)},
      {"notebook", TextStructType(kNotebookFields)},
      {"clusterId", LogicalType::VARCHAR},
      {"readVersion", LogicalType::BIGINT},
      {"isolationLevel", LogicalType::VARCHAR},
      {"isBlindAppend", LogicalType::BOOLEAN},
      {"operationMetrics", TextMapType()},
      {"userMetadata", LogicalType::VARCHAR},
      {"engineInfo", LogicalType::VARCHAR}};
  return BindRows(
      columns, types, names,
      [table = TableArgument(input), limit](duckdb::ClientContext& running) {
        const auto snapshot = OpenTable(running, table);
        std::vector<Row> rows;
        for (const auto& row :
             engine::Unwrap(commands::DescribeHistory(*snapshot, limit))) {
          rows.push_back(HistoryRowValues(row));
        }
        return rows;
      });
}

Row DetailRow(const commands::TableDetail& detail) {
  return {
      Value(detail.format),
      Value(detail.id),
      OptionalText(detail.name),
      OptionalText(detail.description),
      Value(detail.location),
      detail.created_ms ? TimestampValue(*detail.created_ms)
                        : Value(LogicalType::TIMESTAMP_TZ),
      TimestampValue(detail.last_modified_ms),
      TextList(detail.partition_columns),
      TextList(detail.clustering_columns),
      Value::BIGINT(detail.num_files),
      Value::BIGINT(detail.size_in_bytes),
      TextMapValue(detail.properties),
      Value::INTEGER(detail.min_reader_version),
      Value::INTEGER(detail.min_writer_version),
      TextList(detail.table_features),
  };
}

duckdb::unique_ptr<duckdb::FunctionData> BindDetail(
    duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  const std::vector<Column> columns = {
      {"format", LogicalType::VARCHAR},
      {"id", LogicalType::VARCHAR},
      {"name", LogicalType::VARCHAR},
      {"description", LogicalType::VARCHAR},
      {"location", LogicalType::VARCHAR},
      {"createdAt", LogicalType::TIMESTAMP_TZ},
      {"lastModified", LogicalType::TIMESTAMP_TZ},
      {"partitionColumns", TextListType()},
      {"clusteringColumns", TextListType()},
      {"numFiles", LogicalType::BIGINT},
      {"sizeInBytes", LogicalType::BIGINT},
      {"properties", TextMapType()},
      {"minReaderVersion", LogicalType::INTEGER},
      {"minWriterVersion", LogicalType::INTEGER},
      {"tableFeatures", TextListType()}};
  return BindRows(
      columns, types, names,
      [table = TableArgument(input), at = TimeTravelArgument(context, input)](
          duckdb::ClientContext& running) {
        const auto snapshot = OpenTable(running, table, at);
        return std::vector<Row>{
            DetailRow(engine::Unwrap(commands::DescribeDetail(*snapshot)))};
      });
}

std::vector<Row> SchemaRows(const table::Snapshot& snapshot) {
  std::vector<Row> rows;
  const auto& partitions = snapshot.metadata().partition_columns;
  for (const protocol::Field& field : snapshot.schema().fields) {
    const auto partition = std::ranges::find(partitions, field.name);
    rows.push_back(
        {Value(field.name), Value(engine::ToLogicalType(field.type).ToString()),
         Value(protocol::TypeName(field.type)), Value::BOOLEAN(field.nullable),
         partition == partitions.end()
             ? Value(LogicalType::INTEGER)
             : Value::INTEGER(static_cast<int>(partition - partitions.begin())),
         OptionalText(field.MetadataText("comment")),
         TextMapValue(field.metadata)});
  }
  return rows;
}

duckdb::unique_ptr<duckdb::FunctionData> BindSchema(
    duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  const std::vector<Column> columns = {{"name", LogicalType::VARCHAR},
                                       {"type", LogicalType::VARCHAR},
                                       {"deltaType", LogicalType::VARCHAR},
                                       {"nullable", LogicalType::BOOLEAN},
                                       {"partitionIndex", LogicalType::INTEGER},
                                       {"comment", LogicalType::VARCHAR},
                                       {"metadata", TextMapType()}};
  return BindRows(
      columns, types, names,
      [table = TableArgument(input), at = TimeTravelArgument(context, input)](
          duckdb::ClientContext& running) {
        return SchemaRows(*OpenTable(running, table, at));
      });
}

std::vector<Row> LogRows(const table::Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const auto& [file, in_segment] :
       engine::Unwrap(commands::DescribeLog(snapshot))) {
    const bool has_version = file.kind != log::LogFileKind::kOther;
    rows.push_back(
        {Value(file.name), Value(std::string(commands::KindName(file.kind))),
         has_version ? Value::BIGINT(file.version) : Value(LogicalType::BIGINT),
         Value::BIGINT(file.size), TimestampValue(file.modified_ms),
         Value::BOOLEAN(in_segment)});
  }
  return rows;
}

duckdb::unique_ptr<duckdb::FunctionData> BindLog(
    duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  const std::vector<Column> columns = {{"file", LogicalType::VARCHAR},
                                       {"kind", LogicalType::VARCHAR},
                                       {"version", LogicalType::BIGINT},
                                       {"size", LogicalType::BIGINT},
                                       {"modified", LogicalType::TIMESTAMP_TZ},
                                       {"inSegment", LogicalType::BOOLEAN}};
  return BindRows(
      columns, types, names,
      [table = TableArgument(input), at = TimeTravelArgument(context, input)](
          duckdb::ClientContext& running) {
        return LogRows(*OpenTable(running, table, at));
      });
}

duckdb::TableFunction WithTimeTravel(duckdb::TableFunction function) {
  AddTimeTravel(function);
  return function;
}

}  // namespace

duckdb::TableFunctionSet HistoryFunction() {
  duckdb::TableFunctionSet set("bayou_history");
  set.AddFunction(
      RowFunction("bayou_history", {LogicalType::VARCHAR}, BindHistory));
  set.AddFunction(RowFunction("bayou_history",
                              {LogicalType::VARCHAR, LogicalType::BIGINT},
                              BindHistory));
  return set;
}

duckdb::TableFunction DetailFunction() {
  return WithTimeTravel(
      RowFunction("bayou_detail", {LogicalType::VARCHAR}, BindDetail));
}

duckdb::TableFunction SchemaFunction() {
  return WithTimeTravel(
      RowFunction("bayou_schema", {LogicalType::VARCHAR}, BindSchema));
}

duckdb::TableFunction LogFunction() {
  return WithTimeTravel(
      RowFunction("bayou_log", {LogicalType::VARCHAR}, BindLog));
}

}  // namespace bayou::sql
