// SPDX-License-Identifier: Apache-2.0
//
// How far VACUUM has got, in `_delta_log/_last_vacuum_info` (as delta-spark
// writes it): the version up to which all that went out of the table is gone
// from its folder. A hint: where it is missing, more is looked at.
#pragma once

#include <optional>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/store/store.h"

namespace bayou::commands {

struct VacuumRecord {
  std::optional<protocol::Version> done_until;
  // Of the VACUUM END of the last full run that was completed. Bayou's own.
  std::optional<protocol::Version> last_full;
};

// What says more than that of a version behind `latest` is made up: it counts
// for nothing.
VacuumRecord ReadVacuumRecord(store::Store& store, protocol::Version latest);

Status WriteVacuumRecord(store::Store& store, const VacuumRecord& record);

}  // namespace bayou::commands
