// SPDX-License-Identifier: Apache-2.0
//
// The row that a connection's DELETE, UPDATE or MERGE answers with. DuckDB's
// own plan has room for one number.
#pragma once

#include <duckdb.hpp>
#include <duckdb/main/client_context_state.hpp>
#include <optional>

#include "ops/commands/change_metrics.h"

namespace bayou::sql {

class ChangeResult final : public duckdb::ClientContextState {
 public:
  static ChangeResult& Of(duckdb::ClientContext& context) {
    return *context.registered_state->GetOrCreate<ChangeResult>(
        "bayou_change_result");
  }

  void Set(commands::Metrics row) { row_ = std::move(row); }
  std::optional<commands::Metrics> Take() {
    return std::exchange(row_, std::nullopt);
  }

 private:
  std::optional<commands::Metrics> row_;
};

}  // namespace bayou::sql
