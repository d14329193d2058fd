// SPDX-License-Identifier: Apache-2.0
//
// Row-level concurrency. Two commits that hide rows of one data file behind
// deletion vectors do not contradict each other as long as no row is in both:
// the later one hides the rows of both. What depends on rows that went is for
// the conflict checker to say (ReadSet::row_scans).
//
// Only the file's vector is written anew. New rows, change files and row ids of
// the later commit are about rows that the earlier one left alone, so they
// stand. A row that both change stays a conflict.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/protocol/deletion_vector.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/conflict_checker.h"
#include "kernel/transaction/staged_actions.h"
#include "kernel/write/deletion_vector_writer.h"

namespace bayou::transaction {

class RowLevelMerge {
 public:
  RowLevelMerge() = default;

  // Reads the vectors of the files to which `winner` gave a larger one. What
  // cannot be read is not merged. `base`: the version that was read.
  static RowLevelMerge Plan(const std::shared_ptr<const table::Snapshot>& base,
                            const StagedActions& staged,
                            const WinningCommit& winner);

  // Canonical paths of the files from which the winner only took rows, none of
  // which is staged to go.
  const std::set<std::string>& files() const { return files_; }

  // Makes what is staged follow on the winner.
  Status Apply(StagedActions& staged,
               write::DeletionVectorWriter& vectors) const;

 private:
  struct MergedFile {
    protocol::AddFile file;         // As the winner left it.
    protocol::DeletionVector gone;  // All rows that will have gone.
  };

  void Add(const std::shared_ptr<const table::Snapshot>& base,
           const StagedActions& staged, const protocol::RemoveFile& before,
           const protocol::AddFile& after);

  std::set<std::string> files_;
  std::vector<MergedFile> merged_;  // Those of them that `staged` changes.
};

}  // namespace bayou::transaction
