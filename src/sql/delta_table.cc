// SPDX-License-Identifier: Apache-2.0
#include "sql/delta_table.h"

#include <duckdb/parser/constraints/not_null_constraint.hpp>
#include <duckdb/storage/table_storage_info.hpp>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/protocol/table_features.h"
#include "kernel/scan/table_scan.h"
#include "sql/delta_transaction.h"
#include "sql/settings.h"

namespace bayou::sql {
namespace {

duckdb::CreateTableInfo InfoOf(duckdb::SchemaCatalogEntry& schema,
                               const std::string& name,
                               const table::Snapshot& snapshot) {
  duckdb::CreateTableInfo info(schema, name);
  if (snapshot.metadata().description) {
    info.comment = duckdb::Value(*snapshot.metadata().description);
  }
  for (const protocol::Field& field : snapshot.schema().fields) {
    duckdb::ColumnDefinition column(field.name,
                                    engine::ToLogicalType(field.type));
    if (const auto comment = field.MetadataText("comment")) {
      column.SetComment(duckdb::Value(*comment));
    }
    if (!field.nullable) {
      info.constraints.push_back(duckdb::make_uniq<duckdb::NotNullConstraint>(
          duckdb::LogicalIndex(info.columns.LogicalColumnCount())));
    }
    info.columns.AddColumn(std::move(column));
  }
  return info;
}

}  // namespace

DeltaTable::DeltaTable(duckdb::SchemaCatalogEntry& owner,
                       duckdb::CreateTableInfo& info,
                       std::shared_ptr<const table::Snapshot> snapshot)
    : TableCatalogEntry(owner.ParentCatalog(), owner, info),
      snapshot_(std::move(snapshot)) {}

duckdb::unique_ptr<DeltaTable> DeltaTable::Make(
    duckdb::SchemaCatalogEntry& schema, const std::string& name,
    std::shared_ptr<const table::Snapshot> snapshot) {
  duckdb::CreateTableInfo info = InfoOf(schema, name, *snapshot);
  return duckdb::unique_ptr<DeltaTable>(
      new DeltaTable(schema, info, std::move(snapshot)));
}

duckdb::unique_ptr<DeltaTable> DeltaTable::MakeUnreadable(
    duckdb::SchemaCatalogEntry& schema, const std::string& name,
    const Error& error) {
  duckdb::CreateTableInfo info(schema, name);
  info.comment =
      duckdb::Value("[" + std::string(error.condition) + "] " + error.message);
  return duckdb::unique_ptr<DeltaTable>(new DeltaTable(schema, info, nullptr));
}

Error DeltaTable::Refusal(std::string_view operation) const {
  const Status writable = protocol::CheckWritable(
      snapshot_->protocol(), snapshot_->metadata(), snapshot_->location());
  if (!writable) return writable.error();
  return Error{
      ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
      std::string(operation) + " on the Delta table " + snapshot_->location() +
          " is not supported by this version of Bayou; nothing was changed"};
}

duckdb::TableFunction DeltaTable::GetScanFunction(
    duckdb::ClientContext& context,
    duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  engine::Unwrap(
      DeltaTransaction::Get(context, catalog).BeginScan(snapshot_->location()));
  scan::BoundScan scan = scan::BindScan(
      context, snapshot_,
      {.allow_external_paths = BoolSetting(context, kAllowExternalPaths),
       .entry = this});
  bind_data = std::move(scan.bind_data);
  return scan.function;
}

duckdb::virtual_column_map_t DeltaTable::GetVirtualColumns() const {
  if (!snapshot_) return {};
  return scan::HiddenColumns(*snapshot_);
}

}  // namespace bayou::sql
