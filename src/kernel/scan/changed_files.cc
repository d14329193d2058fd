// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/changed_files.h"

#include <map>
#include <string>
#include <utility>

#include "base/uri_path.h"
#include "kernel/engine/types.h"
#include "kernel/log/file_view.h"
#include "kernel/scan/data_file_place.h"
#include "kernel/scan/file_pruning.h"

namespace bayou::scan {
namespace {

using protocol::AddFile;
using protocol::CdcFile;
using protocol::RemoveFile;

constexpr const char* kChangeType = "_change_type";
constexpr const char* kCommitVersion = "_commit_version";
constexpr const char* kCommitTimestamp = "_commit_timestamp";

AddFile AsAdded(const RemoveFile& removed) {
  AddFile file;
  file.path = removed.path;
  file.partition_values = removed.partition_values;
  file.size = removed.size.value_or(0);
  file.stats = removed.stats;
  file.deletion_vector = removed.deletion_vector;
  file.base_row_id = removed.base_row_id;
  file.default_row_commit_version = removed.default_row_commit_version;
  return file;
}

AddFile AsAdded(const CdcFile& changes) {
  AddFile file;
  file.path = changes.path;
  file.partition_values = changes.partition_values;
  file.size = changes.size;
  return file;
}

// A file whose vector changed: rows in the new one alone were deleted, rows in
// the old one alone came back.
void AddDifference(const AddFile& file, const RemoveFile& before,
                   std::vector<ChangedFile>& changes) {
  const auto& now_deleted = file.deletion_vector;
  const auto& then_deleted = before.deletion_vector;
  if (now_deleted == then_deleted) return;
  if (now_deleted) {
    ChangedFile deleted{file, now_deleted, "delete"};
    deleted.file.deletion_vector = then_deleted;
    changes.push_back(std::move(deleted));
  }
  if (then_deleted) {
    changes.push_back({file, then_deleted, "insert"});
  }
}

class ChangedFilesCursor : public DataFileCursor {
 public:
  ChangedFilesCursor(std::shared_ptr<const std::vector<VersionChanges>> changes,
                     std::shared_ptr<const FilePruning> pruning)
      : changes_(std::move(changes)), pruning_(std::move(pruning)) {}

  // One version a call.
  Result<bool> Next(std::vector<duckdb::shared_ptr<DataFile>>& files) override {
    if (next_ == changes_->size()) return false;
    const VersionChanges& version = (*changes_)[next_++];
    log::PartitionView values;
    for (const ChangedFile& changed : version.files) {
      if (pruning_ && !pruning_->Keep(log::ViewOf(changed.file, values)))
        continue;
      files.push_back(FileOf(version, changed));
    }
    return next_ < changes_->size();
  }

 private:
  static duckdb::shared_ptr<DataFile> FileOf(const VersionChanges& version,
                                             const ChangedFile& changed) {
    auto file = duckdb::make_shared_ptr<DataFile>();
    file->add = changed.file;
    file->only_rows = changed.only_rows;
    if (!changed.change_type.empty()) {
      file->constants.emplace_back(
          kChangeType, duckdb::Value(std::string(changed.change_type)));
    }
    file->constants.emplace_back(kCommitVersion,
                                 duckdb::Value::BIGINT(version.version));
    file->constants.emplace_back(
        kCommitTimestamp,
        duckdb::Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(
            duckdb::Timestamp::FromEpochMs(version.timestamp_ms).value)));
    return file;
  }

  const std::shared_ptr<const std::vector<VersionChanges>> changes_;
  const std::shared_ptr<const FilePruning> pruning_;
  std::size_t next_ = 0;
};

class ChangedFilesSource : public DataFileSource {
 public:
  explicit ChangedFilesSource(std::vector<VersionChanges> changes)
      : changes_(std::make_shared<const std::vector<VersionChanges>>(
            std::move(changes))) {}

  Result<std::unique_ptr<DataFileCursor>> Open(
      std::shared_ptr<const FilePruning> pruning) const override {
    return std::make_unique<ChangedFilesCursor>(changes_, std::move(pruning));
  }

 private:
  const std::shared_ptr<const std::vector<VersionChanges>> changes_;
};

Result<std::optional<std::string>> MissingFile(const ScannedTable& table,
                                               const VersionChanges& changes,
                                               duckdb::FileSystem& files) {
  for (const ChangedFile& changed : changes.files) {
    BAYOU_ASSIGN(std::string place, PlaceOfFile(table, changed.file.path));
    if (!files.FileExists(place)) return place;
  }
  return std::nullopt;
}

}  // namespace

std::vector<ChangedFile> ChangesOf(std::span<const protocol::Action> actions) {
  std::vector<ChangedFile> changes;
  for (const protocol::Action& action : actions) {
    if (const auto* file = std::get_if<CdcFile>(&action)) {
      changes.push_back({AsAdded(*file), {}, {}});
    }
  }
  if (!changes.empty()) return changes;

  std::map<std::string, const RemoveFile*> removed;
  for (const protocol::Action& action : actions) {
    const auto* file = std::get_if<RemoveFile>(&action);
    if (file && file->data_change) removed[CanonicalPath(file->path)] = file;
  }
  for (const protocol::Action& action : actions) {
    const auto* file = std::get_if<AddFile>(&action);
    if (!file || !file->data_change) continue;
    const auto before = removed.find(CanonicalPath(file->path));
    if (before == removed.end()) {
      changes.push_back({*file, {}, "insert"});
    } else {
      AddDifference(*file, *before->second, changes);
      removed.erase(before);
    }
  }
  for (const auto& [path, file] : removed) {
    ChangedFile deleted{AsAdded(*file), {}, "delete"};
    deleted.lacks_partition_values =
        !file->extended_file_metadata && file->partition_values.empty();
    changes.push_back(std::move(deleted));
  }
  return changes;
}

void AddChangeColumns(ScannedTable& table) {
  const auto add = [&](const char* name, protocol::TypeKind kind) {
    ScannedColumn column;
    column.field.name = name;
    column.field.type = protocol::DataType::Of(kind);
    column.type = engine::ToLogicalType(column.field.type);
    column.is_mapped = false;
    table.columns.push_back(std::move(column));
  };
  add(kChangeType, protocol::TypeKind::kString);
  add(kCommitVersion, protocol::TypeKind::kLong);
  add(kCommitTimestamp, protocol::TypeKind::kTimestamp);
}

Status CheckChangedFiles(const ScannedTable& table,
                         std::span<const VersionChanges> changes,
                         duckdb::FileSystem& files) {
  const bool partitioned =
      !table.snapshot->metadata().partition_columns.empty();
  // From the end, so that the first gap met is where the feed is whole from.
  for (auto version = changes.rbegin(); version != changes.rend(); ++version) {
    BAYOU_ASSIGN(const auto missing, MissingFile(table, *version, files));
    if (missing) {
      const std::string next = std::to_string(version->version + 1);
      return Fail(ErrorCode::kNotFound, "DELTA_CHANGE_DATA_FILE_NOT_FOUND",
                  "the changes of version " + std::to_string(version->version) +
                      " of table " + table.snapshot->location() +
                      " are gone: file " + *missing +
                      " does not exist; it may have been vacuumed; ask for "
                      "changes from version " +
                      next + " on");
    }
    for (const ChangedFile& changed : version->files) {
      if (!partitioned || !changed.lacks_partition_values) continue;
      return Fail(ErrorCode::kUnsupported, "DELTA_MISSING_CHANGE_DATA",
                  "version " + std::to_string(version->version) + " of table " +
                      table.snapshot->location() + " removed file " +
                      changed.file.path +
                      " without its partition values, so the rows that it "
                      "deleted cannot be told; ask for later versions");
    }
  }
  return {};
}

std::shared_ptr<const DataFileSource> ChangedFiles(
    std::vector<VersionChanges> changes) {
  return std::make_shared<ChangedFilesSource>(std::move(changes));
}

}  // namespace bayou::scan
