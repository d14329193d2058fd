// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/data_file_writer.h"

#include <algorithm>
#include <duckdb/catalog/catalog_entry/copy_function_catalog_entry.hpp>
#include <duckdb/common/types/column/column_data_collection.hpp>
#include <utility>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"

namespace bayou::write {
namespace {

// A row group ends after so many rows, as everywhere in DuckDB, or so many
// bytes in memory: the bound on what a writer holds.
constexpr duckdb::idx_t kRowGroupRows = 122'880;
constexpr std::int64_t kRowGroupBytes = 64 << 20;

// DuckDB's word for a codec of Spark's. Unknown ones go through: DuckDB says
// so.
std::string DuckCodec(const std::string& codec) {
  if (codec == "none") return "uncompressed";
  return codec == "lz4raw" ? "lz4_raw" : codec;
}

// DuckDB's CreateDirectoriesRecursive takes a backslash for a separator.
void CreateFolders(duckdb::FileSystem& files, const std::string& folder) {
  if (folder.empty() || files.DirectoryExists(folder)) return;
  const std::size_t slash = folder.rfind('/');
  if (slash != std::string::npos) CreateFolders(files, folder.substr(0, slash));
  files.CreateDirectory(folder);
}

}  // namespace

Result<std::shared_ptr<const ParquetFormat>> ParquetFormat::Bind(
    duckdb::ClientContext& context, std::shared_ptr<const FileLayout> layout) {
  BAYOU_ASSIGN(auto rules,
               RowRules::Bind(context, layout->metadata, layout->schema));
  return engine::Guard([&]() -> std::shared_ptr<const ParquetFormat> {
    auto& system = duckdb::Catalog::GetSystemCatalog(context);
    auto function = system
                        .GetEntry<duckdb::CopyFunctionCatalogEntry>(
                            context, DEFAULT_SCHEMA, "parquet")
                        .function;
    duckdb::CopyInfo info;
    info.is_from = false;
    info.format = "parquet";
    info.options["compression"] = {duckdb::Value(DuckCodec(layout->codec))};
    // Those of DuckDB 1.5 answer `= 0` with no for -0.0, and miss binary values
    // that are not printable.
    info.options["write_bloom_filter"] = {duckdb::Value::BOOLEAN(false)};
    if (!layout->field_ids.IsNull())
      info.options["field_ids"] = {layout->field_ids};
    duckdb::CopyFunctionBindInput input(info, function.function_info);
    auto bind_data = function.copy_to_bind(context, input, layout->stored_names,
                                           layout->stored_types);
    return std::shared_ptr<const ParquetFormat>(
        new ParquetFormat(std::move(function), std::move(bind_data),
                          std::move(layout), std::move(rules)));
  });
}

std::string ParquetFormat::extension() const {
  const std::string& codec = layout_->codec;
  if (codec == "none" || codec == "uncompressed") return "parquet";
  return (codec == "gzip" ? "gz" : codec) + ".parquet";
}

DataFileWriter::DataFileWriter(duckdb::ClientContext& context,
                               std::shared_ptr<const ParquetFormat> format,
                               std::string path, Encoding encoding)
    : context_(context),
      format_(std::move(format)),
      path_(std::move(path)),
      encoding_(encoding) {}

Result<std::unique_ptr<DataFileWriter>> DataFileWriter::Create(
    duckdb::ClientContext& context, std::shared_ptr<const ParquetFormat> format,
    const std::string& path, Encoding encoding) {
  return engine::Guard([&] {
    auto& files = duckdb::FileSystem::GetFileSystem(context);
    const std::string folder = path.substr(0, path.rfind('/'));
    std::unique_ptr<DataFileWriter> writer(
        new DataFileWriter(context, std::move(format), path, encoding));
    const auto open = [&] {
      CreateFolders(files, folder);
      writer->file_ = writer->format_->function_.copy_to_initialize_global(
          context, *writer->format_->bind_data_, path);
      writer->encoder_ = std::make_unique<RowGroupEncoder>(
          context, writer->format_->layout(), *writer->file_);
    };
    try {
      open();
    } catch (const std::exception&) {
      // VACUUM takes folders away that hold nothing, maybe in between.
      if (files.DirectoryExists(folder)) throw;
      open();
    }
    return writer;
  });
}

void DataFileWriter::StartRowGroup(
    const duckdb::vector<duckdb::LogicalType>& types) {
  row_group_ = duckdb::make_uniq<duckdb::ColumnDataCollection>(context_, types);
  row_group_->SetPartitionIndex(
      0);  // Moved to disk only when nothing else can be.
  append_ = {};
  row_group_->InitializeAppend(append_);
}

Status DataFileWriter::Append(duckdb::DataChunk& rows) {
  return engine::Guard([&] {
    if (!row_group_) StartRowGroup(rows.GetTypes());
    row_group_->Append(append_, rows);
    const auto bytes = static_cast<std::int64_t>(row_group_->SizeInBytes());
    const std::int64_t limit =
        std::min(kRowGroupBytes, format_->layout().target_file_size);
    if (row_group_->Count() >= kRowGroupRows || bytes >= limit) EndRowGroup();
  });
}

void DataFileWriter::EndRowGroup() {
  append_.current_chunk_state.handles.clear();
  WriteEncoded();
  auto encode = [this, rows = std::move(row_group_)] {
    return encoder_->Encode(*rows);
  };
  // Near the target it has to be known how large the file is.
  if (encoding_ == Encoding::kBeside &&
      !HasReached(format_->layout().target_file_size - kRowGroupBytes)) {
    encoded_ = std::async(std::launch::async, std::move(encode));
  } else {
    encoder_->Write(encode());
  }
}

void DataFileWriter::WriteEncoded() {
  if (encoded_.valid()) encoder_->Write(encoded_.get());
}

bool DataFileWriter::HasReached(std::int64_t size) const {
  if (size <= 0) return true;
  return format_->function_.rotate_next_file(*file_, *format_->bind_data_,
                                             static_cast<duckdb::idx_t>(size));
}

bool DataFileWriter::IsFull() const {
  return HasReached(format_->layout().target_file_size);
}

Result<std::int64_t> DataFileWriter::Close() {
  return engine::Guard([&] {
    if (row_group_) EndRowGroup();
    WriteEncoded();
    format_->function_.copy_to_finalize(context_, *format_->bind_data_, *file_);
    file_.reset();
    auto& files = duckdb::FileSystem::GetFileSystem(context_);
    auto file = files.OpenFile(path_, duckdb::FileOpenFlags::FILE_FLAGS_READ);
    return static_cast<std::int64_t>(file->GetFileSize());
  });
}

}  // namespace bayou::write
