// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/chosen_rows.h"

#include <parquet_reader.hpp>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/scan/data_file_list.h"
#include "kernel/scan/data_file_place.h"
#include "kernel/scan/deleted_rows.h"
#include "kernel/scan/scan_binding.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {
namespace {

using Files = std::vector<duckdb::shared_ptr<DataFile>>;

class ChosenCursor final : public DataFileCursor {
 public:
  explicit ChosenCursor(const Files& files) : files_(files) {}
  Result<bool> Next(Files& files) override {
    files.insert(files.end(), files_.begin(), files_.end());
    return false;
  }

 private:
  const Files& files_;
};

class ChosenSource final : public DataFileSource {
 public:
  explicit ChosenSource(Files files) : files_(std::move(files)) {}
  Result<std::unique_ptr<DataFileCursor>> Open(
      std::shared_ptr<const FilePruning>) const override {
    return std::make_unique<ChosenCursor>(files_);
  }

 private:
  Files files_;
};

duckdb::shared_ptr<DataFile> FileOf(ChosenRows rows) {
  auto file = duckdb::make_shared_ptr<DataFile>();
  file->add = std::move(rows.file);
  file->only_rows = std::move(rows.only);
  file->constants.emplace_back(kChangeTypeColumn,
                               rows.change_type.empty()
                                   ? duckdb::Value(duckdb::LogicalType::VARCHAR)
                                   : duckdb::Value(rows.change_type));
  return file;
}

ScannedColumn ChangeTypeColumn() {
  ScannedColumn column;
  column.field.name = kChangeTypeColumn;
  column.field.type = protocol::DataType::Of(protocol::TypeKind::kString);
  column.type = duckdb::LogicalType::VARCHAR;
  column.is_mapped = false;
  return column;
}

}  // namespace

BoundScan BindChosenRows(duckdb::ClientContext& context,
                         std::shared_ptr<const table::Snapshot> snapshot,
                         const ScanOptions& options,
                         std::vector<ChosenRows> rows, bool with_change_type) {
  auto table = engine::Unwrap(DescribeTable(std::move(snapshot), options));
  if (with_change_type) table->columns.push_back(ChangeTypeColumn());
  Files files;
  for (ChosenRows& chosen : rows) files.push_back(FileOf(std::move(chosen)));
  return BindFiles(context, std::move(table),
                   std::make_shared<ChosenSource>(std::move(files)));
}

std::int64_t CountStoredRows(
    duckdb::ClientContext& context,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const ScanOptions& options, const protocol::AddFile& file) {
  ScannedTable table;
  table.snapshot = snapshot;
  table.options = options;
  const std::string place = engine::Unwrap(PlaceOfFile(table, file.path));
  const duckdb::ParquetReader reader(context, duckdb::OpenFileInfo(place),
                                     duckdb::ParquetOptions(context));
  return static_cast<std::int64_t>(reader.NumRows());
}

Result<protocol::DeletionVector> DeletedRowsOf(
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const ScanOptions& options, const protocol::AddFile& file) {
  if (!file.deletion_vector) return protocol::DeletionVector();
  ScannedTable table;
  table.snapshot = snapshot;
  table.options = options;
  return LoadDeletionVector(table, file.path, *file.deletion_vector);
}

}  // namespace bayou::scan
