// SPDX-License-Identifier: Apache-2.0
//
// bayou_optimize: what OPTIMIZE and REORG ... APPLY (PURGE) run.
#include <algorithm>
#include <duckdb/parser/parser.hpp>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "ops/commands/optimize.h"
#include "sql/commit_words.h"
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
using commands::OptimizeResult;
using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::Value;

constexpr const char* kWhere = "where";
constexpr const char* kDryRun = "dry_run";
constexpr const char* kZOrderBy = "zorder_by";
constexpr const char* kFull = "full";
constexpr const char* kPurge = "purge";
constexpr const char* kIfNeeded = "if_needed";
constexpr const char* kCommitEvery = "commit_every";

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

Value CountAndSize(std::int64_t files, std::int64_t bytes) {
  return Value::STRUCT(
      {{"num", Value::BIGINT(files)}, {"size", Value::BIGINT(bytes)}});
}

Value ZOrderValue(const OptimizeMetrics& metrics) {
  const FileSizes& removed = metrics.removed;
  Value stats = Value::STRUCT(
      {{"strategyName", Value("all")},
       {"inputCubeFiles", CountAndSize(0, 0)},
       {"inputOtherFiles", CountAndSize(removed.files, removed.bytes)},
       {"inputNumCubes", Value::BIGINT(0)},
       {"mergedFiles", CountAndSize(removed.files, removed.bytes)},
       {"numOutputCubes", Value::BIGINT(metrics.partitions)},
       {"mergedNumCubes", Value(LogicalType::BIGINT)}});
  return metrics.is_zordered ? stats : Value(stats.type());
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
       {"zOrderStats", ZOrderValue(metrics)},
       {"numBins", number(metrics.bins)},
       {"numBatches", number(std::max<std::int64_t>(1, metrics.commits))},
       {"totalConsideredFiles", number(metrics.considered_files)},
       {"totalFilesSkipped",
        number(metrics.considered_files - metrics.removed.files)},
       {"preserveInsertionOrder", Value::BOOLEAN(!metrics.is_zordered)},
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

// What the statement asks for.
struct Optimizing {
  std::string table;
  std::string where;
  commands::ClusteringPaths zorder_by;
  bool is_full = false;
  bool purges = false;
  std::optional<std::int64_t> if_needed;     // Files.
  std::optional<std::int64_t> commit_every;  // Bytes.
};

[[noreturn]] void Refuse(const char* condition, const std::string& message) {
  engine::Throw({ErrorCode::kInvalidArgument, condition, message});
}

std::optional<commands::Clustering> ClusteringFor(
    const table::Snapshot& snapshot, const Optimizing& optimizing) {
  auto own = engine::Unwrap(commands::ClusteringOf(snapshot));
  if (own && !optimizing.where.empty()) {
    Refuse("DELTA_CLUSTERING_WITH_PARTITION_PREDICATE",
           "table " + snapshot.location() +
               " is clustered, and has no partitions for OPTIMIZE ... WHERE");
  }
  if (own && !optimizing.zorder_by.empty()) {
    Refuse("DELTA_CLUSTERING_WITH_ZORDER_BY",
           "table " + snapshot.location() +
               " is clustered; OPTIMIZE orders it by its own columns, and by "
               "no others");
  }
  if (optimizing.is_full && !own) {
    Refuse("DELTA_OPTIMIZE_FULL_NOT_SUPPORTED",
           "OPTIMIZE ... FULL is for tables with CLUSTER BY, which " +
               snapshot.location() + " does not have");
  }
  if (own) {
    own->is_full = optimizing.is_full;
    return own;
  }
  if (optimizing.zorder_by.empty()) return std::nullopt;
  commands::Clustering clustering;
  clustering.columns = optimizing.zorder_by;
  return clustering;
}

OptimizeRequest RequestFor(ClientContext& context,
                           const table::Snapshot& snapshot,
                           const Optimizing& optimizing) {
  const std::string& where = optimizing.where;
  OptimizeRequest request;
  request.scan.allow_external_paths = BoolSetting(context, kAllowExternalPaths);
  request.packing = commands::BinPackingOf(snapshot);
  if (const auto size = IntegerSetting(context, kOptimizeMaxFileSize))
    request.packing.max_bin_size = request.packing.min_file_size = *size;
  if (const auto size = IntegerSetting(context, kOptimizeMinFileSize))
    request.packing.min_file_size = *size;
  request.min_files = optimizing.if_needed.value_or(0);
  const auto batch = optimizing.commit_every
                         ? optimizing.commit_every
                         : IntegerSetting(context, kOptimizeBatchSize);
  request.commit_every = batch.value_or(request.commit_every);
  if (optimizing.purges) {
    commands::Purge(request);
  } else {
    request.clustering = ClusteringFor(snapshot, optimizing);
  }
  if (!where.empty()) {
    request.partitions = FilesOfPartitions(context, snapshot, where);
    request.predicates = {
        duckdb::Parser::ParseExpressionList(where).front()->ToString()};
  }
  return request;
}

// Once some of it is committed, a conflict is no reason to run the statement
// again, whose result would be of the last run alone: this goes on with what is
// left.
OptimizeResult RunToTheEnd(ClientContext& context, const Optimizing& optimizing,
                           std::shared_ptr<const table::Snapshot> snapshot,
                           OptimizeProgress& progress) {
  constexpr int kMaxAttempts = 50;
  OptimizeResult result;
  for (int attempt = 1;; ++attempt) {
    auto request = RequestFor(context, *snapshot, optimizing);
    request.user_metadata = WordsForCommit(context);
    const Status done = commands::Optimize(context, snapshot, request, progress,
                                           Env::System(), result);
    if (done) return result;
    const bool may_go_on = done.error().code == ErrorCode::kConflict &&
                           result.version && attempt < kMaxAttempts;
    if (!may_go_on) engine::Throw(done.error());
    snapshot = engine::Unwrap(
        table::Snapshot::Open(snapshot->shared_store(), *context.db));
  }
}

std::vector<Row> Run(ClientContext& context, const Optimizing& optimizing,
                     OptimizeProgress& progress) {
  const auto snapshot = BeginStandalone(
      context, optimizing.table, optimizing.purges ? "REORG" : "OPTIMIZE");
  const auto result = RunToTheEnd(context, optimizing, snapshot, progress);
  if (result.version) NoteCommitted(context);
  return {{Value(snapshot->location()), MetricsValue(result.metrics)}};
}

// The files that would be written anew, and which of them together.
std::vector<Row> Plan(ClientContext& context, const Optimizing& optimizing) {
  const auto snapshot = OpenTable(context, optimizing.table);
  const auto plan = engine::Unwrap(commands::PlanOptimize(
      *snapshot, RequestFor(context, *snapshot, optimizing)));
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

commands::ClusteringPaths PathsIn(const Value& list) {
  commands::ClusteringPaths paths;
  for (const Value& path : duckdb::ListValue::GetChildren(list)) {
    auto& names = paths.emplace_back();
    for (const Value& name : duckdb::ListValue::GetChildren(path))
      names.push_back(name.ToString());
    if (names.empty())
      Refuse("PARSE_SYNTAX_ERROR", "OPTIMIZE ... ZORDER BY wants columns");
  }
  return paths;
}

std::optional<std::int64_t> PositiveArgument(
    const duckdb::TableFunctionBindInput& input, const char* name) {
  const Value* value = NamedArgument(input, name);
  if (value == nullptr) return std::nullopt;
  const auto number = value->GetValue<std::int64_t>();
  if (number < 1) {
    Refuse("DELTA_ILLEGAL_OPTIMIZE_OPTION",
           std::string(name) + " is a whole number above 0, not " +
               value->ToString());
  }
  return number;
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  Optimizing optimizing;
  optimizing.table = TableArgument(input);
  if (const Value* where = NamedArgument(input, kWhere))
    optimizing.where = where->ToString();
  if (const Value* columns = NamedArgument(input, kZOrderBy))
    optimizing.zorder_by = PathsIn(*columns);
  optimizing.is_full = FlagArgument(input, kFull);
  optimizing.purges = FlagArgument(input, kPurge);
  optimizing.if_needed = PositiveArgument(input, kIfNeeded);
  optimizing.commit_every = PositiveArgument(input, kCommitEvery);
  if (optimizing.purges &&
      (optimizing.is_full || !optimizing.zorder_by.empty()))
    Refuse("PARSE_SYNTAX_ERROR",
           "a purge orders no rows: no ZORDER BY, no FULL");
  if (FlagArgument(input, kDryRun)) {
    return BindRows(
        {{"bin", LogicalType::BIGINT},
         {"path", LogicalType::VARCHAR},
         {"partitionValues",
          LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR)},
         {"size", LogicalType::BIGINT},
         {"deletedRows", LogicalType::BIGINT}},
        types, names, [optimizing](ClientContext& context) {
          return Plan(context, optimizing);
        });
  }
  auto progress = std::make_shared<OptimizeProgress>();
  auto query = BindRows(
      {{"path", LogicalType::VARCHAR}, {"metrics", MetricsValue({}).type()}},
      types, names, [optimizing, progress](ClientContext& context) {
        return Run(context, optimizing, *progress);
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
  function.named_parameters[kFull] = LogicalType::BOOLEAN;
  function.named_parameters[kPurge] = LogicalType::BOOLEAN;
  function.named_parameters[kIfNeeded] = LogicalType::BIGINT;
  function.named_parameters[kCommitEvery] = LogicalType::BIGINT;
  function.named_parameters[kZOrderBy] =
      LogicalType::LIST(LogicalType::LIST(LogicalType::VARCHAR));
  return function;
}

}  // namespace bayou::sql
