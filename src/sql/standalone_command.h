// SPDX-License-Identifier: Apache-2.0
//
// Commands on a table that commit by themselves: OPTIMIZE, VACUUM and the like.
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <string>

#include "kernel/table/snapshot.h"

namespace bayou::sql {

// Throws DELTA_COMMAND_IN_TRANSACTION after BEGIN, whose COMMIT would come too
// late for the command.
void CheckStandalone(duckdb::ClientContext& context, const char* command);

// The table that the argument of a table function names, for a command that
// changes it. Throws DuckDB exceptions: as above; see table_lookup.h.
std::shared_ptr<const table::Snapshot> BeginStandalone(
    duckdb::ClientContext& context, const std::string& table,
    const char* command);

// A named argument, or nullptr when it is absent or NULL.
const duckdb::Value* NamedArgument(const duckdb::TableFunctionBindInput& input,
                                   const char* name);

// A named argument that is true; not when it is absent or NULL.
bool FlagArgument(const duckdb::TableFunctionBindInput& input,
                  const char* name);

}  // namespace bayou::sql
