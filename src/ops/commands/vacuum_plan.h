// SPDX-License-Identifier: Apache-2.0
//
// What VACUUM takes away: files below the table's folder that no version
// younger than the retention time has, and folders that hold nothing any more.
// Looks at names, sizes and times; opens no data file and changes nothing.
//
// FULL lists the table's folder, and so finds what no commit names: what failed
// writers left behind. LITE lists nothing: it finds in the log the files that
// went out of the table since the last run. An inventory stands for the
// listing, and is believed only as far as a look at each file bears it out: it
// may be old. What it does not name stays, so such a run counts for no later
// one.
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
#include "ops/commands/inventory.h"
#include "ops/commands/kept_files.h"

namespace bayou::commands {

enum class VacuumMode : std::uint8_t { kFull, kLite, kInventory };

// FULL, LITE or INVENTORY: its name in the history.
const char* NameOf(VacuumMode mode);

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

// Errors: as above; those of `inventory`.
Result<VacuumPlan> PlanInventoryVacuum(const table::Snapshot& snapshot,
                                       std::int64_t cutoff_ms,
                                       const Inventory& inventory);

// `done_until`: the version up to which an earlier run has taken away what went
// out of the table. Errors: kUnsupported, condition DELTA_CANNOT_VACUUM_LITE,
// when the commits since then are not all there any more.
Result<VacuumPlan> PlanLiteVacuum(const table::Snapshot& snapshot,
                                  std::int64_t cutoff_ms,
                                  std::optional<protocol::Version> done_until);

}  // namespace bayou::commands
