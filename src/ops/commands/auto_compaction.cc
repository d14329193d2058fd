// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/auto_compaction.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/log/file_view.h"
#include "ops/commands/clustering_plan.h"

namespace bayou::commands {
namespace {

using protocol::PartitionValues;

// A write should not wait for more than that.
constexpr std::size_t kMostPartitions = 128;

class SmallFiles final : public log::FilePredicate {
 public:
  explicit SmallFiles(const AutoCompaction& compaction)
      : compaction_(compaction) {}

  bool Keep(const log::FileView& file) const override {
    if (file.size >= compaction_.min_file_size) return false;
    PartitionValues partition;
    for (const auto& [name, value] : file.partition_values) {
      auto& text = partition[std::string(name)];
      if (!value.empty()) text = std::string(value);
    }
    return compaction_.partitions.contains(partition);
  }
  bool NeedsStats() const override { return false; }

 private:
  const AutoCompaction compaction_;
};

// Keeps the partitions with the most files, as many as one write may wait for.
void KeepFullest(RewriteCandidates& candidates, std::int64_t min_files) {
  auto& partitions = candidates.partitions;
  std::erase_if(partitions, [&](const auto& partition) {
    return std::ssize(partition.second) < min_files;
  });
  if (partitions.size() <= kMostPartitions) return;
  std::vector<PartitionValues> fullest;
  for (const auto& [partition, files] : partitions)
    fullest.push_back(partition);
  std::ranges::sort(fullest, std::greater<>(), [&](const auto& partition) {
    return partitions.at(partition).size();
  });
  for (std::size_t i = kMostPartitions; i < fullest.size(); ++i)
    partitions.erase(fullest[i]);
}

}  // namespace

void NoteWritten(const transaction::StagedActions& committed,
                 AutoCompaction& compaction) {
  for (const protocol::AddFile& file : committed.adds) {
    // What was in the table before is there again with other deleted rows, or
    // with row ids.
    const bool is_new = file.data_change && !file.deletion_vector;
    if (is_new && file.size < compaction.min_file_size)
      compaction.partitions.insert(PartitionOf(file));
  }
}

Result<OptimizePlan> PlanAutoCompaction(const table::Snapshot& snapshot,
                                        const AutoCompaction& compaction) {
  BAYOU_ASSIGN(
      auto candidates,
      FindCandidates(snapshot, std::make_shared<SmallFiles>(compaction),
                     {std::nullopt, true}, [](const Candidate& candidate) {
                       return !IsInCube(candidate.file);
                     }));
  OptimizePlan plan;
  plan.considered_files = candidates.considered_files;
  KeepFullest(candidates, compaction.min_files);
  plan.tasks = PackFiles(std::move(candidates), compaction.max_file_size);
  return plan;
}

std::vector<std::string> PartitionPredicates(
    const table::Snapshot& snapshot, std::span<const RewriteTask> tasks) {
  const auto& columns = snapshot.metadata().partition_columns;
  std::set<PartitionValues> partitions;
  for (const RewriteTask& task : tasks) partitions.insert(task.partition);
  if (columns.empty() || partitions.empty()) return {};
  std::string text;
  for (const PartitionValues& partition : partitions) {
    std::string values;
    for (const std::string& column : columns) {
      const protocol::Field* field = snapshot.schema().Find(column);
      if (field == nullptr) continue;
      const auto value = partition.find(field->physical_name());
      values += (values.empty() ? "" : " AND ") + column + " <=> " +
                (value == partition.end() || !value->second
                     ? "NULL"
                     : engine::Literal(*value->second));
    }
    text += (text.empty() ? "(" : " OR (") + values + ")";
  }
  return {text};
}

}  // namespace bayou::commands
