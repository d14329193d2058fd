// SPDX-License-Identifier: Apache-2.0
//
// Writes compacted files: one file that says what a run of commits says, so
// that a reader opens it instead of them. The commits stay: other readers, the
// change feed, the history and conflict checks ask for them.
// Protocol: "Log Compaction Files".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bayou/result.h"
#include "kernel/log/log_file_name.h"
#include "kernel/store/store.h"

namespace bayou::log {

struct VersionRange {  // Both ends are part of it.
  Version first = 0;
  Version last = 0;

  std::int64_t size() const { return last - first + 1; }
};

struct CompactedLog {
  std::string name;        // In the log folder.
  std::int64_t bytes = 0;  // Of the file.
  bool written = false;    // False: there is one already, or nothing to say.
};

// Puts the compacted file of `range` where there is none. It holds the actions
// of its commits reconciled: the last word on each file, application and
// domain, tombstones and removed domains too, and no commitInfo. Reads the
// commits into memory.
// Errors: kInvalidArgument, condition DELTA_INVALID_COMPACTION_RANGE, for fewer
// than two versions; kCorruption, DELTA_LOG_GAP, naming the commit that is
// missing; those of ReadDeltas.
Result<CompactedLog> CompactLog(store::Store& store, VersionRange range);

}  // namespace bayou::log
