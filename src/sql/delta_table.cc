// SPDX-License-Identifier: Apache-2.0
#include "sql/delta_table.h"

#include <duckdb/parser/constraints/not_null_constraint.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/expression/function_expression.hpp>
#include <duckdb/storage/table_storage_info.hpp>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/protocol/table_features.h"
#include "kernel/scan/table_scan.h"
#include "sql/change_plans.h"
#include "sql/delta_transaction.h"
#include "sql/insert_columns.h"
#include "sql/settings.h"

namespace bayou::sql {
namespace {

// What DuckDB puts in for a column that an INSERT leaves out, or where it says
// DEFAULT. A default that is not understood must not become NULL.
duckdb::unique_ptr<duckdb::ParsedExpression> DefaultOf(
    duckdb::ClientContext& context, const protocol::Field& field) {
  const auto value = DefaultValue(context, field);
  if (value && !*value) return nullptr;
  if (value) return duckdb::make_uniq<duckdb::ConstantExpression>(**value);
  duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> message;
  message.push_back(duckdb::make_uniq<duckdb::ConstantExpression>(
      duckdb::Value("the default of column " + field.name +
                    " cannot be used: " + value.error().message)));
  return duckdb::make_uniq<duckdb::FunctionExpression>("error",
                                                       std::move(message));
}

duckdb::CreateTableInfo InfoOf(duckdb::ClientContext& context,
                               duckdb::SchemaCatalogEntry& schema,
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
    if (auto value = DefaultOf(context, field)) {
      column.SetDefaultValue(std::move(value));
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
    duckdb::ClientContext& context, duckdb::SchemaCatalogEntry& schema,
    const std::string& name, std::shared_ptr<const table::Snapshot> snapshot) {
  duckdb::CreateTableInfo info = InfoOf(context, schema, name, *snapshot);
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
  scan::BoundScan scan = scan::BindScan(
      context, snapshot_,
      {.allow_external_paths = BoolSetting(context, kAllowExternalPaths),
       .entry = this,
       .reads = DeltaTransaction::Get(context, catalog)
                    .tables()
                    .PlanScan(*snapshot_)});
  bind_data = std::move(scan.bind_data);
  return scan.function;
}

duckdb::virtual_column_map_t DeltaTable::GetVirtualColumns() const {
  if (!snapshot_) return {};
  return scan::HiddenColumns(*snapshot_);
}

duckdb::vector<duckdb::column_t> DeltaTable::GetRowIdColumns() const {
  return RowIdColumns(*snapshot_);
}

void DeltaTable::BindUpdateConstraints(duckdb::Binder&, duckdb::LogicalGet& get,
                                       duckdb::LogicalProjection& projection,
                                       duckdb::LogicalUpdate& update,
                                       duckdb::ClientContext&) {
  AddAllColumns(*this, get, projection, update);
}

}  // namespace bayou::sql
