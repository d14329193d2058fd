// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/whole_commit.h"

#include <fmt/format.h>

#include <cstdio>

#include "kernel/transaction/post_commit.h"

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
  const Status followed =
      transaction::RunPostCommit(transaction, *version, database, env);
  if (!followed) {
    fmt::print(stderr,
               "note: table {}: version {} is committed, but its "
               "log could not be looked after: {}\n",
               transaction.location(), *version, followed.error().message);
  }
  return version;
}

}  // namespace bayou::commands
