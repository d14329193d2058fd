// SPDX-License-Identifier: Apache-2.0
//
// The commit of a command that is a transaction of its own.
#pragma once

#include <duckdb.hpp>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/transaction/transaction.h"

namespace bayou::commands {

// Commits, and does what follows a commit; where that fails, the commit stands
// and a note goes to standard error. After a failed commit, the files that the
// transaction brought are deleted when no commit can name them.
// Errors: see Transaction::Commit.
Result<protocol::Version> CommitWhole(transaction::Transaction& transaction,
                                      const transaction::Operation& operation,
                                      duckdb::DatabaseInstance& database,
                                      Env& env);

}  // namespace bayou::commands
