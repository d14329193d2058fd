// SPDX-License-Identifier: Apache-2.0
//
// MERGE WITH SCHEMA EVOLUTION: the table takes over the columns, and fields of
// structs, that the source has and it lacks, in the commit of the MERGE itself.
#pragma once

#include <duckdb.hpp>
#include <duckdb/parser/statement/merge_into_statement.hpp>
#include <string>
#include <vector>

namespace bayou::sql {

// Changes the table of the running transaction. Returns the names of the
// source's columns. Throws DuckDB exceptions.
std::vector<std::string> EvolveTarget(duckdb::Connection& connection,
                                      duckdb::MergeIntoStatement& merge);

}  // namespace bayou::sql
