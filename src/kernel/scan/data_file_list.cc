// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/data_file_list.h"

#include <algorithm>
#include <duckdb/storage/statistics/node_statistics.hpp>
#include <mutex>
#include <optional>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/table_features.h"
#include "kernel/scan/data_file_place.h"
#include "kernel/scan/distinct_filters.h"
#include "kernel/scan/file_pruning.h"

namespace bayou::scan {
namespace {

using duckdb::idx_t;

class SnapshotCursor : public DataFileCursor {
 public:
  explicit SnapshotCursor(std::unique_ptr<log::FileCursor> files)
      : files_(std::move(files)) {}

  Result<bool> Next(std::vector<duckdb::shared_ptr<DataFile>>& files) override {
    BAYOU_ASSIGN(const bool more, files_->Next(batch_));
    for (protocol::AddFile& add : batch_) {
      auto file = duckdb::make_shared_ptr<DataFile>();
      file->add = std::move(add);
      files.push_back(std::move(file));
    }
    return more;
  }

 private:
  std::unique_ptr<log::FileCursor> files_;
  std::vector<protocol::AddFile> batch_;
};

class SnapshotSource : public DataFileSource {
 public:
  explicit SnapshotSource(std::shared_ptr<const ScannedTable> table)
      : table_(std::move(table)) {}

  Result<std::unique_ptr<DataFileCursor>> Open(
      std::shared_ptr<const FilePruning> pruning) const override {
    const table::Snapshot& snapshot = *table_->snapshot;
    log::FileFields fields;
    fields.stats = true;
    fields.row_tracking =
        protocol::Supports(snapshot.protocol(), "rowTracking");
    BAYOU_ASSIGN(auto files,
                 snapshot.state().Files(fields, std::move(pruning)));
    return std::make_unique<SnapshotCursor>(std::move(files));
  }

 private:
  std::shared_ptr<const ScannedTable> table_;
};

// Enough files to know a list well; more are fetched only when they are read.
constexpr idx_t kSample = 10'000;
// Of a list longer than the sample: how much longer it is thought to be.
constexpr double kUnknownFactor = 4;
// For files without statistics: what a row is thought to take, in bytes.
constexpr std::int64_t kBytesPerRow = 50;

std::int64_t EstimatedRows(const DataFile& file) {
  const std::int64_t stored =
      file.num_records.value_or(file.add.size / kBytesPerRow + 1);
  const auto& vector = file.add.deletion_vector;
  const std::int64_t deleted = vector ? vector->cardinality : 0;
  return stored > deleted ? stored - deleted : 0;
}

}  // namespace

std::shared_ptr<const DataFileSource> SnapshotFiles(
    std::shared_ptr<const ScannedTable> table) {
  return std::make_shared<SnapshotSource>(std::move(table));
}

struct DataFileList::Fetched {
  std::mutex mutex;
  std::unique_ptr<DataFileCursor> cursor;
  std::vector<duckdb::OpenFileInfo> files;
  bool at_end = false;
  // Asked again after a failure, a list fails again: it must not go on behind
  // the files that it could not get.
  std::optional<Error> failure;
};

DataFileList::DataFileList(std::shared_ptr<const ScannedTable> table,
                           std::shared_ptr<const DataFileSource> source,
                           std::shared_ptr<const FilePruning> pruning)
    : table_(std::move(table)),
      source_(std::move(source)),
      pruning_(std::move(pruning)),
      fetched_(std::make_shared<Fetched>()) {}

void DataFileList::FetchUntil(idx_t count) const {
  Fetched& fetched = *fetched_;
  if (fetched.failure) engine::Throw(*fetched.failure);
  while (!fetched.at_end && fetched.files.size() < count) {
    if (auto done = FetchBatch(); !done) {
      fetched.failure = std::move(done).error();
      engine::Throw(*fetched.failure);
    }
  }
}

Status DataFileList::FetchBatch() const {
  Fetched& fetched = *fetched_;
  if (!fetched.cursor) {
    BAYOU_ASSIGN(fetched.cursor, source_->Open(pruning_));
  }
  std::vector<duckdb::shared_ptr<DataFile>> batch;
  BAYOU_ASSIGN(const bool more, fetched.cursor->Next(batch));
  if (pruning_) {
    if (auto failure = pruning_->failure()) {
      return tl::unexpected<Error>(*std::move(failure));
    }
  }
  for (auto& file : batch) {
    BAYOU_ASSIGN(duckdb::OpenFileInfo info,
                 PlaceOfFile(*table_, file->add.path));
    if (file->add.stats) {
      file->num_records =
          protocol::ReadStatistics(*file->add.stats, {}).num_records;
      file->add.stats.reset();  // A long list has better uses for memory.
    }
    info.extended_info = std::move(file);
    fetched.files.push_back(std::move(info));
  }
  if (!more) {
    fetched.at_end = true;
    fetched.cursor.reset();
  }
  return {};
}

duckdb::OpenFileInfo DataFileList::GetFile(idx_t i) const {
  const std::lock_guard lock(fetched_->mutex);
  FetchUntil(i + 1);
  if (i >= fetched_->files.size()) return {};
  return fetched_->files[i];
}

bool DataFileList::FileIsAvailable(idx_t i) const {
  const std::lock_guard lock(fetched_->mutex);
  return i < fetched_->files.size();
}

duckdb::vector<duckdb::OpenFileInfo> DataFileList::GetAllFiles() const {
  const std::lock_guard lock(fetched_->mutex);
  FetchUntil(UINT64_MAX);
  return {fetched_->files.begin(), fetched_->files.end()};
}

idx_t DataFileList::GetTotalFileCount() const {
  const std::lock_guard lock(fetched_->mutex);
  FetchUntil(UINT64_MAX);
  return fetched_->files.size();
}

duckdb::MultiFileCount DataFileList::GetFileCount(idx_t min_exact_count) const {
  const std::lock_guard lock(fetched_->mutex);
  FetchUntil(min_exact_count);
  return duckdb::MultiFileCount(
      fetched_->files.size(),
      fetched_->at_end ? duckdb::FileExpansionType::ALL_FILES_EXPANDED
                       : duckdb::FileExpansionType::NOT_ALL_FILES_KNOWN);
}

duckdb::FileExpandResult DataFileList::GetExpandResult() const {
  const std::lock_guard lock(fetched_->mutex);
  FetchUntil(1);
  // Never SINGLE_FILE: DuckDB would read a lone file, whose row groups it did
  // not count when binding, with a single thread.
  return fetched_->files.empty() ? duckdb::FileExpandResult::NO_FILES
                                 : duckdb::FileExpandResult::MULTIPLE_FILES;
}

duckdb::vector<duckdb::OpenFileInfo> DataFileList::GetDisplayFileList(
    duckdb::optional_idx max_files) const {
  constexpr idx_t kMostShown = 100;
  const idx_t most = max_files.IsValid()
                         ? std::min(max_files.GetIndex(), kMostShown)
                         : kMostShown;
  const std::lock_guard lock(fetched_->mutex);
  FetchUntil(most);
  const auto& files = fetched_->files;
  return {files.begin(), files.begin() + static_cast<std::ptrdiff_t>(
                                             std::min(most, files.size()))};
}

duckdb::unique_ptr<duckdb::NodeStatistics> DataFileList::GetCardinality(
    duckdb::ClientContext&) const {
  const std::lock_guard lock(fetched_->mutex);
  FetchUntil(kSample);
  double rows = 0;
  for (const auto& file : fetched_->files) {
    rows += static_cast<double>(EstimatedRows(DataFileOf(file)));
  }
  if (!fetched_->at_end) rows *= kUnknownFactor;
  constexpr double kMost = 1e15;  // The log may say anything.
  return duckdb::make_uniq<duckdb::NodeStatistics>(
      static_cast<idx_t>(std::min(rows, kMost)));
}

duckdb::unique_ptr<duckdb::MultiFileList> DataFileList::ComplexFilterPushdown(
    duckdb::ClientContext& context, const duckdb::MultiFileOptions&,
    duckdb::MultiFilePushdownInfo& info,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) const {
  SpellDistinctOut(filters);
  auto pruning =
      FilePruning::WithFilters(context, table_, pruning_, info, filters);
  if (pruning == pruning_) return nullptr;
  return duckdb::make_uniq<DataFileList>(table_, source_, std::move(pruning));
}

duckdb::unique_ptr<duckdb::MultiFileList> DataFileList::DynamicFilterPushdown(
    duckdb::ClientContext& context, const duckdb::MultiFileOptions&,
    const duckdb::vector<duckdb::string>&,
    const duckdb::vector<duckdb::LogicalType>&,
    const duckdb::vector<duckdb::column_t>& column_ids,
    duckdb::TableFilterSet& filters) const {
  auto pruning = FilePruning::WithTableFilters(context, table_, pruning_,
                                               column_ids, filters);
  if (pruning == pruning_) return nullptr;
  return duckdb::make_uniq<DataFileList>(table_, source_, std::move(pruning));
}

duckdb::unique_ptr<duckdb::MultiFileList> DataFileList::Copy() const {
  auto copy = duckdb::make_uniq<DataFileList>(table_, source_, pruning_);
  copy->fetched_ = fetched_;
  return copy;
}

}  // namespace bayou::scan
