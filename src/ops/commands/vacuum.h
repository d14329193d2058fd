// SPDX-License-Identifier: Apache-2.0
//
// VACUUM: deletes the files that no version younger than the retention time
// needs. The history has a commit before it begins and one behind its end,
// which says whether it got there.
#pragma once

#include <atomic>
#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/vacuum_plan.h"

namespace bayou::commands {

struct VacuumRequest {
  std::optional<std::int64_t> retention_ms;  // nullopt: the table's own.
  // nullopt: what the log says is needed (see vacuum_decision.h), or FULL where
  // it is not to be asked.
  std::optional<VacuumMode> mode;
  bool is_optimistic = true;
  // In the place of a listing; then the mode is none of these.
  Inventory inventory = {};
  // False allows retention times so short that files go which somebody may
  // still need.
  bool checks_retention = true;
  std::optional<std::string> user_metadata = {};
};

// The least retention time that may be asked for: a week, or the table's own
// where that is longer.
std::int64_t LeastRetentionMs(const table::Snapshot& snapshot);

// Errors: kInvalidArgument, conditions DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT
// and DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE.
Status CheckRetention(const table::Snapshot& snapshot,
                      const VacuumRequest& request);

// What would go. Errors: a negative retention time; see vacuum_plan.h.
Result<VacuumPlan> PlanVacuum(const table::Snapshot& snapshot,
                              const VacuumRequest& request, Env& env);

struct VacuumProgress {
  std::atomic<std::int64_t> planned = 0;  // Files,
  std::atomic<std::int64_t> done = 0;     // and how many of them are looked at.
};

struct VacuumResult {
  VacuumPlan plan;
  std::int64_t retention_ms = 0;  // As was asked for or the table has.
  std::int64_t files_deleted = 0;
  std::int64_t folders_deleted = 0;
  std::int64_t start_ms = 0;   // When it began,
  std::int64_t delete_ms = 0;  // when it began to delete,
  std::int64_t end_ms = 0;     // and when it was through.
};

// Checks that the table may be written and the retention time is long enough,
// and plans. Unless the plan is to skip, it commits VACUUM START, deletes, and
// commits VACUUM END. What is gone already is no error. Where something cannot
// be deleted the rest is, the history says FAILED, and so does the error:
// kUnavailable, condition DELTA_VACUUM_FAILED, naming files and the first
// reason. Other errors: as above; kCancelled; see Transaction::Commit.
Result<VacuumResult> Vacuum(
    duckdb::ClientContext& context,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const VacuumRequest& request, VacuumProgress& progress, Env& env);

}  // namespace bayou::commands
