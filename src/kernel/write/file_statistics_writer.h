// SPDX-License-Identifier: Apache-2.0
//
// Gathers add.stats of one file while its rows pass by.
//
// Protocol: "Per-file Statistics". Minimum and maximum are kept for numbers,
// dates, timestamps and strings; null counts for every chosen leaf column,
// where a leaf of a null struct counts as null and a list or map by itself, not
// by its elements. A bound that JSON cannot hold, or that readers might take
// wrongly, is left out: a column with a NaN has none, an infinity is none, and
// neither is a time outside of years 1 to 9999.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/write/file_layout.h"

namespace bayou::write {

class FileStatisticsWriter {
 public:
  explicit FileStatisticsWriter(std::shared_ptr<const FileLayout> layout);
  ~FileStatisticsWriter();

  // `rows` have all the table's columns. Throws nothing of its own.
  void Update(duckdb::DataChunk& rows);

  // In the place of all the file's rows: so many of them, and of each of the
  // layout's statistics columns what is known of its values; NULL is no bound.
  struct Summary {
    std::optional<std::int64_t> null_count;
    duckdb::Value min;
    duckdb::Value max;
  };
  void Take(std::int64_t rows, const std::vector<Summary>& columns);

  std::int64_t num_records() const { return num_records_; }

  // The statistics as JSON text.
  std::string ToJson() const;

  class Column;  // One leaf's bounds and null count.

 private:
  std::shared_ptr<const FileLayout> layout_;
  std::int64_t num_records_ = 0;
  std::vector<std::unique_ptr<Column>> columns_;
};

}  // namespace bayou::write
