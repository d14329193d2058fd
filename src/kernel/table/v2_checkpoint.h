// SPDX-License-Identifier: Apache-2.0
//
// Writes a V2 checkpoint: sidecars with the file actions first, then the
// manifest that names them and holds all other actions. All names are new, so
// nobody reads anything before the manifest is there, whole; what a killed
// process leaves behind is taken away with the old part of the log.
//
// Protocol: "V2 Spec", "Sidecar Files".
#pragma once

#include <duckdb.hpp>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/table/checkpoint_hint.h"
#include "kernel/table/snapshot.h"

namespace bayou::table {

// For `_last_checkpoint`. The manifest is JSON or Parquet.
// Errors: those of WriteCheckpoint; kCommitUnknown when the manifest may be
// there or not.
Result<CheckpointHint> WriteV2Checkpoint(const Snapshot& snapshot,
                                         duckdb::DatabaseInstance& database,
                                         Env& env, bool json_manifest);

}  // namespace bayou::table
