// SPDX-License-Identifier: Apache-2.0
//
// DuckDB's view of our stores: every byte that it reads or writes at a location
// of a registered scheme (see kernel/store/location.h) goes through the Store
// that is registered for it. Paths of the local disk are DuckDB's own affair.
#pragma once

#include <duckdb.hpp>

namespace bayou::engine {

// Files are read range by range. What is written is held in memory and put as
// one object when the file is closed: right for stores in memory, whose files
// are small. A file that was not closed was never there.
void RegisterStoreFileSystem(duckdb::DatabaseInstance& database);

}  // namespace bayou::engine
