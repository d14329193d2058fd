// SPDX-License-Identifier: Apache-2.0
//
// What follows a commit: a checkpoint, when the table's interval says so.
#pragma once

#include <duckdb.hpp>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/transaction/transaction.h"

namespace bayou::transaction {

// `transaction` has committed `version`. The commit stands whatever is returned
// here: an error says why the table has no checkpoint of that version.
Status RunPostCommit(const Transaction& transaction, Version version,
                     duckdb::DatabaseInstance& database, Env& env);

}  // namespace bayou::transaction
