// SPDX-License-Identifier: Apache-2.0
//
// Spark's clauses of CREATE TABLE as DuckDB's. What DuckDB's grammar has no
// place for travels in table options (see table_options.h).
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "bayou/result.h"
#include "sql/text_edits.h"
#include "sql/token.h"

namespace bayou::sql {

// `i` is the token behind the table's name. Edits the column types and
// comments, and replaces the clauses between the columns and the query, in
// whatever order they are written:
//   USING DELTA, PARTITIONED BY (a) or (a INT), TBLPROPERTIES ('k' = 'v'),
//   LOCATION 'path', COMMENT 'text', WITH (option = value)
//   CLUSTER BY (a, b.c)
// and, of columns, GENERATED, DEFAULT and nested NOT NULL.
// Errors: kUnsupported for USING anything else; kInvalidArgument.
// `is_delta`, asked when it matters: the rules of columns are Delta's to keep,
// and stay in the statement for other databases.
Status RewriteCreateTable(std::string_view text, std::span<const Token> tokens,
                          std::size_t i, const std::function<bool()>& is_delta,
                          TextEdits& edits);

}  // namespace bayou::sql
