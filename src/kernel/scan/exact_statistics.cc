// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/exact_statistics.h"

#include <duckdb/storage/statistics/base_statistics.hpp>
#include <duckdb/storage/statistics/numeric_stats.hpp>
#include <duckdb/storage/storage_index.hpp>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/scan/deleted_rows.h"
#include "kernel/scan/file_pruning.h"

namespace bayou::scan {
namespace {

using duckdb::BaseStatistics;
using duckdb::Value;
using protocol::TypeKind;

// More vectors than this are not worth reading ahead: the scan reads them too.
constexpr std::size_t kMostVectors = 1'000;

bool IsExactType(TypeKind kind) {
  switch (kind) {
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong:
    case TypeKind::kDate:
      return true;
    default:
      return false;
  }
}

class FileStatisticsOf : public duckdb::PartitionRowGroup {
 public:
  FileStatisticsOf(std::shared_ptr<const ScannedTable> table,
                   duckdb::shared_ptr<const DataFile> file)
      : table_(std::move(table)), file_(std::move(file)) {}

  duckdb::unique_ptr<BaseStatistics> GetColumnStatistics(
      const duckdb::StorageIndex& index) override {
    if (index.HasChildren() ||
        index.GetPrimaryIndex() >= table_->columns.size()) {
      return nullptr;
    }
    const ScannedColumn& column = table_->columns[index.GetPrimaryIndex()];
    return column.is_partition ? OfPartition(column) : OfStored(column);
  }

  // There are no others.
  bool MinMaxIsExact(const BaseStatistics&,
                     const duckdb::StorageIndex&) override {
    return true;
  }

 private:
  duckdb::unique_ptr<BaseStatistics> OfPartition(
      const ScannedColumn& column) const {
    const auto found =
        file_->add.partition_values.find(column.field.physical_name());
    if (found == file_->add.partition_values.end()) return nullptr;
    const auto value =
        engine::ParsePartitionValue(found->second, column.field.type);
    // Strings: DuckDB's statistics hold eight bytes of one.
    if (!value || value->IsNull() || !IsExactType(column.field.type.kind)) {
      return nullptr;
    }
    return BaseStatistics::FromConstant(*value).ToUnique();
  }

  duckdb::unique_ptr<BaseStatistics> OfStored(
      const ScannedColumn& column) const {
    const auto& add = file_->add;
    if (add.deletion_vector || !add.stats ||
        !IsExactType(column.field.type.kind)) {
      return nullptr;
    }
    const protocol::ColumnPath path = {column.field.physical_name()};
    const auto statistics = protocol::ReadStatistics(*add.stats, {&path, 1});
    const protocol::ColumnBounds& bounds = statistics.columns.at(0);
    if (!statistics.tight_bounds || !bounds.min || !bounds.max) return nullptr;
    const auto min = engine::ParseBound(*bounds.min, column.field.type);
    const auto max = engine::ParseBound(*bounds.max, column.field.type);
    if (!min || !max || *min > *max) return nullptr;
    auto stats = BaseStatistics::CreateUnknown(column.type);
    duckdb::NumericStats::SetMin(stats, *min);
    duckdb::NumericStats::SetMax(stats, *max);
    if (bounds.null_count == 0) {
      stats.Set(duckdb::StatsInfo::CANNOT_HAVE_NULL_VALUES);
    }
    return stats.ToUnique();
  }

  const std::shared_ptr<const ScannedTable> table_;
  const duckdb::shared_ptr<const DataFile> file_;
};

// Rows of a file that a scan gives, or nullopt when the log does not say.
Result<std::optional<std::uint64_t>> RowsOf(const ScannedTable& table,
                                            const DataFile& file) {
  if (!file.add.stats || file.only_rows) return std::nullopt;
  const auto stored = protocol::ReadStatistics(*file.add.stats, {}).num_records;
  if (!stored || *stored < 0) return std::nullopt;
  const auto rows = static_cast<std::uint64_t>(*stored);
  if (!file.add.deletion_vector) return rows;
  BAYOU_ASSIGN(
      const auto vector,
      LoadDeletionVector(table, file.add.path, *file.add.deletion_vector));
  // A vector that does not fit the file: for the scan to find out which is
  // wrong.
  if (const auto last = vector.Max(); last && *last >= rows)
    return std::nullopt;
  return rows - vector.Cardinality();
}

}  // namespace

duckdb::vector<duckdb::PartitionStatistics> ExactStatistics(
    const DataFileList& list) {
  const auto cursor = engine::Unwrap(list.source()->Open(list.pruning()));
  duckdb::vector<duckdb::PartitionStatistics> statistics;
  std::vector<duckdb::shared_ptr<DataFile>> files;
  std::uint64_t rows_before = 0;
  std::size_t vectors = 0;
  for (bool more = true; more;) {
    files.clear();
    more = engine::Unwrap(cursor->Next(files));
    if (list.pruning()) {
      if (const auto failure = list.pruning()->failure())
        engine::Throw(*failure);
    }
    for (auto& file : files) {
      if (file->add.deletion_vector && ++vectors > kMostVectors) return {};
      const auto rows = engine::Unwrap(RowsOf(*list.table(), *file));
      if (!rows) return {};
      duckdb::PartitionStatistics one;
      one.row_start = rows_before;
      one.count = *rows;
      one.count_type = duckdb::CountType::COUNT_EXACT;
      one.partition_row_group = duckdb::make_shared_ptr<FileStatisticsOf>(
          list.table(), std::move(file));
      statistics.push_back(std::move(one));
      rows_before += *rows;
    }
  }
  return statistics;
}

}  // namespace bayou::scan
