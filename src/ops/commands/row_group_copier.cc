// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/row_group_copier.h"

#include <parquet_types.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/uri_path.h"
#include "kernel/scan/data_file_place.h"
#include "kernel/write/combined_statistics.h"
#include "kernel/write/data_file_name.h"
#include "kernel/write/row_group_writer.h"

namespace bayou::commands {
namespace {

using duckdb_parquet::CompressionCodec;
using protocol::AddFile;
using protocol::DataType;
using protocol::Field;
using protocol::TypeKind;
using write::CopySource;

// Half of what a row group has that Bayou fills, or so many bytes.
constexpr std::int64_t kEnoughRows = 61'440;
constexpr std::int64_t kEnoughBytes = 8 << 20;
// Pieces of columns in one file, each of which takes a KiB or two of its footer
// here and with everybody who reads it.
constexpr std::size_t kMostChunks = 50'000;

// As DuckDB writes it.
std::optional<CompressionCodec::type> CodecOf(const std::string& name) {
  if (name == "snappy") return CompressionCodec::SNAPPY;
  if (name == "zstd") return CompressionCodec::ZSTD;
  if (name == "gzip") return CompressionCodec::GZIP;
  if (name == "lz4" || name == "lz4raw" || name == "lz4_raw")
    return CompressionCodec::LZ4_RAW;
  if (name == "none" || name == "uncompressed")
    return CompressionCodec::UNCOMPRESSED;
  return std::nullopt;
}

bool IsStoredAs(const DataType& stored, const DataType& type);

bool IsStoredAs(const Field& stored, const Field& field) {
  return stored.name == field.physical_name() &&
         IsStoredAs(stored.type, field.type);
}

bool IsStoredAs(const DataType& stored, const DataType& type) {
  if (stored.kind != type.kind || stored.precision != type.precision ||
      stored.scale != type.scale)
    return false;
  // Whether it may be shredded is a property of the table.
  if (type.kind == TypeKind::kVariant) return false;
  const auto same = [](const auto& a, const auto& b) {
    return IsStoredAs(a, b);
  };
  return std::ranges::equal(stored.fields, type.fields, same) &&
         std::ranges::equal(stored.children, type.children, same);
}

// The partition's values in the order of the layout.
write::PartitionKey KeyOf(const write::FileLayout& layout,
                          const protocol::PartitionValues& partition) {
  write::PartitionKey key;
  for (const std::size_t column : layout.partition_columns) {
    const auto found =
        partition.find(layout.schema.fields[column].physical_name());
    const bool is_null = found == partition.end() || found->second == "";
    key.push_back(is_null ? std::nullopt : found->second);
  }
  return key;
}

}  // namespace

// What the files of a task say. One of many files is open at a time.
struct RowGroupCopier::Sources {
  std::vector<std::string> names;  // In the store.
  std::vector<std::unique_ptr<duckdb_parquet::FileMetaData>> footers;
  std::vector<CopySource> sources;
  std::vector<write::CountedFile> counted;
};

RowGroupCopier::RowGroupCopier(
    duckdb::ClientContext& context,
    std::shared_ptr<const scan::ScannedTable> table,
    std::shared_ptr<const write::ParquetFormat> format, Env& env)
    : context_(&context),
      table_(std::move(table)),
      format_(std::move(format)),
      env_(&env) {}

bool RowGroupCopier::MayBeCopied(const RewriteTask& task) const {
  if (task.files.size() < 2 ||
      task.bytes() > format_->layout().target_file_size)
    return false;
  return std::ranges::all_of(task.files, [](const AddFile& file) {
    return file.stats && !file.deletion_vector &&
           !IsAbsolutePath(CanonicalPath(file.path));
  });
}

bool RowGroupCopier::HasColumnsOfTable(const protocol::Schema& stored) const {
  const write::FileLayout& layout = format_->layout();
  return std::ranges::equal(stored.fields, layout.stored_columns,
                            [&](const Field& column, std::size_t position) {
                              return IsStoredAs(column,
                                                layout.schema.fields[position]);
                            });
}

Result<std::optional<scan::ParquetFooter>> RowGroupCopier::ReadFooter(
    const AddFile& file) const {
  BAYOU_TRY(scan::CheckLinks(*table_, file.path));
  BAYOU_ASSIGN(const std::string place, scan::PlaceOfFile(*table_, file.path));
  auto footer = scan::ParquetFooter::Read(*context_, place);
  if (footer) return std::optional(*std::move(footer));
  if (footer.error().code == ErrorCode::kResourceExhausted)
    return tl::unexpected<Error>(std::move(footer).error());
  return std::nullopt;  // Reading its rows shows what is wrong with it.
}

Result<std::optional<RowGroupCopier::Sources>> RowGroupCopier::Read(
    const RewriteTask& task) const {
  const auto codec = CodecOf(format_->layout().codec);
  if (!codec) return std::nullopt;
  const write::CopyRules rules{
      .codec = *codec, .min_rows = kEnoughRows, .min_bytes = kEnoughBytes};
  Sources all;
  std::size_t chunks = 0;
  for (const AddFile& file : task.files) {
    BAYOU_ASSIGN(const auto footer, ReadFooter(file));
    if (!footer || !HasColumnsOfTable(footer->schema())) return std::nullopt;
    for (const auto& group : footer->metadata().row_groups)
      chunks += group.columns.size();
    if (chunks > kMostChunks) return std::nullopt;
    all.names.push_back(CanonicalPath(file.path));
    all.footers.push_back(
        std::make_unique<duckdb_parquet::FileMetaData>(footer->metadata()));
    all.sources.push_back(
        {all.names.back(), footer->offset(), all.footers.back().get()});
    all.counted.push_back({file.stats, footer->rows()});
    // With each file, so that most of those that differ are never opened.
    const std::vector<CopySource> pair = {all.sources.front(),
                                          all.sources.back()};
    if (write::WhyDecoded(pair, rules)) return std::nullopt;
  }
  return all;
}

Result<std::optional<write::WrittenFiles>> RowGroupCopier::Copy(
    const RewriteTask& task) const {
  if (!MayBeCopied(task)) return std::nullopt;
  BAYOU_ASSIGN(const auto all, Read(task));
  if (!all) return std::nullopt;
  const auto stats =
      write::CombineStatistics(format_->shared_layout(), all->counted);
  if (!stats) return std::nullopt;
  const auto copy = write::PlanRowGroupCopy(all->sources);
  if (!copy) return std::nullopt;  // Its readers may know better.

  store::Store& store = table_->snapshot->store();
  const std::string name = write::NewDataFileName(
      *format_, KeyOf(format_->layout(), task.partition), *env_);
  const auto size =
      write::WriteRowGroups(*context_, store, all->names, *copy, name);
  if (!size) {
    (void)store.Delete(name);
    return tl::unexpected<Error>(size.error());
  }
  AddFile add;
  add.path = PercentEncodePath(name);
  add.partition_values = task.partition;
  add.size = *size;
  add.modification_time = env_->NowMs();
  add.stats = *stats;
  for (const auto& [tag, value] : format_->layout().tags) add.tags[tag] = value;
  write::WrittenFiles written{{}, copy->footer.num_rows, *size};
  written.files.push_back(std::move(add));
  return written;
}

}  // namespace bayou::commands
