// SPDX-License-Identifier: Apache-2.0
//
// The columns of inserted rows that the table gives values to: generated
// columns that the statement leaves out, and identity columns.
#pragma once

#include <duckdb.hpp>
#include <duckdb/execution/physical_plan_generator.hpp>
#include <memory>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"
#include "kernel/write/identity_values.h"
#include "sql/pending_write.h"

namespace bayou::sql {

// Gives values while rows are inserted. Begun before the first row.
using IdentityOfStatement = std::shared_ptr<write::IdentityValues>;

// Rows with the table's columns, of which `given` tells those that the
// statement brings; the others are NULL where the table computes them. Throws
// DuckDB exceptions (see engine::BindStoredExpression). In identity columns
// NULL takes the next value; another value is an error (kInvalidArgument,
// condition DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED) in GENERATED
// ALWAYS.
duckdb::PhysicalOperator& CompleteRows(duckdb::ClientContext& context,
                                       duckdb::PhysicalPlanGenerator& planner,
                                       const protocol::Schema& schema,
                                       const std::vector<bool>& given,
                                       duckdb::PhysicalOperator& rows,
                                       const IdentityOfStatement& identity);

// The value of the identity column at `position`: the one that is given, or the
// next one. As CompleteRows has it.
duckdb::unique_ptr<duckdb::Expression> IdentityValue(
    duckdb::unique_ptr<duckdb::Expression> given, const protocol::Field& field,
    std::size_t position, const IdentityOfStatement& identity);

// The same for generated columns alone. Behind the table's columns `rows` may
// have others, which stay.
duckdb::PhysicalOperator& CompleteGenerated(
    duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
    const protocol::Schema& schema, const std::vector<bool>& given,
    duckdb::PhysicalOperator& rows);

// The value of the column's default in this transaction, or nullopt when it has
// none. Errors: see engine::BindStoredExpression.
Result<std::optional<duckdb::Value>> DefaultValue(
    duckdb::ClientContext& context, const protocol::Field& field);

}  // namespace bayou::sql
