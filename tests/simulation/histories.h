// SPDX-License-Identifier: Apache-2.0
//
// Histories of many small transactions of racing clients, under Serializable
// and WriteSerializable, checked for what each level forbids.
#pragma once

#include "simulation/totals.h"

namespace bayou::simulation {

// `transactions` in all, in histories of a few dozen.
Totals RunHistories(const Share& share, std::uint64_t first_seed,
                    int transactions);

}  // namespace bayou::simulation
