// SPDX-License-Identifier: Apache-2.0
//
// Which files are put together when somebody has written to a table that looks
// after itself: the small ones of the partitions that were written to, where
// there are many. Opens no data file.
//
// Partitions that the write did not touch are left alone, so that few lose a
// race against it who would not have lost one against the write itself (a
// DELETE in one of the old small files does). So are files whose rows
// are in an order (see clustering_plan.h), and those that are large enough,
// however many of their rows are deleted.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/staged_actions.h"
#include "ops/commands/optimize_plan.h"

namespace bayou::commands {

struct AutoCompaction {
  // Files of this size are the aim, and smaller ones than that are small.
  std::int64_t max_file_size = std::int64_t{128} << 20;
  std::int64_t min_file_size = max_file_size / 2;
  // With fewer small files a partition is left alone.
  std::int64_t min_files = 50;
  // As PartitionOf() has them.
  std::set<protocol::PartitionValues> partitions = {};
};

// Notes the partitions to which a commit has brought small files.
void NoteWritten(const transaction::StagedActions& committed,
                 AutoCompaction& compaction);

// Errors: what reading the log gives.
Result<OptimizePlan> PlanAutoCompaction(const table::Snapshot& snapshot,
                                        const AutoCompaction& compaction);

// The partitions of the tasks as a condition, for the history: one text, or
// none where the table has no partitions.
std::vector<std::string> PartitionPredicates(
    const table::Snapshot& snapshot, std::span<const RewriteTask> tasks);

}  // namespace bayou::commands
