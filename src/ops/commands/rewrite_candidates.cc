// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/rewrite_candidates.h"

#include <algorithm>
#include <utility>

#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/table_features.h"

namespace bayou::commands {

using protocol::AddFile;
using protocol::PartitionValues;

std::int64_t Candidate::size() const {
  return std::max<std::int64_t>(file.size, 0);
}

void RewriteCandidates::Add(Candidate candidate) {
  has_many_deleted_rows |= candidate.has_many_deleted_rows;
  PartitionValues partition = PartitionOf(candidate.file);
  partitions[std::move(partition)].push_back(std::move(candidate));
}

Result<RewriteCandidates> FindCandidates(
    const table::Snapshot& snapshot,
    std::shared_ptr<const log::FilePredicate> partitions,
    const CandidateUse& use,
    const std::function<bool(const Candidate&)>& takes) {
  const bool counts_deleted =
      use.max_deleted_ratio &&
      protocol::Supports(snapshot.protocol(), "deletionVectors");
  const log::FileFields fields{.stats = use.may_be_copied || counts_deleted,
                               .tags = true,
                               .row_tracking = true};
  BAYOU_ASSIGN(const auto cursor,
               snapshot.state().Files(fields, std::move(partitions)));
  RewriteCandidates candidates;
  std::vector<AddFile> batch;
  for (bool more = true; more;) {
    BAYOU_ASSIGN(more, cursor->Next(batch));
    candidates.considered_files += static_cast<std::int64_t>(batch.size());
    for (AddFile& file : batch) {
      const bool purges = use.max_deleted_ratio &&
                          HasManyDeletedRows(file, *use.max_deleted_ratio);
      if (!use.may_be_copied || file.size < kLeastCopied) file.stats.reset();
      Candidate candidate{std::move(file), purges};
      if (takes(candidate)) candidates.Add(std::move(candidate));
    }
  }
  return candidates;
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

}  // namespace bayou::commands
