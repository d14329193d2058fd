// SPDX-License-Identifier: Apache-2.0
//
// Spark's names of plain types that DuckDB lacks: TIMESTAMP_NTZ, TIMESTAMP_LTZ,
// BYTE.
#pragma once

#include <duckdb.hpp>
#include <duckdb/main/extension/extension_loader.hpp>

namespace bayou::sql {

void RegisterTypeAliases(duckdb::ExtensionLoader& loader);

}  // namespace bayou::sql
