// SPDX-License-Identifier: Apache-2.0
//
// From the name of a table, as a statement or a function's argument has it, to
// the table.
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <string>

#include "kernel/table/snapshot.h"
#include "sql/table_name.h"

namespace bayou::sql {

class DeltaTable;

// The entry in DuckDB's catalog, looked up along the search path. Runs in a
// transaction. Throws DuckDB exceptions; with RETURN_NULL, not for a missing
// one.
duckdb::optional_ptr<duckdb::CatalogEntry> FindEntry(
    duckdb::ClientContext& context, const TableName& name,
    duckdb::OnEntryNotFound if_missing,
    duckdb::optional_ptr<duckdb::BoundAtClause> at = nullptr);

// The database and the schema that the name lies in. Throws DuckDB exceptions.
struct NamePlace {
  duckdb::Catalog& database;
  std::string schema;
};
NamePlace PlaceOfName(duckdb::ClientContext& context, const TableName& name);

// The entry of the Delta table that the argument of a table function names.
// Throws DuckDB exceptions as below.
DeltaTable& FindDeltaTable(duckdb::ClientContext& context,
                           const std::string& argument);

// The Delta table that the argument of a table function means, as it is
// committed. A plain name that no database has may be a folder. Throws DuckDB
// exceptions: not found; a table or view of another kind;
// DELTA_UNCOMMITTED_READ for a table that the transaction has made.
std::shared_ptr<const table::Snapshot> OpenTable(
    duckdb::ClientContext& context, const std::string& argument,
    const table::TimeTravel& at = {});

// Where that table lies.
std::string LocationOf(duckdb::ClientContext& context,
                       const std::string& argument);

}  // namespace bayou::sql
