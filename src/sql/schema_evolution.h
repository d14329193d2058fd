// SPDX-License-Identifier: Apache-2.0
//
// MERGE and INSERT WITH SCHEMA EVOLUTION: the table takes over the columns, and
// fields of structs, that the source has and it lacks, in the commit of the
// statement itself. INSERT OVERWRITE may put the query's schema in the place of
// the table's.
#pragma once

#include <duckdb.hpp>
#include <duckdb/parser/statement/insert_statement.hpp>
#include <duckdb/parser/statement/merge_into_statement.hpp>
#include <string>
#include <vector>

namespace bayou::sql {

// Each changes the table of the running transaction, and throws DuckDB
// exceptions. One that has changed rows already must not change the schema:
// kUnsupported, condition DELTA_ALTER_IN_TRANSACTION.

// Returns the names of the source's columns.
std::vector<std::string> EvolveTarget(duckdb::Connection& connection,
                                      duckdb::MergeIntoStatement& merge);

// The query's columns stand for the table's by name where the statement says BY
// NAME or lists its columns; otherwise by position, and those behind the
// table's last are new.
void EvolveTarget(duckdb::Connection& connection,
                  const duckdb::InsertStatement& insert);

// The table's columns become those of the query. Its properties, constraints,
// partition columns and clustering stay.
void OverwriteSchema(duckdb::Connection& connection,
                     const duckdb::InsertStatement& insert);

}  // namespace bayou::sql
