// SPDX-License-Identifier: Apache-2.0
//
// What would do a table good: it is sound, but slower or larger than it needs
// to be. Looks at the log and at the names in the table's folder, and opens no
// data file.
#pragma once

#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/finding.h"

namespace bayou::commands {

// Each with the statement that mends it. Errors: what reading the log gives.
Result<std::vector<Finding>> Advise(const table::Snapshot& snapshot, Env& env);

}  // namespace bayou::commands
