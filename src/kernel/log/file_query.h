// SPDX-License-Identifier: Apache-2.0
//
// Questions about the files in a checkpoint, as queries over its relations.
// They run on a connection of ConnectFor, with the same filter (see
// file_filter.h).
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/checkpoint.h"
#include "kernel/log/file_filter.h"
#include "kernel/log/log_replay.h"

namespace bayou::log {

// The files of `relation` that are live and that the filter keeps, one row
// each, with the columns that ReadRows() below knows. `has_json_stats` tells
// which of add.stats and add.stats_parsed to read where the relation has both.
std::string FilesSql(const CheckpointRelation& relation,
                     const FileFields& fields, const FileFilter& filter,
                     bool has_json_stats);

// What checkpoints have typed beside the text; INVALID where it is not wanted.
struct TypedFields {
  duckdb::LogicalType statistics;
  duckdb::LogicalType partition;
};

// As FilesSql, with all fields and without a predicate, and behind them the
// columns `typed_stats` and `typed_partition`: what the relation has of exactly
// these types, NULL otherwise.
std::string TypedFilesSql(const CheckpointRelation& relation,
                          const TypedFields& typed, const FileFilter& filter,
                          bool has_json_stats);
// The two columns for rows that have neither.
std::string NoTypedFieldsSql(const TypedFields& typed);

// How many they are and their bytes: columns `files` and `bytes`.
std::string TotalsSql(const CheckpointRelation& relation,
                      const FileFilter& filter);

// The tombstones younger than `cutoff_ms`, as JSON lines; empty when the
// relation can have none.
std::string TombstonesSql(const CheckpointRelation& relation,
                          std::int64_t cutoff_ms);

// The tombstones of `relation` younger than `cutoff_ms` that the filter does
// not know as touched, as one column `remove` of the type that checkpoints
// have; empty when it can have none.
std::string RemovesSql(const CheckpointRelation& relation,
                       std::int64_t cutoff_ms, const FileFilter& filter);

// Whether some file of the relation has statistics as JSON text.
Result<bool> HasJsonStats(duckdb::DatabaseInstance& database,
                          const CheckpointRelation& relation);

// Appends the rows of a chunk that FilesSql gave to `batch`.
void ReadRows(duckdb::DataChunk& chunk, std::vector<protocol::AddFile>& batch);

}  // namespace bayou::log
