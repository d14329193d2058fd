// SPDX-License-Identifier: Apache-2.0
//
// Which columns of a table get statistics in its files: the first 32 leaf
// columns, or as many as delta.dataSkippingNumIndexedCols says, or exactly
// those of delta.dataSkippingStatsColumns. Partition columns never do, nor
// count.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/table_properties.h"

namespace bayou::protocol {

// Whether statistics give a least and a greatest value for columns of this
// type. Protocol: "Per-file Statistics"; delta-spark writes bounds for numbers,
// dates, times and strings only.
bool HasBounds(TypeKind kind);

// A leaf: a field that is no struct. Arrays, maps and variants are leaves as a
// whole.
struct StatisticsColumn {
  // Positions from the root to the leaf: column, field, field of that, ....
  std::vector<std::size_t> position;
  ColumnPath path;  // The same way by physical names.
  DataType type;
};

// In the order of the schema, so that columns of one struct are neighbours.
// `partition_columns` are positions in `schema`. Errors: kInvalidArgument,
// condition DELTA_INVALID_TABLE_PROPERTY, when delta.dataSkippingStatsColumns
// names a column that is not there.
Result<std::vector<StatisticsColumn>> ChooseStatisticsColumns(
    const Schema& schema, const std::vector<std::size_t>& partition_columns,
    const TableProperties& properties);

}  // namespace bayou::protocol
