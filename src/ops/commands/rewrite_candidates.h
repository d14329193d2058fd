// SPDX-License-Identifier: Apache-2.0
//
// The files that OPTIMIZE may write anew, partition by partition: what its
// planners choose from. Opens no data file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_replay.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

// Files of fewer bytes are seldom worth copying row group by row group: see
// row_group_copier.h.
inline constexpr std::int64_t kLeastCopied = std::int64_t{1} << 20;

struct Candidate {
  // With its statistics only if it may be copied, for there may be millions.
  protocol::AddFile file;
  // Reason enough to write it anew, be it alone.
  bool has_many_deleted_rows = false;

  // Never negative. Sizes stand in the log, so they may be anything.
  std::int64_t size() const;
};

struct RewriteCandidates {
  // As in the log, but the empty text is NULL.
  std::map<protocol::PartitionValues, std::vector<Candidate>> partitions;
  std::int64_t considered_files = 0;   // Also those that were not taken.
  bool has_many_deleted_rows = false;  // Some file of them.

  void Add(Candidate candidate);
};

struct CandidateUse {
  // A file has many deleted rows when they are more than this part of its rows;
  // nullopt: nobody asks.
  std::optional<double> max_deleted_ratio;
  bool may_be_copied = false;
};

// The files that `takes`, of the partitions that `partitions` keeps; null: of
// all. Errors: what reading the log gives.
Result<RewriteCandidates> FindCandidates(
    const table::Snapshot& snapshot,
    std::shared_ptr<const log::FilePredicate> partitions,
    const CandidateUse& use,
    const std::function<bool(const Candidate&)>& takes);

// Whether more than that part of the file's rows are deleted; so it counts also
// when nobody can tell how many it has. Needs its statistics.
bool HasManyDeletedRows(const protocol::AddFile& file, double max_ratio);

// The partition of a file, for files to be put together: NULL and the empty
// text are one.
protocol::PartitionValues PartitionOf(const protocol::AddFile& file);

}  // namespace bayou::commands
