// SPDX-License-Identifier: Apache-2.0
//
// What VACUUM takes away: files below the table's folder that no version
// younger than the retention time has, and folders that hold nothing any more.
// Looks at names, sizes and times; opens no data file and changes nothing.
//
// FULL lists the table's folder, and so finds what no commit names: what failed
// writers left behind. LITE lists nothing: it finds in the log the files that
// went out of the table since the last run.
//
// Never touched: what begins with `_` or `.` (see table_names.h), the folders
// of other tables inside of this one, what links lead to, and all that is
// younger than the retention time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/kept_files.h"

namespace bayou::commands {

enum class VacuumMode : std::uint8_t { kFull, kLite };

struct VacuumFile {
  std::string name;  // Decoded, relative to the table.
  std::int64_t size = 0;
  bool is_orphan = false;  // The log knows nothing of it (any more).
};

struct VacuumPlan {
  VacuumMode mode = VacuumMode::kFull;
  std::int64_t cutoff_ms = 0;
  std::vector<VacuumFile> files;
  std::vector<std::string> temporary_log_files;  // Of writers that died.
  // Those that hold nothing but `files`, the deepest first.
  std::vector<std::string> folders;

  // Of the listing: folders and the table's own, all entries.
  std::int64_t folders_found = 1;
  std::int64_t entries_found = 0;
  // LITE: the commits that were looked at.
  std::optional<protocol::Version> first_commit;
  std::optional<protocol::Version> last_commit;
  // The log alone told that there is nothing to do; `reason` is why, or why a
  // mode was chosen. See vacuum_decision.h.
  bool is_skipped = false;
  std::string reason;
  // The latest version whose commit is older than the cutoff.
  std::optional<protocol::Version> expired_until;
  // Up to there nothing that went out of the table is left for a later run.
  std::optional<protocol::Version> done_until;

  std::int64_t bytes() const;
};

// Errors: what listing and reading the log give.
Result<VacuumPlan> PlanFullVacuum(const table::Snapshot& snapshot,
                                  std::int64_t cutoff_ms);

// `done_until`: the version up to which an earlier run has taken away what went
// out of the table. Errors: kUnsupported, condition DELTA_CANNOT_VACUUM_LITE,
// when the commits since then are not all there any more.
Result<VacuumPlan> PlanLiteVacuum(const table::Snapshot& snapshot,
                                  std::int64_t cutoff_ms,
                                  std::optional<protocol::Version> done_until);

}  // namespace bayou::commands
