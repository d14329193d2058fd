// SPDX-License-Identifier: Apache-2.0
//
// Finds a table's columns in a Parquet file, at every level of nesting, and
// settles what the stored bytes mean.
//
// Columns are matched by physical name (an exact match first, then without
// regard to letters' case, as Spark does) or, in `id` mode, by the field id.
// What the file calls a value is its writer's habit; what it means, the table's
// schema says: a timestamp is an instant, zone or no zone in the file, a string
// may lack its annotation, a group of two binaries may be a variant.
//
// Protocol: "Column Mapping", "Reader Requirements for Column Mapping".
#pragma once

#include <duckdb.hpp>
#include <duckdb/common/column_index.hpp>
#include <duckdb/common/multi_file/multi_file_data.hpp>
#include <optional>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/table_properties.h"
#include "kernel/scan/value_conversion.h"

namespace duckdb {
class ParquetReader;
}

namespace bayou::scan {

using Columns = duckdb::vector<duckdb::MultiFileColumnDefinition>;

// The position of `field` among `columns`, or nullopt.
std::optional<duckdb::idx_t> FindColumn(const Columns& columns,
                                        const protocol::Field& field,
                                        protocol::ColumnMappingMode mode);

// Makes `reader` deliver its column `stored` in the form nearest to the table's
// (this changes the reader's idea of its schema), and says what is left to do.
// `type` is the table's type, `target` the same as DuckDB's.
// Errors: kCorruption, condition DELTA_FILE_SCHEMA_MISMATCH, when a stored type
// cannot be read as the table's; names the types, not the file.
Result<Conversion> ResolveColumn(duckdb::ParquetReader& reader,
                                 duckdb::idx_t stored,
                                 const protocol::DataType& type,
                                 const duckdb::LogicalType& target,
                                 protocol::ColumnMappingMode mode);

// Which fields of the stored column a query needs, given those it needs of the
// table's (DuckDB's index trees over fields). To be called after ResolveColumn.
duckdb::ColumnIndex ResolveProjection(duckdb::idx_t stored,
                                      const duckdb::ColumnIndex& wanted,
                                      const Conversion& conversion,
                                      const duckdb::LogicalType& target);

// Whether any column has a field id; a file without is not readable in id mode.
bool HasFieldIds(const Columns& columns);

}  // namespace bayou::scan
