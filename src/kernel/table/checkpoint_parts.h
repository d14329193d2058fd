// SPDX-License-Identifier: Apache-2.0
//
// Writes a classic checkpoint in several files, for readers that take each with
// a machine of its own. Their actions are divided by a hash of the file's path,
// so that writers of one version's parts write the same ones. Readers pass over
// a set that is not complete; it becomes so only with the last part, and then
// all are of one writing.
//
// The older checkpoint is read once for each part.
//
// Protocol: "Multi-part checkpoint", which is deprecated: see V2 checkpoints.
#pragma once

#include <duckdb.hpp>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/table/checkpoint_hint.h"
#include "kernel/table/snapshot.h"

namespace bayou::table {

std::string CheckpointPartName(Version version, int part, int parts);

// For `_last_checkpoint`. A complete set of so many parts that is there already
// stays as it is. Errors: those of WriteCheckpoint.
Result<CheckpointHint> WriteCheckpointParts(const Snapshot& snapshot,
                                            duckdb::DatabaseInstance& database,
                                            Env& env, int parts);

}  // namespace bayou::table
