// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/optimize_plan.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/sum.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/table_features.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using protocol::PartitionValues;

// Sizes stand in the log, so they may be anything.
std::int64_t SizeOf(const AddFile& file) {
  return std::max<std::int64_t>(file.size, 0);
}

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
    return std::tuple(SizeOf(a.file), std::string_view(a.file.path)) <
           std::tuple(SizeOf(b.file), std::string_view(b.file.path));
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
    const std::int64_t size = SizeOf(candidate.file);
    if (Sum(bytes, size) > max_bin_size) close();
    bytes = Sum(bytes, size);
    is_worth_it_alone = candidate.is_worth_it_alone;
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
  for (const AddFile& file : files) bytes = Sum(bytes, SizeOf(file));
  return bytes;
}

bool HasManyDeletedRows(const AddFile& file, double max_ratio) {
  if (!file.deletion_vector) return false;
  const auto rows =
      protocol::ReadStatistics(file.stats.value_or(""), {}).num_records;
  if (!rows || *rows <= 0) return true;
  return static_cast<double>(file.deletion_vector->cardinality) >
         max_ratio * static_cast<double>(*rows);
}

PartitionValues PartitionOf(const AddFile& file) {
  PartitionValues values = file.partition_values;
  for (auto& [name, value] : values) {
    if (value && value->empty()) value.reset();
  }
  return values;
}

std::vector<RewriteTask> PackFiles(std::vector<Candidate> candidates,
                                   std::int64_t max_bin_size) {
  std::map<PartitionValues, std::vector<Candidate>> partitions;
  for (Candidate& candidate : candidates) {
    PartitionValues partition = PartitionOf(candidate.file);
    partitions[std::move(partition)].push_back(std::move(candidate));
  }
  std::vector<RewriteTask> tasks;
  for (auto& [partition, files] : partitions)
    PackPartition(partition, std::move(files), max_bin_size, tasks);
  return tasks;
}

Result<OptimizePlan> PlanOptimize(
    const table::Snapshot& snapshot,
    std::shared_ptr<const log::FilePredicate> partitions,
    const BinPacking& packing) {
  const log::FileFields fields{
      .stats = protocol::Supports(snapshot.protocol(), "deletionVectors"),
      .tags = true,
      .row_tracking = true};
  BAYOU_ASSIGN(const auto cursor,
               snapshot.state().Files(fields, std::move(partitions)));
  OptimizePlan plan;
  std::vector<Candidate> candidates;
  std::vector<AddFile> batch;
  for (bool more = true; more;) {
    BAYOU_ASSIGN(more, cursor->Next(batch));
    plan.considered_files += static_cast<std::int64_t>(batch.size());
    for (AddFile& file : batch) {
      const bool purges = HasManyDeletedRows(file, packing.max_deleted_ratio);
      if (!purges && SizeOf(file) >= packing.min_file_size) continue;
      file.stats.reset();  // Nobody asks for them any more.
      candidates.push_back({std::move(file), purges});
    }
  }
  plan.tasks = PackFiles(std::move(candidates), packing.max_bin_size);
  return plan;
}

}  // namespace bayou::commands
