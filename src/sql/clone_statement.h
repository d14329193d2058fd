// SPDX-License-Identifier: Apache-2.0
//
// CLONE, in the spellings of Spark and Databricks, as a call of the table
// function that runs it:
//
//   CREATE TABLE [IF NOT EXISTS] | CREATE OR REPLACE TABLE | REPLACE TABLE t
//     [SHALLOW | DEEP] CLONE s [VERSION | TIMESTAMP AS OF x]
//     [TBLPROPERTIES ('k' = 'v')] [LOCATION 'path']
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bayou/result.h"
#include "sql/table_name.h"
#include "sql/token.h"

namespace bayou::sql {

struct CloneStatement {
  TableName source;  // That decides whether the statement is for us.
  std::string run;   // SELECT * FROM bayou_clone(...)
};

// nullopt: the tokens are no such statement. Errors: kInvalidArgument,
// conditions PARSE_SYNTAX_ERROR and DUPLICATE_KEY, for clauses that are not
// complete or do not belong here.
Result<std::optional<CloneStatement>> ParseClone(std::string_view text,
                                                 std::span<const Token> tokens);

}  // namespace bayou::sql
