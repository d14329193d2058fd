// SPDX-License-Identifier: Apache-2.0
//
// A replayed state as tables that SQL can read, for who writes a checkpoint of
// it: internal table and scalar functions over the values in memory.
//
//   bayou_tail_adds()     the live files of the tail, columns as FilesSql gives
//   bayou_tail_removes()  its tombstones: (remove)
//   bayou_small_actions() the rest: (txn, metaData, protocol, domainMetadata)
//   bayou_stats(json)     statistics typed by the schema, NULL where the text
//   is
//                         no value of the type
//   bayou_partition(map)  partition values likewise
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel/log/log_replay.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/statistics_columns.h"

namespace bayou::log {

struct TypedColumns {
  std::vector<protocol::StatisticsColumn> statistics;
  bool tight_bounds =
      false;  // The statistics say whether their bounds are tight.
  std::vector<protocol::Field> partition;
};

// What the functions answer from.
struct StateSource {
  std::shared_ptr<const LogState> state;
  std::int64_t tombstone_cutoff_ms = 0;  // Older tombstones are left out.
  TypedColumns columns;
};

// The type of stats_parsed; INVALID when no column has statistics.
duckdb::LogicalType StatisticsType(const TypedColumns& columns);
// The type of partitionValues_parsed; INVALID without partition columns.
duckdb::LogicalType PartitionType(const TypedColumns& columns);

// Lets the queries of `connection` call the functions.
void UseState(duckdb::Connection& connection, StateSource source);

}  // namespace bayou::log
