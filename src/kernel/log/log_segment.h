// SPDX-License-Identifier: Apache-2.0
//
// A log segment is the smallest set of files in `_delta_log` that rebuilds one
// version of a table: at most one complete checkpoint, then every commit after
// it, with no version missing; compacted files stand in for runs of commits.
//
// Choosing a segment looks at names and sizes only. It opens no file, so it
// costs one listing however long the table's history is, and it can be tested
// without a table.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_file_name.h"

namespace bayou::log {

struct LogSegment {
  Version version = -1;

  // The files of one checkpoint, in part order. Empty when replay starts at
  // version 0.
  std::vector<LogFileName> checkpoint;

  // What to replay on top, ascending, covering every version after the
  // checkpoint once: commits, and compacted files in place of the commits they
  // span.
  std::vector<LogFileName> deltas;

  // The commit of `version`, when the listing has it.
  std::optional<LogFileName> last_commit;
};

// Chooses the segment for `target`, or for the newest version when `target` is
// absent. `listing` holds the log folder's files in any order. `passed_over`
// names files that turned out unreadable: they are treated as not there.
//
// An incomplete or empty checkpoint, and an empty compacted file, are passed
// over, not reported: an older start is as correct. Of several checkpoints of
// one version the order is single file < more parts < V2 (by name).
//
// Errors:
//   kNotFound    DELTA_VERSION_NOT_FOUND: `target` is newer than the latest
//                (named), or cannot be rebuilt any more (the earliest version
//                that can is named).
//                DELTA_TABLE_NOT_FOUND: nothing there makes a table.
//   kCorruption  DELTA_LOG_GAP: a version between the start and the end is
//                missing (named).
Result<LogSegment> ChooseLogSegment(
    std::span<const LogFileName> listing, std::optional<Version> target,
    const std::set<std::string>& passed_over = {});

}  // namespace bayou::log
