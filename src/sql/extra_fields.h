// SPDX-License-Identifier: Apache-2.0
//
// Values with fields that a table's struct does not have. DuckDB's own cast of
// a struct, which INSERT, UPDATE and MERGE apply to what they are given, drops
// such fields without a word, and makes a misspelt one NULL.
#pragma once

#include <duckdb.hpp>

namespace bayou::sql {

// From now on such a statement fails: kInvalidArgument, condition
// DELTA_EXTRA_STRUCT_FIELDS. A cast that the user has written passes.
void RegisterExtraFieldsCheck(duckdb::DBConfig& config);

}  // namespace bayou::sql
