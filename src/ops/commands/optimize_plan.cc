// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/optimize_plan.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/sum.h"
#include "ops/commands/row_tracking_columns.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using protocol::PartitionValues;

// The rows of a bin stay in the order in which they came into the table.
RewriteTask TaskOf(const PartitionValues& partition,
                   std::vector<AddFile> files) {
  std::ranges::sort(files, {}, [](const AddFile& file) {
    return std::tie(file.modification_time, file.path);
  });
  return {partition, std::move(files)};
}

void PackPartition(const PartitionValues& partition,
                   std::vector<Candidate> candidates, std::int64_t max_bin_size,
                   std::vector<RewriteTask>& tasks) {
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return std::tuple(a.size(), std::string_view(a.file.path)) <
           std::tuple(b.size(), std::string_view(b.file.path));
  });
  std::vector<AddFile> bin;
  std::int64_t bytes = 0;
  bool is_worth_it_alone = false;
  const auto close = [&] {
    if (bin.size() > 1 || (bin.size() == 1 && is_worth_it_alone))
      tasks.push_back(TaskOf(partition, std::move(bin)));
    bin.clear();
    bytes = 0;
  };
  for (Candidate& candidate : candidates) {
    const std::int64_t size = candidate.size();
    if (Sum(bytes, size) > max_bin_size) close();
    bytes = Sum(bytes, size);
    is_worth_it_alone = candidate.has_many_deleted_rows;
    bin.push_back(std::move(candidate.file));
  }
  close();
}

}  // namespace

BinPacking BinPackingOf(const table::Snapshot& snapshot) {
  BinPacking packing;
  if (snapshot.metadata().configuration.contains("delta.targetFileSize")) {
    packing.max_bin_size = snapshot.properties().target_file_size();
    packing.min_file_size = packing.max_bin_size;
  }
  return packing;
}

std::int64_t RewriteTask::bytes() const {
  std::int64_t bytes = 0;
  for (const AddFile& file : files)
    bytes = Sum(bytes, std::max<std::int64_t>(file.size, 0));
  return bytes;
}

std::vector<RewriteTask> PackFiles(RewriteCandidates candidates,
                                   std::int64_t max_bin_size) {
  std::vector<RewriteTask> tasks;
  for (auto& [partition, files] : candidates.partitions)
    PackPartition(partition, std::move(files), max_bin_size, tasks);
  return tasks;
}

Result<OptimizePlan> PlanOptimize(
    const table::Snapshot& snapshot,
    std::shared_ptr<const log::FilePredicate> partitions,
    const BinPacking& packing) {
  // A purge is for files with deleted rows, which are never copied.
  const bool may_be_copied =
      packing.max_deleted_ratio >= 0 && !TracksRows(snapshot);
  BAYOU_ASSIGN(auto candidates,
               FindCandidates(snapshot, std::move(partitions),
                              {packing.max_deleted_ratio, may_be_copied},
                              [&](const Candidate& candidate) {
                                return candidate.has_many_deleted_rows ||
                                       candidate.size() < packing.min_file_size;
                              }));
  OptimizePlan plan;
  plan.considered_files = candidates.considered_files;
  plan.purges = candidates.has_many_deleted_rows;
  plan.tasks = PackFiles(std::move(candidates), packing.max_bin_size);
  for (const RewriteTask& task : plan.tasks)
    plan.misplaced_files += std::ssize(task.files);
  return plan;
}

}  // namespace bayou::commands
