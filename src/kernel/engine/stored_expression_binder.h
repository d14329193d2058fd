// SPDX-License-Identifier: Apache-2.0
//
// Stored expressions as expressions that DuckDB runs, with Spark's meaning (of
// its ANSI mode, in which what goes wrong is an error). They are built out of
// the functions of stored_functions.h alone: no text reaches DuckDB's parser,
// and nothing in them can read a file, a setting or another table (threat T11).
#pragma once

#include <duckdb.hpp>
#include <duckdb/planner/expression.hpp>
#include <string_view>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/stored_expression.h"

namespace bayou::engine {

enum class Clock : std::uint8_t {
  kForbidden,  // Constraints and generated columns: the same for ever.
  kAllowed,    // Defaults: current_date and current_timestamp have a value.
};

// The expression over rows with the columns of `schema`, in order. Dates of
// timestamps are those of the session's time zone, as with Spark.
// Errors: kUnsupported, condition DELTA_EXPRESSION_UNSUPPORTED, for functions
// and types that are not known; kInvalidArgument, DELTA_EXPRESSION_INVALID, for
// columns that are not there and for arguments that do not fit. Both give the
// expression.
Result<duckdb::unique_ptr<duckdb::Expression>> BindStoredExpression(
    duckdb::ClientContext& context,
    const protocol::StoredExpression& expression,
    const protocol::Schema& schema, Clock clock = Clock::kForbidden);

// The same, as a value of the type: what Spark stores for it.
Result<duckdb::unique_ptr<duckdb::Expression>> BindStoredValue(
    duckdb::ClientContext& context,
    const protocol::StoredExpression& expression,
    const protocol::Schema& schema, const protocol::DataType& type,
    Clock clock = Clock::kForbidden);

}  // namespace bayou::engine
