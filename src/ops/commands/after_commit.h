// SPDX-License-Identifier: Apache-2.0
//
// What follows every commit, a statement's and a command's: the log is looked
// after (kernel/transaction/post_commit.h), and a table that keeps manifests
// gets them anew. The commit stands whatever comes of that: a note to standard
// error says what could not be done.
#pragma once

#include <duckdb.hpp>

#include "base/env.h"
#include "kernel/transaction/transaction.h"

namespace bayou::commands {

// `transaction` has committed `version`.
void FollowCommit(const transaction::Transaction& transaction,
                  protocol::Version version, duckdb::DatabaseInstance& database,
                  Env& env);

}  // namespace bayou::commands
