// SPDX-License-Identifier: Apache-2.0
//
// RESTORE: makes the table what it was at an earlier version, by a new one. The
// files of that version come back, files that came later go, schema and
// properties are as they were. What must never go back does not: the protocol,
// row ids, the values of identity columns, the ids of columns.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

struct RestoreRequest {
  std::shared_ptr<const table::Snapshot> current;
  std::shared_ptr<const table::Snapshot> target;  // Of the same table.
  // How the user named the target, for the history.
  std::optional<std::string> timestamp;
  // Files of the target that are gone are left out; false: they are an error.
  bool ignore_missing_files = false;
  std::optional<std::string> user_metadata = {};
};

struct RestoreResult {
  std::optional<protocol::Version> version;  // Absent: nothing to do.
  std::int64_t table_bytes = 0;              // After it.
  std::int64_t table_files = 0;
  std::int64_t files_removed = 0;
  std::int64_t files_restored = 0;
  std::int64_t bytes_removed = 0;
  std::int64_t bytes_restored = 0;
  std::vector<std::string> missing_files;  // That were left out.
  // Applications that have written since, and will not write again what they
  // count as written.
  std::vector<std::string> applications_ahead;
};

// Errors: kNotFound, condition DELTA_RESTORE_MISSING_FILES, naming files, when
// some are gone; kConstraint, DELTA_CANNOT_MODIFY_APPEND_ONLY; kConflict when
// another has changed the table meanwhile; see Transaction::Commit. Then
// nothing was changed.
Result<RestoreResult> Restore(const RestoreRequest& request,
                              duckdb::DatabaseInstance& database, Env& env);

}  // namespace bayou::commands
