// SPDX-License-Identifier: Apache-2.0
//
// Examines a table: its log, its files as the log names them, and, deeply, what
// is in them. Finds what breaks the protocol, what queries would trip over, and
// what is there for nothing.
#pragma once

#include <duckdb.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/scan/table_scan.h"
#include "ops/commands/finding.h"

namespace bayou::commands {

struct ValidateRequest {
  std::string location;  // Absolute.
  // Reads all data: that files can be read, and hold what their statistics and
  // deletion vectors say.
  bool is_deep = false;
  // Mends what cannot be wrong to mend: takes files out of the table that are
  // gone (as a commit of its own, FSCK), and deletes a damaged hint to the
  // newest checkpoint.
  bool repairs = false;
  scan::ScanOptions scan;
  std::optional<std::string> user_metadata = {};
};

struct ValidateResult {
  std::vector<Finding> findings;             // The worst first.
  std::optional<protocol::Version> version;  // Of the repair.
};

// Errors: kNotFound, condition DELTA_TABLE_NOT_FOUND, where there is no log;
// kCancelled; kConflict of a repair. What is wrong with the table is no error,
// nor is a repair that could not be done.
Result<ValidateResult> Validate(duckdb::ClientContext& context,
                                const ValidateRequest& request, Env& env);

}  // namespace bayou::commands
