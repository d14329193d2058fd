// SPDX-License-Identifier: Apache-2.0
//
// Writes one Parquet file, row group by row group, through DuckDB's writer.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <duckdb/function/copy_function.hpp>
#include <future>
#include <memory>
#include <string>

#include "bayou/result.h"
#include "kernel/write/file_layout.h"
#include "kernel/write/row_group_encoder.h"
#include "kernel/write/row_rules.h"

namespace bayou::write {

// DuckDB's Parquet writer, set up for the files of one layout, and the rules
// that its rows keep. Shared by the threads of a statement.
class ParquetFormat {
 public:
  // Errors: see RowRules::Bind.
  static Result<std::shared_ptr<const ParquetFormat>> Bind(
      duckdb::ClientContext& context, std::shared_ptr<const FileLayout> layout);

  const FileLayout& layout() const { return *layout_; }
  const std::shared_ptr<const FileLayout>& shared_layout() const {
    return layout_;
  }
  const std::shared_ptr<const RowRules>& rules() const { return rules_; }
  // `snappy.parquet`: what file names end with.
  std::string extension() const;

 private:
  friend class DataFileWriter;
  ParquetFormat(duckdb::CopyFunction function,
                duckdb::unique_ptr<duckdb::FunctionData> bind_data,
                std::shared_ptr<const FileLayout> layout,
                std::shared_ptr<const RowRules> rules)
      : function_(std::move(function)),
        bind_data_(std::move(bind_data)),
        layout_(std::move(layout)),
        rules_(std::move(rules)) {}

  duckdb::CopyFunction function_;
  duckdb::unique_ptr<duckdb::FunctionData> bind_data_;
  std::shared_ptr<const FileLayout> layout_;
  std::shared_ptr<const RowRules> rules_;
};

// Who encodes a row group that is full: the thread that appends, or a thread
// beside it while the next one fills, which takes the memory of two.
enum class Encoding { kInTurn, kBeside };

// Used by one thread. Holds at most one row group of rows, in memory that
// DuckDB can move to disk, or two (see Encoding). A file that was not closed is
// left behind incomplete: the owner deletes it.
class DataFileWriter {
 public:
  // Creates the file at `path` (see Store::NativePath) and the folders above
  // it.
  static Result<std::unique_ptr<DataFileWriter>> Create(
      duckdb::ClientContext& context,
      std::shared_ptr<const ParquetFormat> format, const std::string& path,
      Encoding encoding = Encoding::kInTurn);

  // Appends rows: the layout's stored columns, in that order. Fields of structs
  // may have other names than in the file.
  Status Append(duckdb::DataChunk& rows);

  // The file has reached the layout's target size: close it.
  bool IsFull() const;

  // Writes what is left and the footer. Returns the file's size in bytes.
  Result<std::int64_t> Close();

 private:
  DataFileWriter(duckdb::ClientContext& context,
                 std::shared_ptr<const ParquetFormat> format, std::string path,
                 Encoding encoding);
  void StartRowGroup(const duckdb::vector<duckdb::LogicalType>& types);
  void EndRowGroup();
  // Writes the row group that is encoded beside, if there is one.
  void WriteEncoded();
  bool HasReached(std::int64_t size) const;

  duckdb::ClientContext& context_;
  std::shared_ptr<const ParquetFormat> format_;
  std::string path_;
  Encoding encoding_;
  duckdb::unique_ptr<duckdb::GlobalFunctionData> file_;
  std::unique_ptr<RowGroupEncoder> encoder_;  // Into `file_`.
  // What is encoded beside; it uses `encoder_`, and its end is waited for.
  std::future<EncodedRowGroup> encoded_;
  duckdb::unique_ptr<duckdb::ColumnDataCollection> row_group_;  // Null: empty.
  duckdb::ColumnDataAppendState append_;
};

}  // namespace bayou::write
