// SPDX-License-Identifier: Apache-2.0
#include "sql/delta_schema.h"

#include <duckdb/catalog/similar_catalog_entry.hpp>
#include <duckdb/parser/parsed_data/alter_info.hpp>
#include <duckdb/parser/parsed_data/create_schema_info.hpp>
#include <duckdb/parser/parsed_data/create_table_info.hpp>
#include <duckdb/parser/parsed_data/drop_info.hpp>
#include <duckdb/planner/parsed_data/bound_create_table_info.hpp>
#include <duckdb/planner/tableref/bound_at_clause.hpp>
#include <filesystem>

#include "kernel/engine/engine.h"
#include "sql/delta_catalog.h"
#include "sql/delta_table.h"
#include "sql/delta_transaction.h"
#include "sql/table_options.h"
#include "sql/time_travel.h"
#include "sql/write_plans.h"

namespace bayou::sql {
namespace {

Result<table::TimeTravel> TimeOf(duckdb::ClientContext& context,
                                 const duckdb::EntryLookupInfo& lookup) {
  const auto clause = lookup.GetAtClause();
  if (!clause) return table::TimeTravel{};
  return AtClause(context, clause->Unit(), clause->GetValue());
}

}  // namespace

DeltaSchema::DeltaSchema(DeltaCatalog& owner, duckdb::CreateSchemaInfo& info)
    : SchemaCatalogEntry(owner, info) {}

DeltaCatalog& DeltaSchema::delta() const {
  return static_cast<DeltaCatalog&>(
      const_cast<duckdb::Catalog&>(ParentCatalog()));
}

void DeltaSchema::Refuse(const char* what, const char* instead) {
  std::string message =
      std::string("a database of Delta tables holds no ") + what;
  if (instead) {
    message += std::string("; CREATE ") + instead +
               " makes one that lasts as long as the session";
  }
  engine::Throw(
      {ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION", message});
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::LookupEntry(
    duckdb::CatalogTransaction transaction,
    const duckdb::EntryLookupInfo& lookup) {
  if (lookup.GetCatalogType() != duckdb::CatalogType::TABLE_ENTRY)
    return nullptr;
  const std::string& table = lookup.GetEntryName();
  duckdb::ClientContext& context = transaction.GetContext();
  DeltaTransaction& changes = DeltaTransaction::Get(context, catalog);
  const auto location = engine::Unwrap(delta().FindTable(context, name, table));
  if (!location) return nullptr;
  const table::TimeTravel at = engine::Unwrap(TimeOf(context, lookup));
  return engine::Unwrap(changes.Table(*this, table, *location, at));
}

// DuckDB's own would open every table of the lake.
duckdb::SimilarCatalogEntry DeltaSchema::GetSimilarEntry(
    duckdb::CatalogTransaction, const duckdb::EntryLookupInfo& lookup) {
  duckdb::SimilarCatalogEntry nearest;
  if (lookup.GetCatalogType() != duckdb::CatalogType::TABLE_ENTRY ||
      !delta().lake()) {
    return nearest;
  }
  for (const std::string& table : delta().lake()->Tables(name)) {
    const double score =
        duckdb::StringUtil::SimilarityRating(table, lookup.GetEntryName());
    if (score <= nearest.score) continue;
    nearest.score = score;
    nearest.name = table;
  }
  return nearest;
}

void DeltaSchema::Scan(
    duckdb::ClientContext& context, duckdb::CatalogType kind,
    const std::function<void(duckdb::CatalogEntry&)>& callback) {
  if (kind != duckdb::CatalogType::TABLE_ENTRY || !delta().lake()) return;
  DeltaTransaction& transaction = DeltaTransaction::Get(context, catalog);
  for (const std::string& table : delta().lake()->Tables(name)) {
    if (const auto location = delta().lake()->FindTable(name, table)) {
      callback(transaction.ListedTable(*this, table, *location));
    }
  }
  const auto made = transaction.pending().made_table();
  if (!made) return;
  const std::string table = std::filesystem::path(*made).filename();
  if (delta().lake()->NewTable(name, table).value_or("") == *made)
    callback(transaction.ListedTable(*this, table, *made));
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::CreateTable(
    duckdb::CatalogTransaction transaction,
    duckdb::BoundCreateTableInfo& bound) {
  const auto& info = bound.Base().Cast<duckdb::CreateTableInfo>();
  duckdb::ClientContext& context = transaction.GetContext();
  DeltaTransaction& changes = DeltaTransaction::Get(context, catalog);
  const auto location =
      engine::Unwrap(delta().PlaceForNewTable(context, name, info));
  if (!location) return nullptr;
  sql::CreateTable(context, info, *location,
                   delta().Replaced(context, *this, info, *location),
                   changes.pending());
  return nullptr;
}

void DeltaSchema::DropEntry(duckdb::ClientContext&, duckdb::DropInfo& info) {
  engine::Throw({ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                 "DROP TABLE " + info.name +
                     ": Bayou never deletes a table by itself; remove its "
                     "folder to do so"});
}

void DeltaSchema::Alter(duckdb::CatalogTransaction transaction,
                        duckdb::AlterInfo& info) {
  const duckdb::EntryLookupInfo lookup(duckdb::CatalogType::TABLE_ENTRY,
                                       info.name);
  if (auto table = LookupEntry(transaction, lookup)) {
    engine::Throw(table->Cast<DeltaTable>().Refusal("ALTER TABLE"));
  }
}

}  // namespace bayou::sql
