// SPDX-License-Identifier: Apache-2.0
//
// Which files of a table OPTIMIZE writes anew, and which of them together.
// Opens no data file.
//
// Files that are small, or that have many deleted rows, are taken by partition
// in the order of their size and put into bins: the files of a bin become one.
// A bin of one file would give the same file again, and is left alone unless
// its deleted rows are the reason for which it was taken.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_replay.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/rewrite_candidates.h"

namespace bayou::commands {

inline constexpr std::int64_t kOptimizedFileSize = std::int64_t{1} << 30;

struct BinPacking {
  std::int64_t max_bin_size = kOptimizedFileSize;
  std::int64_t min_file_size = kOptimizedFileSize;  // Smaller files are taken.
  // As are those with more deleted rows; -1: all that have a deletion vector.
  double max_deleted_ratio = 0.05;
};

// The sizes that a table asks for: delta.targetFileSize, or the default.
BinPacking BinPackingOf(const table::Snapshot& snapshot);

// Files of one partition, whose rows go to one new file.
struct RewriteTask {
  protocol::PartitionValues partition;   // As in the log; empty text is NULL.
  std::vector<protocol::AddFile> files;  // In the order in which they are read.

  std::int64_t bytes() const;
};

struct OptimizePlan {
  std::vector<RewriteTask> tasks;
  std::int64_t considered_files = 0;
  // Why: so many files go into larger ones, or into an order in which they are
  // not yet,
  std::int64_t misplaced_files = 0;
  bool purges = false;  // and some have many deleted rows.
};

// `partitions` decides by partition values which files are considered; null:
// all are. Errors: what reading the log gives.
Result<OptimizePlan> PlanOptimize(
    const table::Snapshot& snapshot,
    std::shared_ptr<const log::FilePredicate> partitions,
    const BinPacking& packing);

// The files that were taken, as tasks.
std::vector<RewriteTask> PackFiles(RewriteCandidates candidates,
                                   std::int64_t max_bin_size);

}  // namespace bayou::commands
