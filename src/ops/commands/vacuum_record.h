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

std::optional<protocol::Version> ReadVacuumRecord(store::Store& store);

Status WriteVacuumRecord(store::Store& store,
                         std::optional<protocol::Version> done_until);

}  // namespace bayou::commands
