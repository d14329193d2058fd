// SPDX-License-Identifier: Apache-2.0
//
// bayou_optimize: what OPTIMIZE runs.
#include <duckdb/parser/parser.hpp>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "ops/commands/optimize.h"
#include "sql/condition_plan.h"
#include "sql/row_function.h"
#include "sql/settings.h"
#include "sql/standalone_command.h"
#include "sql/table_functions.h"
#include "sql/table_lookup.h"

namespace bayou::sql {
namespace {

using commands::FileSizes;
using commands::OptimizeMetrics;
using commands::OptimizeProgress;
using commands::OptimizeRequest;
using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::Value;

constexpr const char* kWhere = "where";
constexpr const char* kDryRun = "dry_run";

Value OptionalNumber(const std::optional<std::int64_t>& number) {
  return number ? Value::BIGINT(*number) : Value(LogicalType::BIGINT);
}

Value SizesValue(const FileSizes& sizes) {
  return Value::STRUCT({{"min", OptionalNumber(sizes.min)},
                        {"max", OptionalNumber(sizes.max)},
                        {"avg", Value::DOUBLE(sizes.average())},
                        {"totalFiles", Value::BIGINT(sizes.files)},
                        {"totalSize", Value::BIGINT(sizes.bytes)}});
}

Value VectorsValue(const OptimizeMetrics& metrics) {
  Value vectors = Value::STRUCT(
      {{"numDeletionVectorsRemoved", Value::BIGINT(metrics.vectors_removed)},
       {"numDeletionVectorRowsRemoved",
        Value::BIGINT(metrics.deleted_rows_removed)}});
  return metrics.vectors_removed > 0 ? vectors : Value(vectors.type());
}

// The struct of delta-spark. What is about clusters of machines is left at 0.
Value MetricsValue(const OptimizeMetrics& metrics) {
  const auto number = [](std::int64_t value) { return Value::BIGINT(value); };
  return Value::STRUCT(
      {{"numFilesAdded", number(metrics.added.files)},
       {"numFilesRemoved", number(metrics.removed.files)},
       {"filesAdded", SizesValue(metrics.added)},
       {"filesRemoved", SizesValue(metrics.removed)},
       {"partitionsOptimized", number(metrics.partitions)},
       {"numBins", number(metrics.bins)},
       {"numBatches", number(1)},
       {"totalConsideredFiles", number(metrics.considered_files)},
       {"totalFilesSkipped",
        number(metrics.considered_files - metrics.removed.files)},
       {"preserveInsertionOrder", Value::BOOLEAN(true)},
       {"numFilesSkippedToReduceWriteAmplification", number(0)},
       {"numBytesSkippedToReduceWriteAmplification", number(0)},
       {"startTimeMs", number(metrics.start_ms)},
       {"endTimeMs", number(metrics.end_ms)},
       {"totalClusterParallelism", number(0)},
       {"totalScheduledTasks", number(metrics.bins)},
       {"deletionVectorStats", VectorsValue(metrics)},
       {"numTableColumns", number(metrics.table_columns)},
       {"numTableColumnsWithStats", number(metrics.columns_with_statistics)}});
}

OptimizeRequest RequestFor(ClientContext& context,
                           const table::Snapshot& snapshot,
                           const std::string& where) {
  OptimizeRequest request;
  request.scan.allow_external_paths = BoolSetting(context, kAllowExternalPaths);
  request.packing = commands::BinPackingOf(snapshot);
  if (const auto size = IntegerSetting(context, kOptimizeMaxFileSize))
    request.packing.max_bin_size = request.packing.min_file_size = *size;
  if (const auto size = IntegerSetting(context, kOptimizeMinFileSize))
    request.packing.min_file_size = *size;
  if (!where.empty()) {
    request.partitions = FilesOfPartitions(context, snapshot, where);
    request.predicates = {
        duckdb::Parser::ParseExpressionList(where).front()->ToString()};
  }
  return request;
}

std::vector<Row> Run(ClientContext& context, const std::string& table,
                     const std::string& where, OptimizeProgress& progress) {
  const auto snapshot = BeginStandalone(context, table, "OPTIMIZE");
  const auto result = engine::Unwrap(commands::Optimize(
      context, snapshot, RequestFor(context, *snapshot, where), progress,
      Env::System()));
  return {{Value(snapshot->location()), MetricsValue(result.metrics)}};
}

// The files that would be written anew, and which of them together.
std::vector<Row> Plan(ClientContext& context, const std::string& table,
                      const std::string& where) {
  const auto snapshot = OpenTable(context, table);
  const OptimizeRequest request = RequestFor(context, *snapshot, where);
  const auto plan = engine::Unwrap(
      commands::PlanOptimize(*snapshot, request.partitions, request.packing));
  std::vector<Row> rows;
  for (std::size_t bin = 0; bin < plan.tasks.size(); ++bin) {
    for (const protocol::AddFile& file : plan.tasks[bin].files) {
      const auto& vector = file.deletion_vector;
      rows.push_back({Value::BIGINT(static_cast<std::int64_t>(bin)),
                      Value(file.path), TextMapValue(file.partition_values),
                      Value::BIGINT(file.size),
                      Value::BIGINT(vector ? vector->cardinality : 0)});
    }
  }
  return rows;
}

double PercentOf(const OptimizeProgress& progress) {
  const std::int64_t planned = progress.bytes_planned;
  if (planned <= 0) return 0;
  constexpr double kAll = 100;
  return kAll * static_cast<double>(progress.bytes_done) /
         static_cast<double>(planned);
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  const std::string table = TableArgument(input);
  std::string where;
  const auto given = input.named_parameters.find(kWhere);
  if (given != input.named_parameters.end() && !given->second.IsNull())
    where = given->second.ToString();
  if (FlagArgument(input, kDryRun)) {
    return BindRows(
        {{"bin", LogicalType::BIGINT},
         {"path", LogicalType::VARCHAR},
         {"partitionValues",
          LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR)},
         {"size", LogicalType::BIGINT},
         {"deletedRows", LogicalType::BIGINT}},
        types, names, [table, where](ClientContext& context) {
          return Plan(context, table, where);
        });
  }
  auto progress = std::make_shared<OptimizeProgress>();
  auto query = BindRows(
      {{"path", LogicalType::VARCHAR}, {"metrics", MetricsValue({}).type()}},
      types, names, [table, where, progress](ClientContext& context) {
        return Run(context, table, where, *progress);
      });
  query->Cast<RowQuery>().progress = [progress] {
    return PercentOf(*progress);
  };
  return query;
}

}  // namespace

duckdb::TableFunction OptimizeFunction() {
  auto function = RowFunction("bayou_optimize", {LogicalType::VARCHAR}, Bind);
  function.named_parameters[kWhere] = LogicalType::VARCHAR;
  function.named_parameters[kDryRun] = LogicalType::BOOLEAN;
  return function;
}

}  // namespace bayou::sql
