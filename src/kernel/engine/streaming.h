// SPDX-License-Identifier: Apache-2.0
//
// Which results stream. DuckDB 1.5 never says that the first rows of a UNION
// ALL are ready when its first query fills the buffer while a later one waits
// with a join or the like until the first is done: the statement would hang.
// Such results are computed to their end, in memory that spills to disk.
#pragma once

#include <duckdb.hpp>

namespace bayou::engine {

// Rows while they are computed, where that is possible; see above.
duckdb::QueryParameters Streaming();

// Once for each instance.
void RegisterStreamingRule(duckdb::DatabaseInstance& database);

}  // namespace bayou::engine
