// SPDX-License-Identifier: Apache-2.0
#include "sql/type_aliases.h"

namespace bayou::sql {

void RegisterTypeAliases(duckdb::ExtensionLoader& loader) {
  loader.RegisterType("timestamp_ntz", duckdb::LogicalType::TIMESTAMP);
  loader.RegisterType("timestamp_ltz", duckdb::LogicalType::TIMESTAMP_TZ);
  loader.RegisterType("byte", duckdb::LogicalType::TINYINT);
}

}  // namespace bayou::sql
