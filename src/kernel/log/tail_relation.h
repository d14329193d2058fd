// SPDX-License-Identifier: Apache-2.0
//
// A replayed state as tables that SQL can read, for who writes a checkpoint of
// it: internal table functions over the values in memory.
//
//   bayou_tail_adds()     the live files of the tail in the order of the
//                         commits, columns as FilesSql gives
//   bayou_tail_removes()  its tombstones: (remove)
//   bayou_small_actions() the rest: (txn, metaData, protocol, domainMetadata)
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <string>
#include <vector>

#include "kernel/log/log_replay.h"

namespace bayou::log {

// What the functions answer from.
struct StateSource {
  std::shared_ptr<const LogState> state;
  std::int64_t tombstone_cutoff_ms = 0;  // Older tombstones are left out.
};

// Lets the queries of `connection` call the functions.
void UseState(duckdb::Connection& connection, StateSource source);

}  // namespace bayou::log
