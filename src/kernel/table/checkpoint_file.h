// SPDX-License-Identifier: Apache-2.0
//
// The Parquet files of a checkpoint: written, and read back before anybody is
// to rely on them, for the commits that they stand for may be deleted then.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/log/log_replay.h"

namespace bayou::table {

struct CheckpointContent {
  std::int64_t actions = 0;
  log::FileTotals totals;
};

// A name, relative to the table, for what is to become the file `name` of the
// log; clean-up knows such names if the writer dies.
std::string DraftOf(std::string_view name, Env& env);

// Writes the rows of a query, in their order, to the file at a native path.
Status WriteActions(duckdb::Connection& connection, const std::string& sql,
                    const std::string& path);

// Counts what the files hold together.
// Errors: kInternal, condition DELTA_CHECKPOINT_MISMATCH, when that is not
// `expected`.
Result<CheckpointContent> ReadBack(duckdb::Connection& connection,
                                   std::span<const std::string> paths,
                                   const log::FileTotals& expected);

// The same for files that hold all actions: protocol and metadata, too, must be
// there, once.
Result<CheckpointContent> ReadBackAll(duckdb::Connection& connection,
                                      std::span<const std::string> paths,
                                      const log::FileTotals& expected);

}  // namespace bayou::table
