// SPDX-License-Identifier: Apache-2.0
//
// OPTIMIZE whose tasks others run: each gets one as text, on a store that
// serves the files which the text names, and no other.
#pragma once

#include "simulation/totals.h"

namespace bayou::simulation {

Totals RunTasksElsewhere(const Share& share);

}  // namespace bayou::simulation
