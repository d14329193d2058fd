// SPDX-License-Identifier: Apache-2.0
//
// `UPDATE SET *` and `INSERT *` of a MERGE into a Delta table. With Spark they
// take each column of the table from the source's column of that name, wherever
// it stands; what else the source has plays no part. DuckDB goes by position.
#pragma once

#include <duckdb.hpp>
#include <duckdb/parser/statement/merge_into_statement.hpp>
#include <optional>
#include <string>
#include <vector>

namespace bayou::sql {

// Writes the stars of `merge` out. `source`: if set, the source's columns; then
// those of the table that are not among them are left alone. Looks the table up
// in the running transaction, or in one of its own. Throws DuckDB exceptions.
void ExpandMergeStars(duckdb::ClientContext& context,
                      duckdb::MergeIntoStatement& merge,
                      const std::optional<std::vector<std::string>>& source);

}  // namespace bayou::sql
