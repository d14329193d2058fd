// SPDX-License-Identifier: Apache-2.0
//
// What follows a commit: its checksum; what the policy finds due, so that the
// log stays quick to read; and after a checkpoint the end of what nobody needs
// any more.
#pragma once

#include <duckdb.hpp>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/table/log_policy.h"
#include "kernel/transaction/transaction.h"

namespace bayou::transaction {

// `transaction` has committed `version`. The commit stands whatever is returned
// here: an error says what could not be done for the log of the table.
Status RunPostCommit(
    const Transaction& transaction, Version version,
    duckdb::DatabaseInstance& database, Env& env,
    const table::LogPolicy& policy = table::IntervalLogPolicy());

}  // namespace bayou::transaction
