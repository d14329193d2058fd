// SPDX-License-Identifier: Apache-2.0
//
// The table functions by which tables are looked after as a whole:
//
//   bayou_clone(clone, table, shallow => b, version => n, ...,
//               properties => MAP {...}, mode => 'create_or_replace')  CLONE
//   bayou_validate(table, deep => b, repair => b)    what is wrong with it
//   bayou_diff(table, from [, to], rows => b)        what two versions differ
//   in bayou_generate(table, 'symlink_format_manifest')  GENERATE
//   bayou_advise(table)                              what would do it good
#pragma once

#include <duckdb.hpp>

namespace bayou::sql {

duckdb::TableFunction CloneFunction();
duckdb::TableFunction ValidateFunction();
duckdb::TableFunctionSet DiffFunction();
duckdb::TableFunction GenerateFunction();
duckdb::TableFunction AdviseFunction();

}  // namespace bayou::sql
