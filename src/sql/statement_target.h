// SPDX-License-Identifier: Apache-2.0
//
// The Delta table that a parsed statement changes.
#pragma once

#include <duckdb.hpp>
#include <duckdb/parser/statement/insert_statement.hpp>
#include <duckdb/parser/tableref/basetableref.hpp>

#include "sql/delta_table.h"

namespace bayou::sql {

// Each looks the table up in the running transaction; null when it is none of
// Delta's. Throws DuckDB exceptions.
DeltaTable* FindTarget(duckdb::ClientContext& context,
                       const duckdb::BaseTableRef& target);
DeltaTable* FindTarget(duckdb::ClientContext& context,
                       const duckdb::InsertStatement& insert);

}  // namespace bayou::sql
