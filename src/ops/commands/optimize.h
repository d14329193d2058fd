// SPDX-License-Identifier: Apache-2.0
//
// OPTIMIZE: makes few large files of many small ones, and of those that have
// many deleted rows; or puts rows with near values together (ZORDER BY, CLUSTER
// BY). The table holds the same rows before and after, and its
// change feed and streams see nothing of it: no action of the commit has
// dataChange. Appends never conflict with it; what removes one of the files
// meanwhile does.
#pragma once

#include <atomic>
#include <cstdint>
#include <duckdb.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/log/log_replay.h"
#include "kernel/protocol/actions.h"
#include "kernel/scan/table_scan.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/auto_compaction.h"
#include "ops/commands/clustering_plan.h"
#include "ops/commands/optimize_plan.h"

namespace bayou::commands {

// Runs a task somewhere: text to text (see rewrite_message.h). Called from
// several threads at once.
using RunTask = std::function<Result<std::string>(std::string task)>;

struct OptimizeRequest {
  // Which partitions; null: all. `predicates` say the same for the history.
  std::shared_ptr<const log::FilePredicate> partitions;
  std::vector<std::string> predicates;
  BinPacking packing;
  // REORG ... APPLY (PURGE): only files with deletion vectors, and all of them.
  bool purges = false;
  // The order of the rows; nullopt: as it is.
  std::optional<Clustering> clustering;
  // What follows a write by itself; then nothing of the above counts.
  std::optional<AutoCompaction> auto_compaction;
  // Where it is for the sake of fewer files than that nothing is done, unless
  // some have many deleted rows.
  std::int64_t min_files = 0;
  // A commit for each so many bytes of old files, or what one task has more:
  // what is committed stays, whatever becomes of the rest.
  std::int64_t commit_every = INT64_MAX;
  scan::ScanOptions scan;
  std::optional<std::string> user_metadata = {};
  RunTask elsewhere = nullptr;  // Null: tasks are run here.
};

struct FileSizes {
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
  std::int64_t files = 0;
  std::int64_t bytes = 0;

  double average() const;
  void Add(std::int64_t size);
  void Add(const FileSizes& more);
};

struct OptimizeMetrics {
  FileSizes added;
  FileSizes removed;
  bool is_zordered = false;
  std::int64_t partitions = 0;
  std::int64_t bins = 0;
  std::int64_t commits = 0;
  std::int64_t considered_files = 0;
  std::int64_t vectors_removed = 0;
  std::int64_t deleted_rows_removed = 0;
  std::int64_t start_ms = 0;
  std::int64_t end_ms = 0;
  std::int64_t table_columns = 0;
  std::int64_t columns_with_statistics = 0;
};

struct OptimizeResult {
  // The last one that it made. Absent: there was nothing to do.
  std::optional<protocol::Version> version;
  OptimizeMetrics metrics;
};

// How far it has got; for other threads to look at.
struct OptimizeProgress {
  std::atomic<std::int64_t> bytes_planned = 0;
  std::atomic<std::int64_t> bytes_done = 0;
};

// Makes the request one for a purge.
void Purge(OptimizeRequest& request);

// What it would write anew. Errors: as Optimize.
Result<OptimizePlan> PlanOptimize(const table::Snapshot& snapshot,
                                  const OptimizeRequest& request);

// Runs in `context` and commits by itself. Errors: kConflict when another
// removed one of the files; kCancelled; see transaction.h, file_rewriter.h.
// What was committed before stands, and the message tells of it.
Result<OptimizeResult> Optimize(
    duckdb::ClientContext& context,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const OptimizeRequest& request, OptimizeProgress& progress, Env& env);

// The same, and adds to `result` what was committed, also before an error: so
// that after a conflict it can go on with the latest version.
Status Optimize(duckdb::ClientContext& context,
                const std::shared_ptr<const table::Snapshot>& snapshot,
                const OptimizeRequest& request, OptimizeProgress& progress,
                Env& env, OptimizeResult& result);

}  // namespace bayou::commands
