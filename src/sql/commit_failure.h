// SPDX-License-Identifier: Apache-2.0
//
// Why the commit of a connection's SQL transaction failed. DuckDB makes an
// error of its own out of it, which no longer tells a conflict from a full
// disk.
#pragma once

#include <duckdb.hpp>
#include <duckdb/main/client_context_state.hpp>
#include <optional>

#include "bayou/result.h"

namespace bayou::sql {

class CommitFailure final : public duckdb::ClientContextState {
 public:
  static CommitFailure& Of(duckdb::ClientContext& context) {
    return *context.registered_state->GetOrCreate<CommitFailure>(
        "bayou_commit_failure");
  }

  void Note(const Error& error) { error_ = error; }
  std::optional<Error> Take() { return std::exchange(error_, std::nullopt); }

 private:
  std::optional<Error> error_;
};

}  // namespace bayou::sql
