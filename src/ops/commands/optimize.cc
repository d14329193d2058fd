// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/optimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/sum.h"
#include "kernel/engine/for_each.h"
#include "kernel/protocol/table_properties.h"
#include "kernel/transaction/transaction.h"
#include "ops/commands/file_rewriter.h"
#include "ops/commands/rewrite_message.h"
#include "ops/commands/whole_commit.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using transaction::Transaction;
using write::WrittenFiles;

// Tasks that are run elsewhere at a time: threads that wait.
constexpr std::size_t kMostElsewhere = 32;

std::int64_t PartitionsOf(const std::vector<RewriteTask>& tasks) {
  std::set<protocol::PartitionValues> partitions;
  for (const RewriteTask& task : tasks) partitions.insert(task.partition);
  return static_cast<std::int64_t>(partitions.size());
}

std::int64_t ColumnsWithStatistics(const table::Snapshot& snapshot) {
  const auto columns =
      static_cast<std::int64_t>(snapshot.schema().fields.size());
  const std::int64_t indexed = snapshot.properties().num_indexed_columns();
  return indexed < 0 ? columns : std::min(indexed, columns);
}

void CountRemoved(const AddFile& file, OptimizeMetrics& metrics) {
  metrics.removed.Add(file.size);
  if (!file.deletion_vector) return;
  ++metrics.vectors_removed;
  metrics.deleted_rows_removed += file.deletion_vector->cardinality;
}

// The metrics of the history.
std::vector<std::pair<std::string, std::int64_t>> CommitMetrics(
    const OptimizeMetrics& metrics, std::vector<std::int64_t> sizes) {
  std::ranges::sort(sizes);
  const auto quantile = [&](std::size_t quarter) -> std::int64_t {
    if (sizes.empty()) return 0;
    return sizes[std::min(sizes.size() - 1, sizes.size() * quarter / 4)];
  };
  return {{"numRemovedFiles", metrics.removed.files},
          {"numRemovedBytes", metrics.removed.bytes},
          {"p25FileSize", quantile(1)},
          {"numDeletionVectorsRemoved", metrics.vectors_removed},
          {"minFileSize", quantile(0)},
          {"p75FileSize", quantile(3)},
          {"p50FileSize", quantile(2)},
          {"numAddedBytes", metrics.added.bytes},
          {"numAddedFiles", metrics.added.files},
          {"maxFileSize", quantile(4)}};
}

transaction::Operation OperationOf(const OptimizeRequest& request,
                                   const std::vector<std::string>& predicates,
                                   bool tracks_rows) {
  transaction::Operation operation;
  operation.user_metadata = request.user_metadata;
  if (tracks_rows) operation.tags["delta.rowTracking.preserved"] = "true";
  if (request.purges) {
    operation.name = "REORG";
    operation.parameters = {
        {"predicate", transaction::ListParameter(predicates)},
        {"applyPurge", "true"}};
    return operation;
  }
  operation.name = "OPTIMIZE";
  const auto& clustering = request.clustering;
  const bool own = clustering && clustering->is_tables_own;
  const auto names =
      clustering ? clustering->names() : std::vector<std::string>();
  operation.parameters = {
      {"predicate", transaction::ListParameter(predicates)},
      {"auto", request.auto_compaction ? "true" : "false"},
      {"clusterBy",
       transaction::ListParameter(own ? names : std::vector<std::string>())},
      {"zOrderBy",
       transaction::ListParameter(own ? std::vector<std::string>() : names)}};
  if (own) {
    operation.parameters.emplace_back("isFull",
                                      clustering->is_full ? "true" : "false");
  }
  return operation;
}

// The files of a bin fit into one, unless they grow beyond all measure.
std::int64_t TargetFileSize(const OptimizeRequest& request) {
  const std::int64_t size = request.auto_compaction
                                ? request.auto_compaction->max_file_size
                                : request.packing.max_bin_size;
  if (request.clustering) return size;
  return size > INT64_MAX / 2 ? INT64_MAX : 2 * size;
}

// Puts the new files into the place of the old ones.
std::vector<std::int64_t> Stage(std::span<const RewriteTask> tasks,
                                std::vector<WrittenFiles> receipts,
                                Transaction& transaction,
                                OptimizeMetrics& metrics) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (const AddFile& file : tasks[i].files) {
      CountRemoved(file, metrics);
      AddFile old = file;
      old.stats.reset();  // Of some they were at hand, and nobody needs them.
      transaction.RemoveFile(old, /*data_change=*/false);
    }
    for (const AddFile& file : receipts[i].files) {
      metrics.added.Add(file.size);
      sizes.push_back(file.size);
    }
    transaction.AddFiles(std::move(receipts[i].files));
  }
  return sizes;
}

// As many of the first tasks as belong into one commit: at least one.
std::span<const RewriteTask> FirstBatch(std::span<const RewriteTask> tasks,
                                        std::int64_t commit_every) {
  std::size_t count = 0;
  std::int64_t bytes = 0;
  while (count < tasks.size()) {
    bytes = Sum(bytes, tasks[count].bytes());
    if (count > 0 && bytes > commit_every) break;
    ++count;
  }
  return tasks.first(count);
}

void AddTo(OptimizeMetrics& all, const OptimizeMetrics& commit) {
  ++all.commits;
  all.bins += commit.bins;
  all.added.Add(commit.added);
  all.removed.Add(commit.removed);
  all.vectors_removed += commit.vectors_removed;
  all.deleted_rows_removed += commit.deleted_rows_removed;
}

// Writes the files of tasks anew and commits that.
class Optimization {
 public:
  Optimization(duckdb::ClientContext& context,
               const std::shared_ptr<const table::Snapshot>& snapshot,
               const OptimizeRequest& request, OptimizeProgress& progress,
               Env& env)
      : context_(context),
        snapshot_(snapshot),
        base_(snapshot),
        request_(request),
        progress_(progress),
        env_(env) {}

  // In `result` is what became of them, also of those before a failure.
  Status Run(std::span<const RewriteTask> tasks, OptimizeResult& result) {
    rules_ = {TargetFileSize(request_), request_.clustering};
    BAYOU_ASSIGN(const FileRewriter rewriter,
                 FileRewriter::Prepare(context_, snapshot_, request_.scan,
                                       rules_, env_));
    while (!tasks.empty()) {
      const auto batch = FirstBatch(tasks, request_.commit_every);
      auto version = RunBatch(rewriter, batch, result.metrics);
      if (!version && result.version) {
        version.error().message += fmt::format(
            "; what OPTIMIZE committed before, up to version {}, stays",
            *result.version);
      }
      BAYOU_ASSIGN(result.version, std::move(version));
      tasks = tasks.subspan(batch.size());
    }
    return {};
  }

 private:
  Result<protocol::Version> RunBatch(const FileRewriter& rewriter,
                                     std::span<const RewriteTask> tasks,
                                     OptimizeMetrics& metrics) {
    BAYOU_ASSIGN(Transaction transaction, Transaction::On(base_, env_));
    BAYOU_ASSIGN(auto receipts,
                 request_.elsewhere
                     ? RunElsewhere(tasks)
                     : rewriter.Run(tasks, progress_.bytes_done));
    OptimizeMetrics own;
    own.bins = static_cast<std::int64_t>(tasks.size());
    auto sizes = Stage(tasks, std::move(receipts), transaction, own);
    transaction::Operation operation = OperationOf(
        request_,
        request_.auto_compaction ? PartitionPredicates(*snapshot_, tasks)
                                 : request_.predicates,
        rewriter.tracks_rows());
    operation.metrics = CommitMetrics(own, std::move(sizes));
    BAYOU_ASSIGN(const auto version,
                 CommitWhole(transaction, operation, *context_.db, env_));
    AddTo(metrics, own);
    Follow(version);
    return version;
  }

  Result<std::vector<WrittenFiles>> RunElsewhere(
      std::span<const RewriteTask> tasks) {
    std::vector<WrittenFiles> receipts(tasks.size());
    const Status done = engine::ForEach(
        tasks.size(), kMostElsewhere, [&](std::size_t i) -> Status {
          BAYOU_ASSIGN(const std::string receipt,
                       request_.elsewhere(
                           ToText(MessageOf(*snapshot_, rules_, tasks[i]))));
          BAYOU_ASSIGN(receipts[i], ParseRewriteReceipt(receipt));
          progress_.bytes_done += tasks[i].bytes();
          return {};
        });
    if (done) return receipts;
    for (const WrittenFiles& receipt : receipts)
      write::DeleteFiles(snapshot_->store(), receipt.files);
    return tl::unexpected<Error>(done.error());
  }

  // The next commit is built on this one if nobody came between; otherwise it
  // has to pass what they did, which it tells from the older version.
  void Follow(protocol::Version version) {
    if (version != base_->version() + 1) return;
    table::TimeTravel at;
    at.version = version;
    auto latest =
        table::Snapshot::Open(snapshot_->shared_store(), *context_.db, at);
    if (latest) base_ = *std::move(latest);
  }

  duckdb::ClientContext& context_;
  const std::shared_ptr<const table::Snapshot>& snapshot_;
  std::shared_ptr<const table::Snapshot> base_;
  const OptimizeRequest& request_;
  RewriteRules rules_;
  OptimizeProgress& progress_;
  Env& env_;
};

}  // namespace

double FileSizes::average() const {
  return files == 0 ? 0
                    : static_cast<double>(bytes) / static_cast<double>(files);
}

void FileSizes::Add(std::int64_t size) { Add({size, size, 1, size}); }

void FileSizes::Add(const FileSizes& more) {
  if (more.files == 0) return;
  min = std::min(min.value_or(*more.min), *more.min);
  max = std::max(max.value_or(*more.max), *more.max);
  files += more.files;
  bytes = Sum(bytes, more.bytes);
}

void Purge(OptimizeRequest& request) {
  request.purges = true;
  request.packing.min_file_size = 0;
  request.packing.max_deleted_ratio = -1;
  request.clustering.reset();
}

Result<OptimizePlan> PlanOptimize(const table::Snapshot& snapshot,
                                  const OptimizeRequest& request) {
  if (request.auto_compaction)
    return PlanAutoCompaction(snapshot, *request.auto_compaction);
  OptimizePlan plan;
  if (request.clustering) {
    BAYOU_TRY(ResolveClustering(snapshot, *request.clustering));
    BAYOU_ASSIGN(plan, PlanClustering(snapshot, request.partitions,
                                      *request.clustering, request.packing));
  } else {
    BAYOU_ASSIGN(plan,
                 PlanOptimize(snapshot, request.partitions, request.packing));
  }
  if (!plan.purges && plan.misplaced_files < request.min_files)
    plan.tasks.clear();
  return plan;
}

Status Optimize(duckdb::ClientContext& context,
                const std::shared_ptr<const table::Snapshot>& snapshot,
                const OptimizeRequest& request, OptimizeProgress& progress,
                Env& env, OptimizeResult& result) {
  OptimizeMetrics& metrics = result.metrics;
  if (metrics.start_ms == 0) metrics.start_ms = env.NowMs();
  metrics.table_columns =
      static_cast<std::int64_t>(snapshot->schema().fields.size());
  metrics.columns_with_statistics = ColumnsWithStatistics(*snapshot);
  BAYOU_TRY(Transaction::On(snapshot, env));  // May it be written at all?
  BAYOU_ASSIGN(const OptimizePlan plan, PlanOptimize(*snapshot, request));
  // A later run finds what the earlier left.
  metrics.considered_files =
      std::max(metrics.considered_files, plan.considered_files);
  metrics.partitions = std::max(metrics.partitions, PartitionsOf(plan.tasks));
  metrics.is_zordered =
      request.clustering && !request.clustering->is_tables_own;
  for (const RewriteTask& task : plan.tasks)
    progress.bytes_planned += task.bytes();
  if (!plan.tasks.empty()) {
    Optimization optimization(context, snapshot, request, progress, env);
    BAYOU_TRY(optimization.Run(plan.tasks, result));
  }
  metrics.end_ms = env.NowMs();
  return {};
}

Result<OptimizeResult> Optimize(
    duckdb::ClientContext& context,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const OptimizeRequest& request, OptimizeProgress& progress, Env& env) {
  OptimizeResult result;
  BAYOU_TRY(Optimize(context, snapshot, request, progress, env, result));
  return result;
}

}  // namespace bayou::commands
