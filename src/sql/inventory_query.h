// SPDX-License-Identifier: Apache-2.0
//
// The inventory of VACUUM ... USING INVENTORY, which a query gives.
#pragma once

#include <duckdb.hpp>
#include <string>

#include "ops/commands/inventory.h"

namespace bayou::sql {

// The rows of `query`, a SELECT in the spelling of Spark or DuckDB, with names
// as those of the session of `context`; the tables and views that are temporary
// in it are not known. The query runs when the inventory is asked for. It has
// the columns path VARCHAR, length BIGINT, isDir BOOLEAN and modificationTime
// BIGINT (milliseconds); others do not matter. Errors, then: kInvalidArgument,
// condition DELTA_INVALID_INVENTORY_SCHEMA; those of the query.
commands::Inventory InventoryOf(duckdb::ClientContext& context,
                                std::string query);

}  // namespace bayou::sql
