// SPDX-License-Identifier: Apache-2.0
//
// `UPDATE SET *` and `INSERT *` of a MERGE into a Delta table. With Spark they
// take each column of the table from the source's column of that name, wherever
// it stands; what else the source has plays no part. DuckDB goes by position.
#pragma once

#include <duckdb.hpp>
#include <duckdb/parser/sql_statement.hpp>

namespace bayou::sql {

// Writes the stars of `statement` out, if it is such a MERGE. Looks the table
// up in a transaction of its own. Throws DuckDB exceptions.
void ExpandMergeStars(duckdb::ClientContext& context,
                      duckdb::SQLStatement& statement);

}  // namespace bayou::sql
