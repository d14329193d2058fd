// SPDX-License-Identifier: Apache-2.0
//
// The files of a scan, as DuckDB asks for them: one after another, made when
// the scan gets there. A filter that becomes known makes a new list.
#pragma once

#include <duckdb.hpp>
#include <duckdb/common/multi_file/multi_file_list.hpp>
#include <memory>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_replay.h"
#include "kernel/scan/data_file.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {

class FilePruning;

class DataFileCursor {
 public:
  virtual ~DataFileCursor() = default;
  // Appends the next files; false at the end.
  virtual Result<bool> Next(
      std::vector<duckdb::shared_ptr<DataFile>>& files) = 0;
};

// Where a list's files come from. Immutable.
class DataFileSource {
 public:
  virtual ~DataFileSource() = default;
  // `pruning` may be null: every file.
  virtual Result<std::unique_ptr<DataFileCursor>> Open(
      std::shared_ptr<const FilePruning> pruning) const = 0;
};

// The live files of the snapshot.
std::shared_ptr<const DataFileSource> SnapshotFiles(
    std::shared_ptr<const ScannedTable> table);

class DataFileList : public duckdb::MultiFileList {
 public:
  DataFileList(std::shared_ptr<const ScannedTable> table,
               std::shared_ptr<const DataFileSource> source,
               std::shared_ptr<const FilePruning> pruning);

  const std::shared_ptr<const ScannedTable>& table() const { return table_; }
  const std::shared_ptr<const DataFileSource>& source() const {
    return source_;
  }
  const std::shared_ptr<const FilePruning>& pruning() const { return pruning_; }

  duckdb::unique_ptr<duckdb::MultiFileList> ComplexFilterPushdown(
      duckdb::ClientContext& context, const duckdb::MultiFileOptions& options,
      duckdb::MultiFilePushdownInfo& info,
      duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters)
      const override;
  duckdb::unique_ptr<duckdb::MultiFileList> DynamicFilterPushdown(
      duckdb::ClientContext& context, const duckdb::MultiFileOptions& options,
      const duckdb::vector<duckdb::string>& names,
      const duckdb::vector<duckdb::LogicalType>& types,
      const duckdb::vector<duckdb::column_t>& column_ids,
      duckdb::TableFilterSet& filters) const override;

  duckdb::vector<duckdb::OpenFileInfo> GetAllFiles() const override;
  duckdb::FileExpandResult GetExpandResult() const override;
  duckdb::idx_t GetTotalFileCount() const override;
  duckdb::MultiFileCount GetFileCount(
      duckdb::idx_t min_exact_count) const override;
  duckdb::vector<duckdb::OpenFileInfo> GetDisplayFileList(
      duckdb::optional_idx max_files) const override;
  // Rows, from the statistics of the first files. Never null.
  duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(
      duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::MultiFileList> Copy() const override;

 protected:
  bool FileIsAvailable(duckdb::idx_t i) const override;
  duckdb::OpenFileInfo GetFile(duckdb::idx_t i) const override;

 private:
  // Copies of a list share what was fetched: it is the same files.
  struct Fetched;

  // The files from the first up to at least `count`, if there are so many.
  void FetchUntil(duckdb::idx_t count) const;
  Status FetchBatch() const;

  std::shared_ptr<const ScannedTable> table_;
  std::shared_ptr<const DataFileSource> source_;
  std::shared_ptr<const FilePruning> pruning_;
  std::shared_ptr<Fetched> fetched_;
};

}  // namespace bayou::scan
