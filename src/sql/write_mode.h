// SPDX-License-Identifier: Apache-2.0
//
// INSERT OVERWRITE and INSERT ... REPLACE WHERE: how the INSERT of a connection
// goes about the rows that are in its table already. The session runs them as a
// DELETE and an INSERT in one transaction, both on the version that the
// transaction has found; together they are one WRITE in the history.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <duckdb/main/client_context_state.hpp>
#include <optional>
#include <string>

namespace bayou::sql {

struct Overwrite {
  std::string target;  // The table, as SQL.
  // The rows that go, and that the new ones must be like; empty: all rows.
  std::string where;
  // Of a partitioned table only the partitions that new rows are in.
  bool dynamic = false;
  // The DELETE has run: what the INSERT reads is the version before it.
  bool old_rows_went = false;
};

class WriteMode final : public duckdb::ClientContextState {
 public:
  static std::optional<Overwrite>& Of(duckdb::ClientContext& context) {
    return context.registered_state->GetOrCreate<WriteMode>("bayou_write_mode")
        ->overwrite_;
  }

 private:
  std::optional<Overwrite> overwrite_;
};

}  // namespace bayou::sql
