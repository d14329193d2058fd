// SPDX-License-Identifier: Apache-2.0
//
// Lets COPY ... TO (FORMAT parquet) write variants inside of structs, lists and
// maps. DuckDB's writer encodes a variant only where it is a column itself;
// here the others become what a variant is in Parquet, a group of two binaries.
#pragma once

#include <duckdb.hpp>

namespace bayou::engine {

void AllowNestedVariants(duckdb::DatabaseInstance& database);

}  // namespace bayou::engine
