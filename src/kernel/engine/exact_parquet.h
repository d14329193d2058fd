// SPDX-License-Identifier: Apache-2.0
//
// `bayou_parquet([...])`: DuckDB's Parquet reader over files named exactly.
//
// read_parquet takes its arguments for patterns, so a table in a folder called
// `[z]` or `a?b` would read other files or none, and a folder called `a=b`
// above it would become a column. This one takes every name literally.
#pragma once

#include <duckdb.hpp>
#include <span>
#include <string>

namespace bayou::engine {

// Adds the function to a database that StartEngine did not make; harmless when
// it is there.
void RegisterExactParquet(duckdb::DatabaseInstance& database);

// The SQL of a table that holds the rows of all `files`, columns matched by
// name. The files' types must be alike.
std::string ParquetRelation(std::span<const std::string> files);

}  // namespace bayou::engine
