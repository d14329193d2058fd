// SPDX-License-Identifier: Apache-2.0
//
// Mends a wrong answer of DuckDB's: of the row groups in which a column is NULL
// throughout, its Parquet reader leaves those out for which `x IS DISTINCT FROM
// a` stands in an OR, though NULL is distinct from a.
#pragma once

#include <duckdb.hpp>

namespace bayou::scan {

// `x IS DISTINCT FROM a`, in ANDs and ORs at any depth, becomes `x IS NULL OR x
// <> a`, which says the same of a constant that is not NULL.
void SpellDistinctOut(
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters);

}  // namespace bayou::scan
