// SPDX-License-Identifier: Apache-2.0
#include "sql/examined_place.h"

#include "kernel/engine/engine.h"
#include "kernel/store/location.h"
#include "sql/delta_catalog.h"
#include "sql/table_lookup.h"

namespace bayou::sql {

std::string PlaceToExamine(duckdb::ClientContext& context,
                           const std::string& argument) {
  const TableName name = ParseTableArgument(argument);
  if (name.is_path) return engine::Unwrap(store::ParseLocation(name.table()));
  const NamePlace place = PlaceOfName(context, name);
  if (place.database.GetCatalogType() == kStorageType) {
    auto& catalog = static_cast<DeltaCatalog&>(place.database);
    const auto found =
        engine::Unwrap(catalog.FindTable(context, place.schema, name.table()));
    if (found) return *found;
  }
  return engine::Unwrap(store::ParseLocation(argument));
}

}  // namespace bayou::sql
