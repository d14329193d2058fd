// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the files whose rows a statement deletes or updates: a file
// that keeps no row is removed; another one gets a deletion vector, or its rows
// that stay are written anew, as the table's property
// delta.enableDeletionVectors says. Files that keep all their rows are not
// touched.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/protocol/deletion_vector.h"
#include "kernel/scan/chosen_rows.h"
#include "kernel/scan/opened_files.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/transaction.h"
#include "ops/commands/changed_rows.h"

namespace bayou::commands {

struct FileChange {
  protocol::AddFile file;  // As it is in the table.
  protocol::DeletionVector deleted;
  protocol::DeletionVector updated;
  protocol::DeletionVector gone;  // Both, and what was gone before.
  std::int64_t stored_rows = 0;

  std::int64_t RowsLeft() const;
};

class FileChanges {
 public:
  // A statement that changes `rows` of the files that its scan has `opened`.
  // Throws DuckDB exceptions.
  static FileChanges Plan(
      duckdb::ClientContext& context,
      const std::shared_ptr<const table::Snapshot>& snapshot,
      const scan::ScanOptions& options, const scan::OpenedFiles& opened,
      ChangedRows rows);

  // A statement that deletes every row of `files`, and so opens none of them.
  // They need no more than their paths. Throws DuckDB exceptions.
  static FileChanges PlanRemoval(
      duckdb::ClientContext& context,
      const std::shared_ptr<const table::Snapshot>& snapshot,
      const scan::ScanOptions& options, std::vector<protocol::AddFile> files);

  FileChanges() = default;

  bool by_vector() const { return by_vector_; }
  std::int64_t rows_deleted() const { return rows_deleted_; }
  std::int64_t rows_updated() const { return rows_updated_; }

  // The rows that have to be written to new files.
  std::vector<scan::ChosenRows> RowsToCopy() const;
  std::int64_t rows_copied() const;

  // Whether the change feed of this version cannot be told from the files that
  // are added and removed. Then it has to be written, all of it.
  bool NeedsChangeFiles() const;
  // The rows that go, for the feed: deleted, or as they were before an update.
  std::vector<scan::ChosenRows> RowsForFeed() const;

  // Writes deletion vectors and stages what becomes of the files.
  struct Counts {
    std::int64_t files_removed = 0;  // Not those that got a vector.
    std::int64_t bytes_removed = 0;
    std::int64_t vectors_added = 0;    // To a file that had none.
    std::int64_t vectors_removed = 0;  // With their file.
    std::int64_t vectors_updated = 0;
  };
  Result<Counts> Stage(transaction::Transaction& transaction, Env& env) const;

 private:
  bool IsCopied(const FileChange& change) const;

  std::vector<FileChange> files_;
  bool by_vector_ = false;
  std::int64_t rows_deleted_ = 0;
  std::int64_t rows_updated_ = 0;
};

}  // namespace bayou::commands
