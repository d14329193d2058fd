// SPDX-License-Identifier: Apache-2.0
//
// Whether VACUUM has anything to do, told by the log alone, before anything is
// listed. A table that is looked after every hour is listed once in its
// retention time.
//
// Skipped is a run when a full one, with no longer retention time, has been
// completed within the last retention time, and no commit that has become too
// old since took a file out of the table: by DELETE, OPTIMIZE, RESTORE or
// whatever else, and by any writer. Where one did, the log also tells which
// files: LITE. In all other cases, and whenever the log leaves doubt, FULL.
//
// The price: what a killed writer has left behind stays until the next full
// run.
#pragma once

#include <cstdint>
#include <string>

#include "bayou/result.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

struct VacuumDecision {
  enum class Kind : std::uint8_t { kSkip, kLite, kFull };
  Kind kind = Kind::kFull;
  std::string reason;
};

// Errors: what reading the log gives.
Result<VacuumDecision> DecideVacuum(const table::Snapshot& snapshot,
                                    std::int64_t retention_ms,
                                    std::int64_t now_ms);

}  // namespace bayou::commands
