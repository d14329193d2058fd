// SPDX-License-Identifier: Apache-2.0
//
// What a Parquet file says about itself, whatever a table may say of it: its
// columns as Delta's types, how many rows it has, and what its row groups tell
// of the values. Reads the footer and no data.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <string>

#include "bayou/result.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/schema.h"

namespace duckdb {
class ParquetReader;
}
namespace duckdb_parquet {
class FileMetaData;
}

namespace bayou::scan {

// Of all the values of a column. What is not known for sure is nullopt, or NULL
// of the column's type.
struct ColumnSummary {
  std::optional<std::int64_t> null_count;
  duckdb::Value min;
  duckdb::Value max;
};

class ParquetFooter {
 public:
  // `place`: as the engine opens it. Errors: kCorruption, condition
  // DELTA_PARQUET_INVALID, for what is no Parquet file; kUnsupported,
  // DELTA_UNSUPPORTED_TYPE, naming the column, for what Delta has no type for,
  // or other readers of Delta could not read.
  static Result<ParquetFooter> Read(duckdb::ClientContext& context,
                                    const std::string& place);

  // All columns may be null.
  const protocol::Schema& schema() const { return schema_; }
  std::int64_t rows() const { return rows_; }

  // As it is stored, and where it begins in the file.
  const duckdb_parquet::FileMetaData& metadata() const;
  std::int64_t offset() const;

  // Of a leaf (a field of structs, by their names); `type` is what schema()
  // says of it. A file without the column has nothing but nulls in it. Bounds
  // are those of whole numbers, decimals, dates, times and texts: whether a NaN
  // is among floating numbers, a footer does not tell.
  ColumnSummary Summarize(const protocol::ColumnPath& path,
                          const protocol::DataType& type) const;

 private:
  std::shared_ptr<duckdb::ParquetReader> reader_;
  protocol::Schema schema_;
  std::int64_t rows_ = 0;
};

}  // namespace bayou::scan
