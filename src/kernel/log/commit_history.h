// SPDX-License-Identifier: Apache-2.0
//
// The commits still in the log, with the times at which they happened.
//
// Without in-commit timestamps a commit's time is its file's modification time,
// made monotonic upwards: t[i+1] = max(t[i+1], t[i] + 1). With them it is the
// field's value, from the enablement version on. Protocol: "In-Commit
// Timestamps", "Recommendations for Readers of Tables with In-Commit
// Timestamps".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_file_name.h"
#include "kernel/protocol/actions.h"
#include "kernel/store/store.h"

namespace bayou::log {

// When in-commit timestamps hold: from version on; a version of 0 from the
// start of the table. Absent: never.
struct InCommitTimestampRange {
  Version enabled_at = 0;
};

// The time of `version`, in milliseconds. Reads at most that commit.
Result<std::int64_t> CommitTimestamp(
    store::Store& store, Version version,
    std::optional<InCommitTimestampRange> in_commit);

// The latest version whose time is at most `timestamp_ms`. Binary search over
// in-commit timestamps: reads O(log n) commits; file times read none.
// Errors: kInvalidArgument, condition DELTA_TIMESTAMP_OUT_OF_RANGE, with the
// first and last time: before the first commit, or after the last one unless
// `allow_after_last`.
Result<Version> VersionAtTimestamp(
    store::Store& store, std::int64_t timestamp_ms,
    std::optional<InCommitTimestampRange> in_commit, Version latest,
    bool allow_after_last);

// True when the newest commit carries an in-commit timestamp, or when nobody
// can tell: only then does the table's metadata have to be asked for the range.
// Every commit of a table with such timestamps has one. Reads one commit.
bool MayHaveInCommitTimestamps(store::Store& store, Version latest);

struct HistoryEntry {
  Version version = 0;
  std::int64_t timestamp_ms = 0;
  std::optional<protocol::CommitInfo> info;  // Absent: the commit has none.
};

// Newest first, at most `limit`, from version `latest` down. Stops, without an
// error, at the oldest commit still there. Tolerates any commitInfo.
Result<std::vector<HistoryEntry>> ReadHistory(
    store::Store& store, Version latest, std::int64_t limit,
    std::optional<InCommitTimestampRange> in_commit);

}  // namespace bayou::log
