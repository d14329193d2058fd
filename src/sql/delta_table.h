// SPDX-License-Identifier: Apache-2.0
//
// One version of a Delta table as an entry of DuckDB's catalog.
#pragma once

#include <duckdb.hpp>
#include <duckdb/catalog/catalog_entry/schema_catalog_entry.hpp>
#include <duckdb/catalog/catalog_entry/table_catalog_entry.hpp>
#include <duckdb/parser/parsed_data/create_table_info.hpp>
#include <memory>
#include <string>

#include "kernel/table/snapshot.h"

namespace bayou::sql {

class DeltaTable : public duckdb::TableCatalogEntry {
 public:
  static duckdb::unique_ptr<DeltaTable> Make(
      duckdb::ClientContext& context, duckdb::SchemaCatalogEntry& schema,
      const std::string& name, std::shared_ptr<const table::Snapshot> snapshot);

  // Stands in a listing for a table that cannot be opened.
  static duckdb::unique_ptr<DeltaTable> MakeUnreadable(
      duckdb::SchemaCatalogEntry& schema, const std::string& name,
      const Error& error);

  // Null for a table that cannot be opened.
  const std::shared_ptr<const table::Snapshot>& snapshot() const {
    return snapshot_;
  }

  // What Bayou cannot do to a table yet, as an error. Says first whether the
  // table has features that no writer of this build may ignore.
  Error Refusal(std::string_view operation) const;

  duckdb::TableFunction GetScanFunction(
      duckdb::ClientContext& context,
      duckdb::unique_ptr<duckdb::FunctionData>& bind_data) override;
  duckdb::virtual_column_map_t GetVirtualColumns() const override;
  duckdb::vector<duckdb::column_t> GetRowIdColumns() const override;
  void BindUpdateConstraints(duckdb::Binder& binder, duckdb::LogicalGet& get,
                             duckdb::LogicalProjection& projection,
                             duckdb::LogicalUpdate& update,
                             duckdb::ClientContext& context) override;
  duckdb::unique_ptr<duckdb::BaseStatistics> GetStatistics(
      duckdb::ClientContext&, duckdb::column_t) override {
    return nullptr;  // The scan knows them.
  }
  duckdb::TableStorageInfo GetStorageInfo(duckdb::ClientContext&) override {
    return {};
  }

 private:
  DeltaTable(duckdb::SchemaCatalogEntry& schema, duckdb::CreateTableInfo& info,
             std::shared_ptr<const table::Snapshot> snapshot);

  std::shared_ptr<const table::Snapshot> snapshot_;
};

}  // namespace bayou::sql
