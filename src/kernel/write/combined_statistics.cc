// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/combined_statistics.h"

#include <duckdb.hpp>
#include <utility>
#include <vector>

#include "kernel/engine/types.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/write/file_statistics_writer.h"

namespace bayou::write {
namespace {

using duckdb::Value;
using protocol::ColumnBounds;

// One column of all files.
class Combined {
 public:
  explicit Combined(const protocol::DataType& type) : type_(&type) {}

  // False: it does not count the nulls where it should.
  bool Add(const ColumnBounds& bounds, std::int64_t rows) {
    if (!bounds.null_count && protocol::HasBounds(type_->kind)) return false;
    if (summary_.null_count && bounds.null_count) {
      *summary_.null_count += *bounds.null_count;
    } else {
      summary_.null_count.reset();
    }
    if (bounds.null_count != rows) Widen(bounds);
    return true;
  }

  FileStatisticsWriter::Summary Take() {
    if (!has_bounds_) summary_.min = summary_.max = Value();
    return std::move(summary_);
  }

 private:
  void Widen(const ColumnBounds& bounds) {
    const auto parse = [this](const std::optional<std::string>& text) {
      return text ? engine::ParseBound(*text, *type_) : std::nullopt;
    };
    const auto min = parse(bounds.min);
    const auto max = parse(bounds.max);
    if (!min || !max) has_bounds_ = false;
    if (!has_bounds_) return;
    if (summary_.min.IsNull() || *min < summary_.min) summary_.min = *min;
    if (summary_.max.IsNull() || *max > summary_.max) summary_.max = *max;
  }

  const protocol::DataType* type_;
  FileStatisticsWriter::Summary summary_{0, Value(), Value()};
  bool has_bounds_ = true;
};

}  // namespace

std::optional<std::string> CombineStatistics(
    const std::shared_ptr<const FileLayout>& layout,
    std::span<const CountedFile> files) {
  std::vector<protocol::ColumnPath> paths;
  std::vector<Combined> columns;
  for (const protocol::StatisticsColumn& column : layout->statistics) {
    paths.push_back(column.path);
    columns.emplace_back(column.type);
  }
  std::int64_t rows = 0;
  for (const CountedFile& file : files) {
    const auto read = protocol::ReadStatistics(file.stats.value_or(""), paths);
    if (read.num_records != file.rows || !read.tight_bounds)
      return std::nullopt;
    rows += file.rows;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].Add(read.columns[i], file.rows)) return std::nullopt;
    }
  }
  std::vector<FileStatisticsWriter::Summary> summaries;
  summaries.reserve(columns.size());
  for (Combined& column : columns) summaries.push_back(column.Take());
  FileStatisticsWriter statistics(layout);
  statistics.Take(rows, summaries);
  return statistics.ToJson();
}

}  // namespace bayou::write
