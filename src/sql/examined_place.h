// SPDX-License-Identifier: Apache-2.0
//
// The place of a table that is to be examined: it need not be one that can be
// opened.
#pragma once

#include <duckdb.hpp>
#include <string>

namespace bayou::sql {

// What the argument of a table function names, or the folder of that path.
// Throws DuckDB exceptions.
std::string PlaceToExamine(duckdb::ClientContext& context,
                           const std::string& argument);

}  // namespace bayou::sql
