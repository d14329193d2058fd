// SPDX-License-Identifier: Apache-2.0
#include "sql/delta_catalog.h"

#include <duckdb/catalog/entry_lookup_info.hpp>
#include <duckdb/main/attached_database.hpp>
#include <duckdb/parser/parsed_data/attach_info.hpp>
#include <duckdb/parser/parsed_data/create_schema_info.hpp>
#include <duckdb/parser/parsed_data/create_table_info.hpp>
#include <duckdb/parser/parsed_data/drop_info.hpp>
#include <duckdb/planner/operator/logical_create_table.hpp>
#include <duckdb/planner/operator/logical_delete.hpp>
#include <duckdb/planner/operator/logical_insert.hpp>
#include <duckdb/planner/operator/logical_merge_into.hpp>
#include <duckdb/planner/operator/logical_update.hpp>
#include <duckdb/planner/parsed_data/bound_create_table_info.hpp>
#include <duckdb/storage/database_size.hpp>
#include <duckdb/storage/storage_extension.hpp>

#include "kernel/engine/engine.h"
#include "kernel/store/location.h"
#include "ops/commands/row_tracking_columns.h"
#include "sql/change_plans.h"
#include "sql/delta_table.h"
#include "sql/delta_transaction.h"
#include "sql/table_options.h"
#include "sql/write_mode.h"
#include "sql/write_options.h"
#include "sql/write_plans.h"

namespace bayou::sql {
namespace {

// A table's own folder passes too: a lake without tables, so that the command
// runs wherever a user happens to be.
Result<LakeFolder> OpenLake(const std::string& path) {
  BAYOU_ASSIGN(std::string location, store::ParseLocation(path));
  const Place place = PlaceAt(path);
  if (place == Place::kFolder || place == Place::kTable)
    return LakeFolder(std::move(location));
  return Fail(
      ErrorCode::kInvalidArgument, "DELTA_NOT_A_LAKE",
      location +
          " is no folder; a lake is a folder whose sub-folders are tables");
}

duckdb::unique_ptr<duckdb::Catalog> Attach(
    duckdb::optional_ptr<duckdb::StorageExtensionInfo>, duckdb::ClientContext&,
    duckdb::AttachedDatabase& database, const std::string&,
    duckdb::AttachInfo& info, duckdb::AttachOptions&) {
  std::optional<LakeFolder> lake;
  if (!info.path.empty()) lake = engine::Unwrap(OpenLake(info.path));
  return duckdb::make_uniq<DeltaCatalog>(database, std::move(lake));
}

duckdb::unique_ptr<duckdb::TransactionManager> MakeTransactionManager(
    duckdb::optional_ptr<duckdb::StorageExtensionInfo>,
    duckdb::AttachedDatabase& database, duckdb::Catalog&) {
  return duckdb::make_uniq<DeltaTransactionManager>(database);
}

// LOCATION may say where the table goes anyway: a lake has no list of tables
// elsewhere.
Status CheckLocation(const duckdb::CreateTableInfo& info,
                     const std::string& place) {
  BAYOU_ASSIGN(const TableOptions options, FromCreateTable(info));
  if (!options.location) return {};
  BAYOU_ASSIGN(const std::string location,
               store::ParseLocation(*options.location));
  if (location == place) return {};
  return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
              "LOCATION: a lake's tables lie in its folder, this one at " +
                  place + "; write CREATE TABLE delta.`" + location +
                  "` for a table elsewhere");
}

// Whether a statement can change the rows of the table as the transaction has
// left it so far. The feed of a commit says what became of the rows of the
// version before it, and rows get their ids from the commit: of a row that
// comes and goes in one transaction neither is true.
void CheckChangeable(duckdb::ClientContext& context,
                     duckdb::TableCatalogEntry& table) {
  const auto& snapshot = *table.Cast<DeltaTable>().snapshot();
  const char* in_vain = nullptr;
  if (WriteMode::Of(context)) in_vain = "replace its rows";
  if (snapshot.properties().change_data_feed())
    in_vain = "change its rows, for the change data feed is enabled";
  if (commands::TracksRows(snapshot))
    in_vain = "change its rows, for they are tracked";
  if (in_vain == nullptr) return;
  engine::Unwrap(DeltaTransaction::Get(context, table.catalog)
                     .pending()
                     .CheckUnchanged(snapshot.location(), in_vain));
}

[[noreturn]] void Refuse(duckdb::TableCatalogEntry& table,
                         const char* operation) {
  engine::Throw(table.Cast<DeltaTable>().Refusal(operation));
}

}  // namespace

void RegisterStorage(duckdb::DBConfig& config) {
  auto extension = duckdb::make_shared_ptr<duckdb::StorageExtension>();
  extension->attach = Attach;
  extension->create_transaction_manager = MakeTransactionManager;
  duckdb::StorageExtension::Register(config, kStorageType,
                                     std::move(extension));
}

DeltaCatalog::DeltaCatalog(duckdb::AttachedDatabase& database,
                           std::optional<LakeFolder> lake)
    : Catalog(database), lake_(std::move(lake)) {}

Result<std::optional<std::string>> DeltaCatalog::FindTable(
    duckdb::ClientContext& context, std::string_view schema,
    const std::string& table) {
  const auto made =
      DeltaTransaction::Get(context, *this).pending().made_table();
  if (lake_) {
    auto found = lake_->FindTable(schema, table);
    if (found || !made) return found;
    const auto place = lake_->NewTable(schema, table);
    if (place && EqualIgnoringCase(*place, *made)) return made;
    return std::nullopt;
  }
  BAYOU_ASSIGN(std::string location, store::ParseLocation(table));
  if (location != made && !table::Snapshot::IsTable(location))
    return std::nullopt;
  return location;
}

Result<std::optional<std::string>> DeltaCatalog::PlaceForNewTable(
    duckdb::ClientContext& context, std::string_view schema,
    const duckdb::CreateTableInfo& info) {
  BAYOU_ASSIGN(std::optional<std::string> found,
               FindTable(context, schema, info.table));
  if (!found) {
    BAYOU_ASSIGN(std::string place, lake_ ? lake_->NewTable(schema, info.table)
                                          : store::ParseLocation(info.table));
    BAYOU_TRY(CheckLocation(info, place));
    return place;
  }
  switch (info.on_conflict) {
    case duckdb::OnCreateConflict::IGNORE_ON_CONFLICT:
      return std::nullopt;
    case duckdb::OnCreateConflict::REPLACE_ON_CONFLICT:
      BAYOU_TRY(CheckLocation(info, *found));
      return found;
    default:
      return Fail(ErrorCode::kAlreadyExists, "DELTA_TABLE_ALREADY_EXISTS",
                  "there is a table at " + *found +
                      " already; use INSERT INTO to add rows, or CREATE TABLE "
                      "IF NOT EXISTS");
  }
}

std::shared_ptr<const table::Snapshot> DeltaCatalog::Replaced(
    duckdb::ClientContext& context, duckdb::SchemaCatalogEntry& schema,
    const duckdb::CreateTableInfo& info, const std::string& location) {
  if (info.on_conflict != duckdb::OnCreateConflict::REPLACE_ON_CONFLICT ||
      !table::Snapshot::IsTable(location)) {
    return nullptr;
  }
  DeltaTransaction& transaction = DeltaTransaction::Get(context, *this);
  return engine::Unwrap(transaction.Table(schema, info.table, location, {}))
      ->snapshot();
}

duckdb::DatabaseSize DeltaCatalog::GetDatabaseSize(duckdb::ClientContext&) {
  return {};
}

duckdb::ErrorData DeltaCatalog::SupportsCreateTable(
    duckdb::BoundCreateTableInfo& info) {
  if (info.Base().Cast<duckdb::CreateTableInfo>().sort_keys.empty()) return {};
  return duckdb::ErrorData(duckdb::ExceptionType::NOT_IMPLEMENTED,
                           "Delta tables are not made SORTED BY");
}

DeltaSchema& DeltaCatalog::Schema(const std::string& name) {
  const std::lock_guard lock(mutex_);
  duckdb::unique_ptr<DeltaSchema>& schema = schemas_[name];
  if (!schema) {
    duckdb::CreateSchemaInfo info;
    info.catalog = GetName();
    info.schema = name;
    schema = duckdb::make_uniq<DeltaSchema>(*this, info);
  }
  return *schema;
}

duckdb::optional_ptr<duckdb::SchemaCatalogEntry> DeltaCatalog::LookupSchema(
    duckdb::CatalogTransaction, const duckdb::EntryLookupInfo& lookup,
    duckdb::OnEntryNotFound if_not_found) {
  const std::string& name = lookup.GetEntryName();
  std::optional<std::string> schema;
  if (lake_) {
    schema = name.empty() ? std::string(kMainSchema) : lake_->FindSchema(name);
  } else if (name.empty() || name == kMainSchema) {
    schema = kMainSchema;
  }
  if (schema) return Schema(*schema);
  if (if_not_found == duckdb::OnEntryNotFound::RETURN_NULL) return nullptr;
  throw duckdb::CatalogException(
      lookup.GetErrorContext(),
      "Schema with name %s does not exist in database %s", name, GetName());
}

void DeltaCatalog::ScanSchemas(
    duckdb::ClientContext&,
    std::function<void(duckdb::SchemaCatalogEntry&)> callback) {
  callback(Schema(std::string(kMainSchema)));
  if (!lake_) return;
  for (const std::string& name : lake_->Schemas()) callback(Schema(name));
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaCatalog::CreateSchema(
    duckdb::CatalogTransaction, duckdb::CreateSchemaInfo& info) {
  if (!lake_) {
    engine::Throw({ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                   "tables named by path have no schemas"});
  }
  if (const auto existing = lake_->FindSchema(info.schema)) {
    if (info.on_conflict == duckdb::OnCreateConflict::IGNORE_ON_CONFLICT)
      return nullptr;
    engine::Throw({ErrorCode::kAlreadyExists, "SCHEMA_ALREADY_EXISTS",
                   "the lake " + lake_->path() + " has a schema " + *existing +
                       " already"});
  }
  engine::Unwrap(lake_->CreateSchema(info.schema));
  return &Schema(info.schema);
}

void DeltaCatalog::DropSchema(duckdb::ClientContext&, duckdb::DropInfo& info) {
  engine::Throw({ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                 "DROP SCHEMA " + info.name +
                     ": Bayou never deletes tables by itself; remove the "
                     "folder to do so"});
}

duckdb::CatalogEntryLookup DeltaCatalog::TryLookupEntryInternal(
    duckdb::CatalogTransaction transaction, const duckdb::string& schema,
    const duckdb::EntryLookupInfo& lookup) {
  duckdb::CatalogEntryLookup found;
  found.schema = LookupSchema(
      transaction, duckdb::EntryLookupInfo::SchemaLookup(lookup, schema),
      duckdb::OnEntryNotFound::RETURN_NULL);
  if (found.schema)
    found.entry = found.schema->LookupEntry(transaction, lookup);
  if (lake_ || found.Found() ||
      lookup.GetCatalogType() != duckdb::CatalogType::TABLE_ENTRY) {
    return found;
  }
  try {
    const std::string location =
        engine::Unwrap(store::ParseLocation(lookup.GetEntryName()));
    engine::Unwrap(table::Snapshot::Open(location, GetDatabase()));
  } catch (const std::exception& exception) {
    found.error = duckdb::ErrorData(exception);
  }
  return found;
}

duckdb::unique_ptr<duckdb::LogicalOperator> DeltaCatalog::BindCreateIndex(
    duckdb::Binder&, duckdb::CreateStatement&, duckdb::TableCatalogEntry& table,
    duckdb::unique_ptr<duckdb::LogicalOperator>) {
  Refuse(table.Cast<DeltaTable>(), "CREATE INDEX");
}

duckdb::PhysicalOperator& DeltaCatalog::PlanInsert(
    duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
    duckdb::LogicalInsert& op,
    duckdb::optional_ptr<duckdb::PhysicalOperator> plan) {
  DeltaTable& table = op.table.Cast<DeltaTable>();
  if (!plan) Refuse(table, "INSERT without rows");
  if (IsWritten(context, table.snapshot().get())) return NoRows(planner, op);
  return sql::PlanInsert(context, planner, op, *plan, table.snapshot(),
                         Pending());
}

duckdb::PhysicalOperator& DeltaCatalog::PlanCreateTableAs(
    duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
    duckdb::LogicalCreateTable& op, duckdb::PhysicalOperator& plan) {
  const auto& info = op.info->Base().Cast<duckdb::CreateTableInfo>();
  const auto location =
      engine::Unwrap(PlaceForNewTable(context, op.schema.name, info));
  if (!location)
    throw duckdb::InternalException(
        "CREATE TABLE AS over a table that is there");
  auto replaced = Replaced(context, op.schema, info, *location);
  if (IsWritten(context, replaced.get())) return NoRows(planner, op);
  return sql::PlanCreateTableAs(context, planner, op, plan, *location,
                                std::move(replaced), Pending());
}

duckdb::PhysicalOperator& DeltaCatalog::PlanDelete(
    duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
    duckdb::LogicalDelete& op, duckdb::PhysicalOperator& plan) {
  CheckChangeable(context, op.table);
  if (IsWritten(context, op.table.Cast<DeltaTable>().snapshot().get()))
    return NoRows(planner, op);
  return sql::PlanDelete(context, planner, op, plan, Pending());
}

duckdb::PhysicalOperator& DeltaCatalog::PlanUpdate(
    duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
    duckdb::LogicalUpdate& op, duckdb::PhysicalOperator& plan) {
  CheckChangeable(context, op.table);
  if (IsWritten(context, op.table.Cast<DeltaTable>().snapshot().get()))
    return NoRows(planner, op);
  return sql::PlanUpdate(context, planner, op, plan, Pending());
}

duckdb::PhysicalOperator& DeltaCatalog::PlanMergeInto(
    duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
    duckdb::LogicalMergeInto& op, duckdb::PhysicalOperator& plan) {
  CheckChangeable(context, op.table);
  if (IsWritten(context, op.table.Cast<DeltaTable>().snapshot().get()))
    return NoRows(planner, op);
  return sql::PlanMergeInto(context, planner, op, plan, Pending());
}

PendingWriteOf DeltaCatalog::Pending() {
  return [this](duckdb::ClientContext& running) -> PendingWrite& {
    PendingWrite& pending = DeltaTransaction::Get(running, *this).pending();
    pending.SetApplication(engine::Unwrap(AppVersionOf(running)));
    return pending;
  };
}

}  // namespace bayou::sql
