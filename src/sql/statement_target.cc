// SPDX-License-Identifier: Apache-2.0
#include "sql/statement_target.h"

#include <string>

#include "sql/delta_catalog.h"
#include "sql/table_lookup.h"

namespace bayou::sql {
namespace {

DeltaTable* Find(duckdb::ClientContext& context, const std::string& catalog,
                 const std::string& schema, const std::string& table) {
  TableName name;
  for (const std::string& part : {catalog, schema}) {
    if (!part.empty()) name.parts.push_back(part);
  }
  name.parts.push_back(table);
  auto entry = FindEntry(context, name, duckdb::OnEntryNotFound::RETURN_NULL);
  if (!entry || entry->ParentCatalog().GetCatalogType() != kStorageType)
    return nullptr;
  return &entry->Cast<DeltaTable>();
}

}  // namespace

DeltaTable* FindTarget(duckdb::ClientContext& context,
                       const duckdb::BaseTableRef& target) {
  return Find(context, target.catalog_name, target.schema_name,
              target.table_name);
}

DeltaTable* FindTarget(duckdb::ClientContext& context,
                       const duckdb::InsertStatement& insert) {
  return Find(context, insert.catalog, insert.schema, insert.table);
}

}  // namespace bayou::sql
