// SPDX-License-Identifier: Apache-2.0
//
// Writes a checkpoint of a snapshot: one classic Parquet file, which every
// reader of the protocol knows.
//
// The files of the older checkpoint stream through, so memory does not grow
// with the table, and keep their order, the newer ones behind them: see
// docs/decisions/0005-checkpoints-keep-their-order.md. Statistics and partition
// values are written typed as well as in JSON. Nothing takes the place of
// anything before it is complete, durable and counted: a process killed at any
// moment leaves at most a file that nobody reads.
//
// Protocol: "Checkpoints", "Checkpoint Schema", "Last Checkpoint File".
#pragma once

#include <duckdb.hpp>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/table/snapshot.h"

namespace bayou::table {

// Whether there is a checkpoint of the snapshot's version already.
bool HasCheckpoint(const Snapshot& snapshot);

// Writes the checkpoint of the snapshot's version, and `_last_checkpoint`
// unless that names a newer one. `env` tells which tombstones have expired.
// Errors: those of CheckWritable; of reading the older checkpoint; of the
// store. The table is as valid after an error as before.
Status WriteCheckpoint(const Snapshot& snapshot,
                       duckdb::DatabaseInstance& database,
                       Env& env = Env::System());

}  // namespace bayou::table
