// SPDX-License-Identifier: Apache-2.0
//
// Delta tables as a database of DuckDB, in one of two ways:
//
//   ATTACH '/data/lake' AS lake (TYPE bayou)   the tables of one folder
//   ATTACH '' AS delta (TYPE bayou)            every table there is, by path:
//                                              delta.main."/data/lake/t"
#pragma once

#include <duckdb.hpp>
#include <duckdb/catalog/catalog.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sql/delta_schema.h"
#include "sql/lake_folder.h"
#include "sql/write_plans.h"

namespace bayou::sql {

inline constexpr const char* kStorageType = "bayou";

// Makes TYPE bayou known.
void RegisterStorage(duckdb::DBConfig& config);

class DeltaCatalog : public duckdb::Catalog {
 public:
  // No lake: tables are named by path.
  DeltaCatalog(duckdb::AttachedDatabase& database,
               std::optional<LakeFolder> lake);

  const std::optional<LakeFolder>& lake() const { return lake_; }

  // Where the table lies, or nullopt where a lake has none of that name. One
  // that the running transaction has made counts. Errors: kInvalidArgument for
  // a path that is none.
  Result<std::optional<std::string>> FindTable(duckdb::ClientContext& context,
                                               std::string_view schema,
                                               const std::string& table);
  // Where a new table goes, or nullopt where one is and IF NOT EXISTS is said.
  // Errors: kAlreadyExists, condition DELTA_TABLE_ALREADY_EXISTS; kUnsupported
  // for LOCATION; see LakeFolder::NewTable.
  Result<std::optional<std::string>> PlaceForNewTable(
      duckdb::ClientContext& context, std::string_view schema,
      const duckdb::CreateTableInfo& info);

  // The table that OR REPLACE replaces, or null. Throws DuckDB exceptions.
  std::shared_ptr<const table::Snapshot> Replaced(
      duckdb::ClientContext& context, duckdb::SchemaCatalogEntry& schema,
      const duckdb::CreateTableInfo& info, const std::string& location);

  void Initialize(bool) override {}
  duckdb::string GetCatalogType() override { return kStorageType; }
  bool SupportsTimeTravel() const override { return true; }
  bool InMemory() override { return false; }
  duckdb::string GetDBPath() override {
    return lake_ ? lake_->path() : duckdb::string();
  }
  duckdb::DatabaseSize GetDatabaseSize(duckdb::ClientContext&) override;
  duckdb::ErrorData SupportsCreateTable(
      duckdb::BoundCreateTableInfo& info) override;

  duckdb::optional_ptr<duckdb::SchemaCatalogEntry> LookupSchema(
      duckdb::CatalogTransaction transaction,
      const duckdb::EntryLookupInfo& lookup,
      duckdb::OnEntryNotFound if_not_found) override;
  void ScanSchemas(
      duckdb::ClientContext& context,
      std::function<void(duckdb::SchemaCatalogEntry&)> callback) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateSchema(
      duckdb::CatalogTransaction transaction,
      duckdb::CreateSchemaInfo& info) override;
  void DropSchema(duckdb::ClientContext& context,
                  duckdb::DropInfo& info) override;

  duckdb::PhysicalOperator& PlanInsert(
      duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
      duckdb::LogicalInsert& op,
      duckdb::optional_ptr<duckdb::PhysicalOperator> plan) override;
  duckdb::PhysicalOperator& PlanCreateTableAs(
      duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
      duckdb::LogicalCreateTable& op, duckdb::PhysicalOperator& plan) override;
  duckdb::PhysicalOperator& PlanDelete(duckdb::ClientContext& context,
                                       duckdb::PhysicalPlanGenerator& planner,
                                       duckdb::LogicalDelete& op,
                                       duckdb::PhysicalOperator& plan) override;
  duckdb::PhysicalOperator& PlanUpdate(duckdb::ClientContext& context,
                                       duckdb::PhysicalPlanGenerator& planner,
                                       duckdb::LogicalUpdate& op,
                                       duckdb::PhysicalOperator& plan) override;
  // Delta tables have no indexes.
  duckdb::unique_ptr<duckdb::LogicalOperator> BindCreateIndex(
      duckdb::Binder& binder, duckdb::CreateStatement& statement,
      duckdb::TableCatalogEntry& table,
      duckdb::unique_ptr<duckdb::LogicalOperator> plan) override;
  duckdb::PhysicalOperator& PlanMergeInto(
      duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
      duckdb::LogicalMergeInto& op, duckdb::PhysicalOperator& plan) override;

 private:
  // A table by path that is not there gets the kernel's message, which says
  // what is there instead.
  duckdb::CatalogEntryLookup TryLookupEntryInternal(
      duckdb::CatalogTransaction transaction, const duckdb::string& schema,
      const duckdb::EntryLookupInfo& lookup) override;

  DeltaSchema& Schema(const std::string& name);
  PendingWriteOf Pending();

  std::optional<LakeFolder> lake_;
  std::mutex mutex_;
  std::map<std::string, duckdb::unique_ptr<DeltaSchema>> schemas_;
};

}  // namespace bayou::sql
