// SPDX-License-Identifier: Apache-2.0
#include "sql/table_lookup.h"

#include <duckdb/catalog/catalog.hpp>
#include <duckdb/catalog/catalog_entry_retriever.hpp>
#include <duckdb/catalog/catalog_search_path.hpp>
#include <duckdb/main/client_data.hpp>
#include <duckdb/planner/binder.hpp>
#include <duckdb/planner/tableref/bound_at_clause.hpp>

#include "kernel/engine/engine.h"
#include "kernel/store/location.h"
#include "sql/delta_catalog.h"
#include "sql/delta_table.h"
#include "sql/delta_transaction.h"
#include "sql/lake_folder.h"

namespace bayou::sql {
namespace {

// What the argument names; a plain name that only a folder answers to is a
// path.
TableName NameOf(duckdb::ClientContext& context, const std::string& argument) {
  TableName name = ParseTableArgument(argument);
  if (name.is_path) return name;
  if (!FindEntry(context, name, duckdb::OnEntryNotFound::RETURN_NULL) &&
      PlaceAt(argument) != Place::kNothing) {
    return TableName::OfPath(argument);
  }
  return name;
}

DeltaTable& FindTable(duckdb::ClientContext& context, const TableName& name) {
  auto entry =
      FindEntry(context, name, duckdb::OnEntryNotFound::THROW_EXCEPTION);
  if (entry->type != duckdb::CatalogType::TABLE_ENTRY ||
      entry->ParentCatalog().GetCatalogType() != kStorageType) {
    engine::Throw({ErrorCode::kInvalidArgument, "DELTA_TABLE_ONLY_OPERATION",
                   name.Sql() + " is no Delta table"});
  }
  return entry->Cast<DeltaTable>();
}

std::shared_ptr<const table::Snapshot> Committed(duckdb::ClientContext& context,
                                                 DeltaTable& table) {
  const auto& snapshot = table.snapshot();
  if (!snapshot->is_preview() && !snapshot->is_changed()) return snapshot;
  if (auto committed = DeltaTransaction::Get(context, table.ParentCatalog())
                           .tables()
                           .Committed(snapshot->location()))
    return committed;
  engine::Throw({ErrorCode::kUnsupported, "DELTA_UNCOMMITTED_READ",
                 "table " + snapshot->location() +
                     " is made by this transaction, and the command needs it "
                     "committed; COMMIT first"});
}

}  // namespace

duckdb::optional_ptr<duckdb::CatalogEntry> FindEntry(
    duckdb::ClientContext& context, const TableName& name,
    duckdb::OnEntryNotFound if_missing,
    duckdb::optional_ptr<duckdb::BoundAtClause> at) {
  const std::size_t count = name.parts.size();
  duckdb::string catalog =
      count > 2 ? name.parts[count - 3] : duckdb::string(INVALID_CATALOG);
  duckdb::string schema =
      count > 1 ? name.parts[count - 2] : duckdb::string(INVALID_SCHEMA);
  duckdb::Binder::BindSchemaOrCatalog(context, catalog, schema);
  const duckdb::EntryLookupInfo lookup(duckdb::CatalogType::TABLE_ENTRY,
                                       name.table(), at,
                                       duckdb::QueryErrorContext());
  return duckdb::Catalog::GetEntry(context, catalog, schema, lookup,
                                   if_missing);
}

NamePlace PlaceOfName(duckdb::ClientContext& context, const TableName& name) {
  const std::size_t count = name.parts.size();
  duckdb::string catalog =
      count > 2 ? name.parts[count - 3] : duckdb::string(INVALID_CATALOG);
  duckdb::string schema =
      count > 1 ? name.parts[count - 2] : duckdb::string(INVALID_SCHEMA);
  duckdb::Binder::BindSchemaOrCatalog(context, catalog, schema);
  const auto& path = *duckdb::ClientData::Get(context).catalog_search_path;
  if (schema.empty()) {
    schema = catalog.empty() ? path.GetDefault().schema
                             : path.GetDefaultSchema(catalog);
  }
  if (catalog.empty()) catalog = path.GetDefault().catalog;
  return {duckdb::Catalog::GetCatalog(context, catalog), schema};
}

DeltaTable& FindDeltaTable(duckdb::ClientContext& context,
                           const std::string& argument) {
  return FindTable(context, NameOf(context, argument));
}

std::shared_ptr<const table::Snapshot> OpenTable(duckdb::ClientContext& context,
                                                 const std::string& argument,
                                                 const table::TimeTravel& at) {
  if (!at.version && !at.timestamp_ms) {
    return Committed(context, FindTable(context, NameOf(context, argument)));
  }
  return engine::Unwrap(
      table::Snapshot::Open(LocationOf(context, argument), *context.db, at));
}

std::string LocationOf(duckdb::ClientContext& context,
                       const std::string& argument) {
  const TableName name = NameOf(context, argument);
  if (name.is_path) return engine::Unwrap(store::ParseLocation(name.table()));
  return FindTable(context, name).snapshot()->location();
}

}  // namespace bayou::sql
