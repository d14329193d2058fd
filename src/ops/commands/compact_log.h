// SPDX-License-Identifier: Apache-2.0
//
// Compacts the log of a table by hand: see kernel/log/log_compaction.h.
#pragma once

#include <optional>

#include "bayou/result.h"
#include "kernel/log/log_compaction.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

// Without `range`, all commits that a reader of `latest` has to open one by
// one: those since its checkpoint. nullopt: fewer than two, nothing to do.
// Errors: those of CheckWritable and log::CompactLog.
Result<std::optional<log::CompactedLog>> CompactLog(
    const table::Snapshot& latest, std::optional<log::VersionRange> range);

}  // namespace bayou::commands
