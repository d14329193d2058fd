// SPDX-License-Identifier: Apache-2.0
//
// Statistics and partition values with the types of their columns, as
// checkpoints hold them beside their text: internal scalar functions.
//
//   bayou_stats(json)     NULL where the text is no value of the type
//   bayou_partition(map)  likewise
//
// Protocol: "Checkpoint Schema".
#pragma once

#include <duckdb.hpp>
#include <vector>

#include "kernel/protocol/schema.h"
#include "kernel/protocol/statistics_columns.h"

namespace bayou::log {

struct TypedColumns {
  std::vector<protocol::StatisticsColumn> statistics;
  // The statistics say whether their bounds are tight.
  bool tight_bounds = false;
  std::vector<protocol::Field> partition;
};

// The type of stats_parsed; INVALID when no column has statistics.
duckdb::LogicalType StatisticsType(const TypedColumns& columns);
// The type of partitionValues_parsed; INVALID without partition columns.
duckdb::LogicalType PartitionType(const TypedColumns& columns);

// Lets the queries of `connection` call the functions.
void UseTypedColumns(duckdb::Connection& connection, TypedColumns columns);

}  // namespace bayou::log
