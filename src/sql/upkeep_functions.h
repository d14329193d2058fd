// SPDX-License-Identifier: Apache-2.0
//
// The table functions by which tables are looked after as a whole:
//
//   bayou_clone(clone, table, shallow => b, version => n, ...,
//               properties => MAP {...}, mode => 'create_or_replace')  CLONE
#pragma once

#include <duckdb.hpp>

namespace bayou::sql {

duckdb::TableFunction CloneFunction();

}  // namespace bayou::sql
