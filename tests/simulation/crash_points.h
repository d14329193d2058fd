// SPDX-License-Identifier: Apache-2.0
//
// Every writing operation, with each of its store calls spoiled in turn: the
// call fails, its answer is lost, or it is the client's last. A new reader then
// finds the table as it was before or as it is after, what was reported is what
// it finds, and the operation, run again if need be, is done exactly once.
#pragma once

#include "simulation/totals.h"

namespace bayou::simulation {

Totals RunCrashPoints(const Share& share);

}  // namespace bayou::simulation
