// SPDX-License-Identifier: Apache-2.0
//
// Dates and timestamps at every level of nesting are finite: `infinity` is a
// value of DuckDB's that Delta has none for, and other readers take for a time
// that they cannot show.
#pragma once

#include <duckdb.hpp>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"

namespace bayou::write {

// `rows` have the schema's columns, in order. Errors: kInvalidArgument,
// condition DELTA_INFINITE_TIME, naming the column.
Status CheckFinite(const protocol::Schema& schema, duckdb::DataChunk& rows);

}  // namespace bayou::write
