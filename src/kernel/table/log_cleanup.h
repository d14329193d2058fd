// SPDX-License-Identifier: Apache-2.0
//
// Takes the old part of `_delta_log` away. Every version that was the latest
// one at some time within delta.logRetentionDuration can still be opened
// afterwards: the log then begins with the newest complete checkpoint that is
// not newer than the oldest of them, and what lies before it goes as a whole.
// With it go the sidecars that no checkpoint names, except those of the last
// day, which may belong to one that is being written.
//
// Protocol: "Metadata Cleanup", "Checkpoint Protection".
#pragma once

#include <duckdb.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/store/store.h"
#include "kernel/table/snapshot.h"

namespace bayou::table {

struct LogCleanup {
  // The version of the checkpoint that the log will begin with; absent: there
  // is nothing to do, and `files` and `manifest` are empty.
  std::optional<Version> start;
  // What goes, in the order in which it has to: names relative to the table.
  std::vector<store::ObjectMeta> files;
  // So many at the end of `files` are sidecars. They go only while there are no
  // checkpoints but `checkpoints`: a new one may name them.
  std::size_t sidecars = 0;
  std::set<std::string> checkpoints;
  // The manifest that the log will begin with, if there is no checkpoint under
  // a classic name: who does not know V2 checkpoints finds a copy of it then,
  // and the protocol in it.
  std::string manifest;
};

// What a clean-up would delete. Reads the checkpoint that becomes the start
// before anything is said to be superfluous. The time of the cut is midnight
// UTC, so that a clean-up finds something once a day.
// Errors: those of CheckWritable; of listing the log; kCorruption,
// DELTA_CHECKPOINT_UNREADABLE.
Result<LogCleanup> PlanLogCleanup(const Snapshot& latest,
                                  duckdb::DatabaseInstance& database,
                                  Env& env = Env::System());

// Deletes the files. What is gone already is no error. After any other error
// the rest stays, and the table is as good as after the whole.
Status RunLogCleanup(store::Store& store, const LogCleanup& cleanup);

}  // namespace bayou::table
