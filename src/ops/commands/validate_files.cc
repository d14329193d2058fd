// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/validate_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <duckdb/parallel/task_scheduler.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/engine/for_each.h"
#include "kernel/engine/types.h"
#include "kernel/protocol/deletion_vector.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/table_features.h"
#include "kernel/store/location.h"
#include "kernel/transaction/row_ids.h"
#include "ops/commands/kept_files.h"
#include "ops/commands/live_files.h"
#include "ops/commands/validate_data.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using store::ObjectMeta;

// The size before a vector's bitmap and the CRC-32 after it.
constexpr std::int64_t kVectorFrame = 8;

constexpr const char* kRestoreVersion =
    "RESTORE a version before the file was added, or DELETE its rows";

class FileExamination {
 public:
  FileExamination(duckdb::ClientContext& context,
                  const std::shared_ptr<const table::Snapshot>& snapshot,
                  const scan::ScanOptions& options, Findings& findings)
      : context_(context),
        snapshot_(snapshot),
        options_(options),
        findings_(findings) {
    for (const std::string& name : snapshot_->metadata().partition_columns)
      partition_columns_.push_back(snapshot_->schema().Find(name));
    if (transaction::AssignsRowIds(snapshot_->protocol(),
                                   snapshot_->metadata()) &&
        snapshot_->properties().row_tracking()) {
      tracks_rows_ = true;
    }
    const auto& domains = snapshot_->state().domains();
    const auto found =
        domains.find(std::string(transaction::kRowTrackingDomain));
    if (found == domains.end()) return;
    const auto mark =
        transaction::RowIdHighWaterMark(found->second, snapshot_->location());
    if (mark) row_id_mark_ = *mark;
  }

  Result<FilesVerdict> Run(bool is_deep) {
    if (is_deep) PrepareDeep();
    BAYOU_ASSIGN(const auto cursor,
                 snapshot_->state().Files(kAllFields, nullptr));
    const auto threads = static_cast<std::size_t>(
        duckdb::TaskScheduler::GetScheduler(context_).NumberOfThreads());
    std::vector<AddFile> batch;
    for (bool more = true; more;) {
      BAYOU_ASSIGN(more, cursor->Next(batch));
      for (const AddFile& file : batch) LookForTwin(file);
      verdict_.files += static_cast<std::int64_t>(batch.size());
      BAYOU_TRY(
          engine::ForEach(batch.size(), threads, [&](std::size_t k) -> Status {
            if (!context_.IsInterrupted()) return Look(batch[k]);
            return Fail(ErrorCode::kCancelled, "INTERRUPTED",
                        "the examination was cancelled");
          }));
    }
    ReportExternal();
    return std::move(verdict_);
  }

 private:
  void Add(std::string_view code, Severity severity, const AddFile& file,
           std::string what, std::string remedy) {
    findings_.Add({.code = code,
                   .severity = severity,
                   .place = file.path,
                   .what = std::move(what),
                   .remedy = std::move(remedy)});
  }

  void PrepareDeep() {
    auto prepared = DataExamination::Prepare(context_, snapshot_, options_);
    if (prepared) {
      data_.emplace(*std::move(prepared));
      return;
    }
    findings_.Add({.code = "DATA_NOT_EXAMINED",
                   .severity = Severity::kNote,
                   .place = snapshot_->location(),
                   .what = prepared.error().message,
                   .remedy = "examine the data with another engine"});
  }

  // Whose rows queries would give twice.
  void LookForTwin(const AddFile& file) {
    if (paths_.insert(CanonicalPath(file.path)).second) return;
    Add("DATA_FILE_TWICE", Severity::kError, file,
        "the file is in the table twice, with different deletion vectors",
        "RESTORE the version before the second came, and tell the writer's "
        "makers");
  }

  Status Look(const AddFile& file) {
    LookAtPartition(file);
    LookAtStatistics(file);
    LookAtRowIds(file);
    BAYOU_ASSIGN(const bool has_data, LookAtPlace(file));
    BAYOU_ASSIGN(const bool has_vector, LookAtVector(file));
    if (!data_ || !has_data || !has_vector) return {};
    return LookAtData(file);
  }

  // ------------------------------------------------------------- what is said

  void LookAtPartition(const AddFile& file) {
    const auto wrong = [&](std::string what) {
      Add("PARTITION_VALUE_INVALID", Severity::kError, file, std::move(what),
          kRestoreVersion);
    };
    for (const protocol::Field* column : partition_columns_) {
      const auto found = file.partition_values.find(column->physical_name());
      if (found == file.partition_values.end()) {
        wrong(fmt::format("there is no value of the partition column {}",
                          column->name));
        continue;
      }
      const auto value =
          engine::ParsePartitionValue(found->second, column->type);
      if (!value) {
        wrong(fmt::format("partition column {}: {}", column->name,
                          value.error().message));
      }
    }
  }

  void LookAtStatistics(const AddFile& file) {
    const auto rows =
        protocol::ReadStatistics(file.stats.value_or(""), {}).num_records;
    if (file.stats && !file.stats->empty()) {
      simdjson::dom::parser parser;
      const auto json = ParseJson(parser, *file.stats);
      simdjson::dom::object object;
      if (!json || json->get(object) != simdjson::SUCCESS) {
        Add("STATISTICS_INVALID", Severity::kWarning, file,
            "the statistics are no JSON object, and nobody can use them",
            "OPTIMIZE, or UPDATE its rows, writes the file anew");
      } else if (rows && *rows < 0) {
        Add("STATISTICS_INVALID", Severity::kError, file,
            fmt::format("the statistics count {} rows", *rows),
            kRestoreVersion);
      }
    }
    const auto& vector = file.deletion_vector;
    if (!vector) return;
    if (!rows) {
      Add("STATISTICS_MISSING", Severity::kError, file,
          "a file with a deletion vector must say how many rows it has",
          kRestoreVersion);
    } else if (vector->cardinality < 0 || vector->cardinality > *rows) {
      Add("DELETION_VECTOR_INVALID", Severity::kError, file,
          fmt::format("{} of {} rows are deleted", vector->cardinality, *rows),
          kRestoreVersion);
    }
  }

  void LookAtRowIds(const AddFile& file) {
    if (!tracks_rows_) return;
    if (!file.base_row_id || !file.default_row_commit_version) {
      return Add("ROW_ID_MISSING", Severity::kError, file,
                 "rows are tracked, and the file has no row ids",
                 "switch delta.enableRowTracking off, and on again");
    }
    const auto rows =
        protocol::ReadStatistics(file.stats.value_or(""), {}).num_records;
    if (rows && *rows > 0 && *file.base_row_id + *rows - 1 > row_id_mark_) {
      Add("ROW_ID_ABOVE_MARK", Severity::kError, file,
          fmt::format("row ids reach {}, beyond the high-water mark {}: they "
                      "will be given again",
                      *file.base_row_id + *rows - 1, row_id_mark_),
          kRestoreVersion);
    }
  }

  // -------------------------------------------------------------- what there
  // is

  // The file's own folder as a store, and its name in that; nullopt: it lies
  // elsewhere, and may not be looked at.
  struct Place {
    std::shared_ptr<store::Store> store;
    std::string name;
    bool is_own = false;
  };
  Result<std::optional<Place>> PlaceOf(const std::string& path) const {
    const std::string& folder = snapshot_->location();
    if (!IsAbsolutePath(path)) {
      BAYOU_TRY(CheckRelativePath(path));
      return Place{snapshot_->shared_store(), path, true};
    }
    if (path.starts_with(folder + "/")) {
      std::string name = path.substr(folder.size() + 1);
      BAYOU_TRY(CheckRelativePath(name));
      return Place{snapshot_->shared_store(), std::move(name), true};
    }
    if (!options_.allow_external_paths) return std::nullopt;
    const std::size_t slash = path.rfind('/');
    return Place{store::OpenStore(path.substr(0, slash)),
                 path.substr(slash + 1)};
  }

  // Over a symbolic link.
  bool LeadsOut(const Place& place) const {
    if (!place.is_own || options_.allow_external_paths) return false;
    const Status inside = place.store->CheckInside(place.name);
    return !inside && inside.error().code == ErrorCode::kPermissionDenied;
  }

  // What is at the place; nullopt when it was reported, or may not be known.
  Result<std::optional<ObjectMeta>> Find(const AddFile& file,
                                         const std::string& path,
                                         bool is_data) {
    const auto place = PlaceOf(path);
    if (!place || (*place && LeadsOut(**place))) {
      Add("PATH_OUTSIDE_TABLE", Severity::kError, file,
          "the log names a file that is not in the table's folder",
          "do not trust the table, or find out who made it so");
      return std::nullopt;
    }
    if (!*place) {
      const std::lock_guard lock(mutex_);
      ++external_;
      return std::nullopt;
    }
    const auto found = (*place)->store->Head((*place)->name);
    if (found) return *found;
    if (found.error().code != ErrorCode::kNotFound) {
      Add("DATA_FILE_UNREADABLE", Severity::kError, file, found.error().message,
          "see the reason that is given");
      return std::nullopt;
    }
    if (!is_data) {
      Add("DELETION_VECTOR_MISSING", Severity::kError, file,
          fmt::format("the deletion vector {} is gone", path),
          "restore the file: without it nobody knows which rows are deleted");
      return std::nullopt;
    }
    if (!(*place)->is_own) {
      Add("EXTERNAL_FILE_MISSING", Severity::kError, file,
          "the data file is gone",
          "restore the file in the table that it belongs to");
      return std::nullopt;
    }
    Add("DATA_FILE_MISSING", Severity::kError, file, "the data file is gone",
        "restore the file; or go without its rows: bayou validate --repair");
    const std::lock_guard lock(mutex_);
    verdict_.missing.push_back(file);
    return std::nullopt;
  }

  Result<bool> LookAtPlace(const AddFile& file) {
    BAYOU_ASSIGN(const auto found,
                 Find(file, CanonicalPath(file.path), /*is_data=*/true));
    if (!found) return false;
    if (found->size != file.size) {
      Add("DATA_FILE_SIZE", Severity::kError, file,
          fmt::format("the file has {} bytes, the log says {}", found->size,
                      file.size),
          found->size < file.size ? "restore the file: it was cut short"
                                  : "some readers look for the footer in the "
                                    "wrong place: OPTIMIZE, "
                                    "or UPDATE its rows, writes the file anew");
    }
    return true;
  }

  Result<bool> LookAtVector(const AddFile& file) {
    const auto& vector = file.deletion_vector;
    if (!vector) return true;
    const auto wrong = [&](std::string what) {
      Add("DELETION_VECTOR_INVALID", Severity::kError, file, std::move(what),
          "restore the file: without it nobody knows which rows are deleted");
      return false;
    };
    if (vector->storage_type == 'i') {
      const auto decoded = protocol::DeletionVector::DecodeInline(*vector);
      return decoded ? true : wrong(decoded.error().message);
    }
    const auto path = vector->FilePath();
    if (!path) return wrong(path.error().message);
    BAYOU_ASSIGN(const auto found, Find(file, *path, /*is_data=*/false));
    if (!found) return false;
    const std::int64_t end = std::int64_t{vector->offset.value_or(1)} +
                             vector->size_in_bytes + kVectorFrame;
    if (vector->offset.value_or(1) < 0 || vector->size_in_bytes < 0 ||
        end > found->size) {
      return wrong(fmt::format("the vector ends at byte {} of {}, which has {}",
                               end, *path, found->size));
    }
    return true;
  }

  Status LookAtData(const AddFile& file) {
    const auto wrong = data_->Look(file);
    if (!wrong) {
      if (wrong.error().code == ErrorCode::kCancelled)
        return tl::unexpected<Error>(wrong.error());
      if (wrong.error().code == ErrorCode::kUnsupported) {
        Add("DATA_NOT_EXAMINED", Severity::kNote, file, wrong.error().message,
            "another reader may know how");
        return {};
      }
      const bool is_vector =
          wrong.error().condition == "DELTA_DELETION_VECTOR_INVALID";
      Add(is_vector ? "DELETION_VECTOR_INVALID" : "DATA_FILE_UNREADABLE",
          Severity::kError, file, wrong.error().message,
          "restore the file from a backup");
      return {};
    }
    for (const std::string& what : *wrong) {
      Add("STATISTICS_WRONG", Severity::kError, file, what,
          "queries may miss rows of it; UPDATE its rows, or OPTIMIZE, writes "
          "the file anew");
    }
    return {};
  }

  void ReportExternal() {
    if (external_ == 0) return;
    findings_.Add({.code = "EXTERNAL_FILES",
                   .severity = Severity::kNote,
                   .place = snapshot_->location(),
                   .what = fmt::format(
                       "{} files lie outside of the table's folder (is it "
                       "a shallow clone?), and were not looked at",
                       external_),
                   .remedy = "if you trust the table: --allow-external-paths"});
  }

  duckdb::ClientContext& context_;
  const std::shared_ptr<const table::Snapshot>& snapshot_;
  const scan::ScanOptions& options_;
  Findings& findings_;
  std::vector<const protocol::Field*> partition_columns_;
  std::unordered_set<std::string> paths_;
  bool tracks_rows_ = false;
  std::int64_t row_id_mark_ = -1;
  std::optional<DataExamination> data_;  // When it is deep.
  std::mutex mutex_;
  std::int64_t external_ = 0;
  FilesVerdict verdict_;
};

}  // namespace

Result<FilesVerdict> ValidateFiles(
    duckdb::ClientContext& context,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const scan::ScanOptions& options, bool is_deep, Findings& findings) {
  return FileExamination(context, snapshot, options, findings).Run(is_deep);
}

}  // namespace bayou::commands
