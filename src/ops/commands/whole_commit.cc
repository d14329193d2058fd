// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/whole_commit.h"

#include "ops/commands/after_commit.h"

namespace bayou::commands {

Result<protocol::Version> CommitWhole(transaction::Transaction& transaction,
                                      const transaction::Operation& operation,
                                      duckdb::DatabaseInstance& database,
                                      Env& env) {
  auto version = transaction.Commit(operation);
  if (!version) {
    transaction.Abandon();
    return version;
  }
  FollowCommit(transaction, *version, database, env);
  return version;
}

}  // namespace bayou::commands
