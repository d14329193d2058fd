// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/file_changes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/sum.h"
#include "kernel/engine/engine.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/loose_statistics.h"
#include "kernel/protocol/table_features.h"
#include "kernel/write/deletion_vector_writer.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using protocol::DeletionVector;

class WithPath final : public log::FilePredicate {
 public:
  explicit WithPath(std::unordered_map<std::string, std::size_t> paths)
      : paths_(std::move(paths)) {}
  bool Keep(const log::FileView& file) const override {
    return paths_.contains(std::string(file.path));
  }
  bool NeedsStats() const override { return false; }

 private:
  std::unordered_map<std::string, std::size_t> paths_;
};

// Fills in what the log knows of files besides their paths.
Status Complete(const table::Snapshot& snapshot,
                const std::vector<AddFile*>& files) {
  if (files.empty()) return {};
  std::unordered_map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < files.size(); ++i)
    positions.emplace(files[i]->path, i);
  const log::FileFields fields{
      .stats = true, .tags = true, .row_tracking = true};
  BAYOU_ASSIGN(
      const auto cursor,
      snapshot.state().Files(fields, std::make_shared<WithPath>(positions)));
  std::size_t found = 0;
  std::vector<AddFile> batch;
  for (bool more = true; more;) {
    BAYOU_ASSIGN(more, cursor->Next(batch));
    for (AddFile& file : batch) {
      *files[positions.at(file.path)] = std::move(file);
      ++found;
    }
  }
  if (found == positions.size()) return {};
  return Fail(ErrorCode::kInternal, "INTERNAL_ERROR",
              "table " + snapshot.location() +
                  ": a file that was read is not in the log");
}

bool WritesVectors(const table::Snapshot& snapshot) {
  return snapshot.properties().deletion_vectors() &&
         protocol::Supports(snapshot.protocol(), "deletionVectors");
}

std::optional<std::int64_t> RecordedRows(const AddFile& file) {
  return protocol::ReadStatistics(file.stats.value_or(""), {}).num_records;
}

std::int64_t Count(const DeletionVector& rows) {
  return static_cast<std::int64_t>(rows.Cardinality());
}

// The file with the rows of `gone` hidden, for a scan.
AddFile WithVector(const AddFile& file, const DeletionVector& gone) {
  AddFile hidden = file;
  hidden.deletion_vector = gone.EncodeInline();
  return hidden;
}

}  // namespace

std::int64_t FileChange::RowsLeft() const { return stored_rows - Count(gone); }

FileChanges FileChanges::Plan(
    duckdb::ClientContext& context,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const scan::ScanOptions& options, const scan::OpenedFiles& opened,
    ChangedRows rows) {
  FileChanges changes;
  changes.by_vector_ = WritesVectors(*snapshot);
  std::vector<AddFile*> found;
  changes.files_.reserve(rows.files().size());
  for (auto& [number, of_file] : rows.files()) {
    FileChange& change = changes.files_.emplace_back();
    change.file = opened[number];
    change.deleted = std::move(of_file.deleted);
    change.updated = std::move(of_file.updated);
    found.push_back(&change.file);
  }
  engine::Unwrap(Complete(*snapshot, found));
  for (FileChange& change : changes.files_) {
    change.gone =
        engine::Unwrap(scan::DeletedRowsOf(snapshot, options, change.file));
    change.gone.Merge(change.deleted);
    change.gone.Merge(change.updated);
    change.stored_rows = RecordedRows(change.file).value_or(-1);
    // A file goes for good on its own word only, not on that of statistics.
    if (change.stored_rows < 0 || change.RowsLeft() <= 0) {
      change.stored_rows =
          scan::CountStoredRows(context, snapshot, options, change.file);
    }
    changes.rows_deleted_ += Count(change.deleted);
    changes.rows_updated_ += Count(change.updated);
  }
  // The same files in the same order whatever the threads did, and those of a
  // partition together.
  std::ranges::sort(changes.files_, {}, [](const FileChange& change) {
    return std::tie(change.file.partition_values, change.file.path);
  });
  return changes;
}

FileChanges FileChanges::PlanRemoval(
    duckdb::ClientContext& context,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const scan::ScanOptions& options, std::vector<AddFile> files) {
  FileChanges changes;
  std::vector<AddFile*> found;
  changes.files_.reserve(files.size());
  for (AddFile& file : files) {
    FileChange& change = changes.files_.emplace_back();
    change.file = std::move(file);
    found.push_back(&change.file);
  }
  engine::Unwrap(Complete(*snapshot, found));
  for (FileChange& change : changes.files_) {
    std::int64_t rows = RecordedRows(change.file).value_or(-1);
    if (rows < 0)
      rows = scan::CountStoredRows(context, snapshot, options, change.file);
    const auto& vector = change.file.deletion_vector;
    changes.rows_deleted_ =
        Sum(changes.rows_deleted_,
            Difference(rows, vector ? vector->cardinality : 0));
    change.stored_rows = 0;  // None is left, however many there were.
  }
  return changes;
}

bool FileChanges::IsCopied(const FileChange& change) const {
  return !by_vector_ && change.RowsLeft() > 0;
}

std::vector<scan::ChosenRows> FileChanges::RowsToCopy() const {
  std::vector<scan::ChosenRows> rows;
  for (const FileChange& change : files_) {
    if (IsCopied(change))
      rows.push_back({WithVector(change.file, change.gone), {}, {}});
  }
  return rows;
}

std::int64_t FileChanges::rows_copied() const {
  std::int64_t rows = 0;
  for (const FileChange& change : files_) {
    if (IsCopied(change)) rows = Sum(rows, change.RowsLeft());
  }
  return rows;
}

bool FileChanges::NeedsChangeFiles() const {
  return rows_updated_ > 0 ||
         std::ranges::any_of(files_, [this](const FileChange& change) {
           return IsCopied(change);
         });
}

std::vector<scan::ChosenRows> FileChanges::RowsForFeed() const {
  std::vector<scan::ChosenRows> rows;
  for (const FileChange& change : files_) {
    const auto add = [&](const DeletionVector& which, const char* type) {
      if (which.Cardinality() > 0)
        rows.push_back({change.file, which.EncodeInline(), type});
    };
    add(change.deleted, "delete");
    add(change.updated, "update_preimage");
  }
  return rows;
}

Result<FileChanges::Counts> FileChanges::Stage(
    transaction::Transaction& transaction, Env& env) const {
  Counts counts;
  write::DeletionVectorWriter vectors(*transaction.shared_store(), env);
  for (const FileChange& change : files_) {
    const bool had_vector = change.file.deletion_vector.has_value();
    if (!by_vector_ || change.RowsLeft() == 0) {
      transaction.RemoveFile(change.file);
      ++counts.files_removed;
      counts.bytes_removed = Sum(counts.bytes_removed, change.file.size);
      counts.vectors_removed += had_vector;
      continue;
    }
    AddFile left = change.file;
    left.data_change = true;
    left.stats = protocol::LooseStatistics(left.stats, change.stored_rows);
    BAYOU_ASSIGN(left.deletion_vector, vectors.Add(change.gone));
    transaction.ReplaceFile(change.file, std::move(left));
    ++(had_vector ? counts.vectors_updated : counts.vectors_added);
  }
  std::vector<std::string> names;
  const Status written = vectors.Finish(&names);
  for (std::string& name : names) transaction.OwnFile(std::move(name));
  BAYOU_TRY(written);
  return counts;
}

}  // namespace bayou::commands
