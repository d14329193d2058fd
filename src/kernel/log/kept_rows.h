// SPDX-License-Identifier: Apache-2.0
//
// A first look at a large checkpoint: the rows that a predicate may keep. Typed
// columns or the text of the statistics are judged alone, so nothing else is
// read of the other rows.
//
// Where a writer put a million files into one row group, this halves the work
// and divides it: DuckDB gives a row group to one thread, but ranges of its
// rows go to several, each skipping the pages of the others.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/checkpoint.h"
#include "kernel/log/log_replay.h"

namespace bayou::log {

class KeptRows {
 public:
  // Looks at all relations. nullptr when that would not pay: the predicate
  // cannot judge by so little, the checkpoint is small or larger than can be,
  // or more than a few of its rows are kept.
  // Errors: DELTA_CHECKPOINT_UNREADABLE.
  static Result<std::shared_ptr<const KeptRows>> Look(
      duckdb::DatabaseInstance& database,
      const std::vector<CheckpointRelation>& relations,
      const std::shared_ptr<const FilePredicate>& predicate);

  // One for each row of the file; nullptr when none is kept.
  const std::vector<bool>* Of(const std::string& file) const {
    const auto found = rows_.find(file);
    return found == rows_.end() ? nullptr : &found->second;
  }

 private:
  // Marks the rows that were found, and forgets the files without any. Returns
  // how many there are. Throws.
  std::int64_t Take(duckdb::MaterializedQueryResult& found);

  std::map<std::string, std::vector<bool>> rows_;
};

// SQL that is true for the kept rows of the one file that a query scans. For a
// connection of ConnectFor (see file_filter.h) whose filter has the rows.
std::string KeptRowSql(const std::string& file);

}  // namespace bayou::log
