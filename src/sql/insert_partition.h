// SPDX-License-Identifier: Apache-2.0
//
// INSERT INTO t PARTITION (p = 'x') query: the query has no column p.
#pragma once

#include <duckdb.hpp>
#include <duckdb/parser/statement/insert_statement.hpp>
#include <vector>

#include "sql/insert_spelling.h"

namespace bayou::sql {

// Gives the statement's rows the columns that `partition` has values for.
// Throws DuckDB exceptions; for a column that is no partition column:
// kInvalidArgument, condition NON_PARTITION_COLUMN.
void AddPartitionValues(duckdb::ClientContext& context,
                        const std::vector<PartitionValue>& partition,
                        duckdb::InsertStatement& insert);

}  // namespace bayou::sql
