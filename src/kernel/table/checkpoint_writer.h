// SPDX-License-Identifier: Apache-2.0
//
// Writes a checkpoint of a snapshot, in the form that the table asks for or in
// another one.
//
// The files of the older checkpoint stream through, so memory does not grow
// with the table, and keep their order, the newer ones behind them: see
// docs/decisions/0005-checkpoints-keep-their-order.md. Statistics and partition
// values are written typed as well as in JSON. Nothing takes the place of
// anything before it is complete, durable and counted: a process killed at any
// moment leaves at most files that nobody reads.
//
// Protocol: "Checkpoints", "Checkpoint Schema", "Last Checkpoint File".
#pragma once

#include <duckdb.hpp>
#include <string>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/table/checkpoint_form.h"
#include "kernel/table/snapshot.h"

namespace bayou::table {

// Whether there is a checkpoint of the snapshot's version already.
bool HasCheckpoint(const Snapshot& snapshot);

// Writes the checkpoint of the snapshot's version, and `_last_checkpoint`
// unless that names a newer one. `env` tells which tombstones have expired.
// Returns the name of the file in the log with which the checkpoint begins.
// Errors: those of CheckWritable and CheckForm; of reading the older
// checkpoint; of the store. The table is as valid after an error as before.
Result<std::string> WriteCheckpoint(const Snapshot& snapshot,
                                    const CheckpointForm& form,
                                    duckdb::DatabaseInstance& database,
                                    Env& env = Env::System());

// In the form that the table asks for.
Status WriteCheckpoint(const Snapshot& snapshot,
                       duckdb::DatabaseInstance& database,
                       Env& env = Env::System());

}  // namespace bayou::table
