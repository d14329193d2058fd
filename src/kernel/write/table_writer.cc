// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/table_writer.h"

#include <algorithm>
#include <duckdb/common/vector_operations/vector_operations.hpp>
#include <utility>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/write/finite_check.h"
#include "kernel/write/not_null_check.h"

namespace bayou::write {
namespace {

using duckdb::DataChunk;
using duckdb::idx_t;
using duckdb::SelectionVector;
using duckdb::Vector;

// Marks each row that differs from the row before in one of the columns.
void MarkChanges(DataChunk& rows, const std::vector<std::size_t>& columns,
                 std::vector<bool>& changed) {
  const idx_t pairs = rows.size() - 1;
  SelectionVector next(pairs);
  for (idx_t i = 0; i < pairs; ++i) next.set_index(i, i + 1);
  SelectionVector differs(pairs);
  for (const std::size_t column : columns) {
    Vector before(rows.data[column]);
    Vector after(rows.data[column], next, pairs);
    Vector distinct(duckdb::LogicalType::BOOLEAN);
    duckdb::VectorOperations::DistinctFrom(before, after, distinct, pairs);
    distinct.Flatten(pairs);
    const bool* flags = duckdb::FlatVector::GetData<bool>(distinct);
    for (idx_t i = 0; i < pairs; ++i) {
      if (flags[i]) changed[i + 1] = true;
    }
  }
}

}  // namespace

struct TableWriter::OpenFile {
  PartitionKey key;
  std::string name;  // Decoded, relative to the table.
  std::unique_ptr<DataFileWriter> writer;
  FileStatisticsWriter statistics;
};

TableWriter::TableWriter(duckdb::ClientContext& context,
                         std::shared_ptr<store::Store> store,
                         std::shared_ptr<const ParquetFormat> format, Env& env,
                         Encoding encoding)
    : context_(context),
      store_(std::move(store)),
      format_(std::move(format)),
      env_(env),
      encoding_(encoding),
      check_(context, format_->rules()) {}

TableWriter::~TableWriter() {
  if (open_) {
    const std::string name = open_->name;
    open_.reset();  // Closes the file.
    (void)store_->Delete(name);
  }
  DeleteFiles(*store_, written_.files);
}

Status TableWriter::Append(DataChunk& rows) {
  if (rows.size() == 0) return {};
  BAYOU_TRY(CheckNotNull(format_->layout().schema, rows));
  BAYOU_TRY(CheckFinite(format_->layout().schema, rows));
  BAYOU_TRY(check_.Check(rows));
  return AppendUnchecked(rows);
}

Status TableWriter::AppendUnchecked(DataChunk& rows) {
  if (rows.size() == 0) return {};
  const FileLayout& layout = format_->layout();
  if (layout.partition_columns.empty()) return AppendToPartition({}, rows);

  std::vector<bool> starts(rows.size() + 1, false);
  if (rows.size() > 1) {
    BAYOU_TRY(engine::Guard(
        [&] { MarkChanges(rows, layout.partition_columns, starts); }));
  }
  starts[rows.size()] = true;
  DataChunk part;
  part.InitializeEmpty(rows.GetTypes());
  for (idx_t first = 0, end = 1; end <= rows.size(); ++end) {
    if (!starts[end]) continue;
    BAYOU_ASSIGN(const PartitionKey key, KeyOf(rows, first));
    part.Reference(rows);
    if (end - first < rows.size()) {
      SelectionVector selected(end - first);
      for (idx_t i = first; i < end; ++i) selected.set_index(i - first, i);
      part.Slice(selected, end - first);
    }
    BAYOU_TRY(AppendToPartition(key, part));
    first = end;
  }
  return {};
}

Result<PartitionKey> TableWriter::KeyOf(DataChunk& rows,
                                        std::size_t row) const {
  const FileLayout& layout = format_->layout();
  PartitionKey key;
  for (const std::size_t column : layout.partition_columns) {
    const protocol::Field& field = layout.schema.fields[column];
    BAYOU_ASSIGN(const duckdb::Value value,
                 engine::Guard([&] { return rows.GetValue(column, row); }));
    auto text = engine::FormatPartitionValue(value, field.type);
    if (!text) {
      Error error = text.error();
      error.message = "column " + field.name + ": " + error.message;
      return tl::unexpected(std::move(error));
    }
    key.push_back(*std::move(text));
  }
  return key;
}

Status TableWriter::AppendToPartition(const PartitionKey& key,
                                      DataChunk& rows) {
  if (open_ && (open_->key != key || open_->writer->IsFull()))
    BAYOU_TRY(CloseFile());
  if (!open_) BAYOU_TRY(OpenFor(key));
  BAYOU_TRY(engine::Guard([&] { open_->statistics.Update(rows); }));
  DataChunk stored;
  for (const std::size_t column : format_->layout().stored_columns) {
    stored.data.emplace_back(rows.data[column]);
  }
  stored.SetCardinality(rows.size());
  return open_->writer->Append(stored);
}

Status TableWriter::OpenFor(const PartitionKey& key) {
  std::string name = NewDataFileName(*format_, key, env_);
  BAYOU_ASSIGN(auto writer,
               DataFileWriter::Create(context_, format_,
                                      store_->NativePath(name), encoding_));
  open_ = std::unique_ptr<OpenFile>(
      new OpenFile{key, std::move(name), std::move(writer),
                   FileStatisticsWriter(format_->shared_layout())});
  return {};
}

Status TableWriter::CloseFile() {
  BAYOU_ASSIGN(const std::int64_t size, open_->writer->Close());
  BAYOU_TRY(store_->Sync(open_->name));
  const FileLayout& layout = format_->layout();
  protocol::AddFile add;
  add.path = PercentEncodePath(open_->name);
  for (std::size_t i = 0; i < open_->key.size(); ++i) {
    const auto& field = layout.schema.fields[layout.partition_columns[i]];
    add.partition_values[field.physical_name()] = open_->key[i];
  }
  add.size = size;
  add.modification_time = env_.NowMs();
  add.stats = open_->statistics.ToJson();
  for (const auto& [tag, value] : layout.tags) add.tags[tag] = value;
  written_.rows += open_->statistics.num_records();
  written_.bytes += size;
  written_.files.push_back(std::move(add));
  open_.reset();
  return {};
}

Result<WrittenFiles> TableWriter::Finish() {
  if (open_) BAYOU_TRY(CloseFile());
  return std::exchange(written_, {});
}

void DeleteFiles(store::Store& store,
                 const std::vector<protocol::AddFile>& files) {
  for (const protocol::AddFile& file : files) {
    (void)store.Delete(CanonicalPath(file.path));
  }
}

}  // namespace bayou::write
