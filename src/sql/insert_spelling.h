// SPDX-License-Identifier: Apache-2.0
//
// The clauses of Spark's INSERT that DuckDB's does not have:
//
//   INSERT [WITH SCHEMA EVOLUTION] {INTO | OVERWRITE [INTO]} [TABLE] t
//     [WITH ('mergeSchema' = 'true' | 'overwriteSchema' = 'true')]
//     [PARTITION (p = 'x', q)] [(columns)] [BY NAME] [REPLACE WHERE condition]
//     query
//
// They are taken out of the text, and said as values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "sql/text_edits.h"
#include "sql/token.h"
#include "sql/write_mode.h"

namespace bayou::sql {

// p = 'x': the column of all rows has that value.
struct PartitionValue {
  std::string column;
  std::string value;  // As SQL.
};

struct InsertClauses {
  std::optional<Overwrite> overwrite;
  bool evolves_schema = false;     // See schema_evolution.h.
  bool overwrites_schema = false;  // Of an `overwrite` of all rows.
  std::vector<PartitionValue> partition;
};

// The clauses of the INSERT at token `i`, whose new text is left in `edits`.
// nullopt: it is none that could have any. Errors: kInvalidArgument, condition
// PARSE_SYNTAX_ERROR or DELTA_UNKNOWN_WRITE_OPTION; kUnsupported for clauses
// that would be lost.
Result<std::optional<InsertClauses>> TakeInsertClauses(
    std::string_view text, std::span<const Token> tokens, std::size_t i,
    TextEdits& edits);

}  // namespace bayou::sql
