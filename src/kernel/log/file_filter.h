// SPDX-License-Identifier: Apache-2.0
//
// Which rows of a checkpoint are files that a question is about: live, and kept
// by its predicate. Decided inside the engine's threads by functions that only
// Bayou's own queries can call.
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <string>

#include "kernel/log/file_key_set.h"
#include "kernel/log/log_replay.h"

namespace bayou::log {

class KeptRows;  // See kept_rows.h.

// What the functions decide by. Outlives the query.
struct FileFilter {
  std::shared_ptr<const FilePredicate> predicate;  // May be null.
  std::shared_ptr<const FileKeySet> touched;       // Those are left out.
  std::shared_ptr<const KeptRows> rows;  // May be null: not looked at yet.
  bool IsTrivial() const { return !predicate && touched->empty(); }
};

// A connection whose queries may call, with `filter`:
//
// bayou_keep_file(path, partitionValues, size, modificationTime,
//                 <deletion vector: 5 columns>, stats)
//   False for rows without a path, which are other actions. So a query that
//   calls it needs no `add.path IS NOT NULL`, which costs as much as the path.
// bayou_keep_stats(stats)
//   See FilePredicate::KeepStats.
// bayou_keep_row(file, file_row_number)
//   See KeptRows.
std::unique_ptr<duckdb::Connection> ConnectFor(
    duckdb::DatabaseInstance& database, FileFilter filter);

// Whether `predicate` keeps a file that is a value. A null predicate keeps all.
bool Keeps(const FilePredicate* predicate, const protocol::AddFile& file);

}  // namespace bayou::log
