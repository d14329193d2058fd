// SPDX-License-Identifier: Apache-2.0
//
// What follows a statement that wrote to a table which looks after itself
// (delta.autoOptimize.autoCompact, bayou_auto_compact): where it left many
// small files, they are put together by a commit of its own. See
// auto_compaction.h.
//
// It comes when the statement's commit stands, so that nothing which becomes of
// it touches the write; after BEGIN, when COMMIT is through.
#pragma once

#include <duckdb.hpp>
#include <duckdb/main/client_context_state.hpp>
#include <memory>
#include <optional>

#include "kernel/store/store.h"
#include "kernel/transaction/transaction.h"
#include "ops/commands/auto_compaction.h"

namespace bayou::sql {

// Of one connection.
class AutoCompact final : public duckdb::ClientContextState {
 public:
  static AutoCompact& Of(duckdb::ClientContext& context);

  // A SQL transaction of `context` has committed.
  void Note(duckdb::ClientContext& context,
            const transaction::Transaction& committed);

  // Does what is due since, with no transaction open. Whoever else has changed
  // the same files meanwhile wins; where something else fails, a note goes to
  // standard error.
  void Run(duckdb::ClientContext& context);

  // The user does not want to wait.
  void Forget() { due_.reset(); }

 private:
  struct Due {
    std::shared_ptr<store::Store> store;
    commands::AutoCompaction compaction;
  };
  std::optional<Due> due_;
};

}  // namespace bayou::sql
