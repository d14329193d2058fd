// SPDX-License-Identifier: Apache-2.0
//
// The columns that every Delta table has beside its own, under the names that
// Spark gives them: where a row lies, and its stable identity.
// Protocol: "Row Tracking".
#pragma once

#include <array>
#include <cstdint>
#include <duckdb.hpp>
#include <duckdb/common/table_column.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "bayou/result.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {

enum class HiddenColumn : std::uint8_t {
  kFilePath,  // An absolute URI, as in Spark: `file:/lake/t/a.parquet`.
  kFileName,
  kFileSize,  // Bytes.
  kFileModificationTime,
  kRowIndex,    // Position in the file; deleted rows count.
  kFileNumber,  // Of the file in the scan: see opened_files.h. For ourselves.
  kRowId,
  kRowCommitVersion,
};
inline constexpr std::size_t kHiddenColumns = 8;

duckdb::column_t HiddenColumnId(HiddenColumn column);
std::optional<HiddenColumn> HiddenColumnOf(duckdb::column_t id);
duckdb::LogicalType HiddenColumnType(HiddenColumn column);
std::string HiddenColumnName(HiddenColumn column);

// What the log says about a file, and hidden columns repeat.
struct FileIdentity {
  std::string_view path;  // As in the log.
  std::int64_t size = 0;
  std::int64_t modification_time = 0;
};

// The value that the column has in all rows of a file, or nullopt when it
// differs from row to row. Errors: as PlaceOfFile.
Result<std::optional<duckdb::Value>> HiddenConstant(const ScannedTable& table,
                                                    const FileIdentity& file,
                                                    HiddenColumn column);

// coalesce(materialized, base + row_index) of two BIGINT expressions; either
// may be null.
duckdb::unique_ptr<duckdb::Expression> RowTrackingExpression(
    duckdb::unique_ptr<duckdb::Expression> materialized, std::int64_t base,
    duckdb::unique_ptr<duckdb::Expression> row_index);

}  // namespace bayou::scan
