// SPDX-License-Identifier: Apache-2.0
//
// Conditions, generated columns and defaults that users write, in DuckDB's
// spelling, as the text that the table stores, which is Spark's.
#pragma once

#include <duckdb.hpp>
#include <string>
#include <string_view>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"

namespace bayou::sql {

// Each is bound too, so that nothing is stored which no write could keep.
// Errors: see protocol::ParseStoredExpression, engine::BindStoredExpression.

// A condition over the table's columns.
Result<std::string> StoredCondition(duckdb::ClientContext& context,
                                    std::string_view text,
                                    const protocol::Schema& schema);

// The value of a generated column of that type.
Result<std::string> StoredGeneration(duckdb::ClientContext& context,
                                     std::string_view text,
                                     const protocol::Schema& schema,
                                     const protocol::Field& column);

// A default, which looks at no column.
Result<std::string> StoredDefault(duckdb::ClientContext& context,
                                  std::string_view text,
                                  const protocol::DataType& type);

}  // namespace bayou::sql
