// SPDX-License-Identifier: Apache-2.0
//
// Reads one data file after another as rows of the table: tells DuckDB's
// Parquet reader which columns to read, and what to do with what comes out.
#pragma once

#include <duckdb.hpp>
#include <duckdb/common/multi_file/multi_file_reader.hpp>
#include <duckdb/function/table_function.hpp>
#include <memory>

#include "kernel/scan/data_file_list.h"
#include "kernel/scan/opened_files.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {

// What makes a reader: the function_info of a scan's table function.
struct ScanFunctionInfo : public duckdb::TableFunctionInfo {
  std::shared_ptr<const ScannedTable> table;
  std::shared_ptr<const DataFileSource> source;
  std::shared_ptr<OpenedFiles> opened = std::make_shared<OpenedFiles>();
  duckdb::table_function_t parquet_scan = nullptr;  // DuckDB's own.
  duckdb::table_function_init_global_t begin_parquet_scan = nullptr;
};

class DataFileReader : public duckdb::MultiFileReader {
 public:
  explicit DataFileReader(duckdb::shared_ptr<ScanFunctionInfo> info)
      : info_(std::move(info)) {}

  const ScanFunctionInfo& info() const { return *info_; }
  const ScannedTable& table() const { return *info_->table; }

  duckdb::shared_ptr<duckdb::MultiFileList> CreateFileList(
      duckdb::ClientContext& context,
      const duckdb::vector<duckdb::string>& paths,
      const duckdb::FileGlobInput& glob_input) override;
  bool Bind(duckdb::MultiFileOptions& options, duckdb::MultiFileList& files,
            duckdb::vector<duckdb::LogicalType>& types,
            duckdb::vector<duckdb::string>& names,
            duckdb::MultiFileReaderBindData& bind_data) override;
  void BindOptions(duckdb::MultiFileOptions& options,
                   duckdb::MultiFileList& files,
                   duckdb::vector<duckdb::LogicalType>& types,
                   duckdb::vector<duckdb::string>& names,
                   duckdb::MultiFileReaderBindData& bind_data) override;
  // Opens a file. Throws DELTA_FILE_NOT_FOUND, DELTA_PARQUET_INVALID.
  duckdb::shared_ptr<duckdb::BaseFileReader> CreateReader(
      duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& gstate,
      const duckdb::OpenFileInfo& file, duckdb::idx_t file_idx,
      const duckdb::MultiFileBindData& bind_data) override;
  duckdb::ReaderInitializeType InitializeReader(
      duckdb::MultiFileReaderData& reader_data,
      const duckdb::MultiFileBindData& bind_data,
      const duckdb::vector<duckdb::MultiFileColumnDefinition>& global_columns,
      const duckdb::vector<duckdb::ColumnIndex>& global_column_ids,
      duckdb::optional_ptr<duckdb::TableFilterSet> table_filters,
      duckdb::ClientContext& context,
      duckdb::MultiFileGlobalState& gstate) override;
  duckdb::unique_ptr<duckdb::MultiFileReader> Copy() const override;

  // What went wrong with `file`, told with the file and the table. Errors that
  // are not about the file (out of memory, interrupted, ours) stay as they are.
  [[noreturn]] void Rethrow(duckdb::ClientContext& context,
                            const duckdb::OpenFileInfo& file,
                            const std::exception& failure) const;

 private:
  duckdb::shared_ptr<ScanFunctionInfo> info_;
};

}  // namespace bayou::scan
