// SPDX-License-Identifier: Apache-2.0
//
// bayou_create_table_like: what CREATE TABLE ... LIKE runs.
#include <duckdb/parser/parsed_data/create_table_info.hpp>

#include "kernel/engine/engine.h"
#include "ops/commands/create_table_like.h"
#include "sql/delta_catalog.h"
#include "sql/delta_transaction.h"
#include "sql/row_function.h"
#include "sql/table_functions.h"
#include "sql/table_lookup.h"

namespace bayou::sql {
namespace {

using duckdb::ClientContext;

Status CreateLike(ClientContext& context, const std::string& name,
                  const table::Snapshot& source, bool if_not_exists) {
  const TableName target = ParseTableArgument(name);
  const NamePlace place = PlaceOfName(context, target);
  if (place.database.GetCatalogType() != kStorageType) {
    return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                "CREATE TABLE LIKE a Delta table makes a Delta table; " + name +
                    " is in another database");
  }
  auto& catalog = static_cast<DeltaCatalog&>(place.database);
  duckdb::CreateTableInfo info;
  info.table = target.table();
  info.on_conflict = if_not_exists
                         ? duckdb::OnCreateConflict::IGNORE_ON_CONFLICT
                         : duckdb::OnCreateConflict::ERROR_ON_CONFLICT;
  BAYOU_ASSIGN(const auto location,
               catalog.PlaceForNewTable(context, place.schema, info));
  if (!location) return {};
  BAYOU_ASSIGN(const auto definition, commands::DefinitionLike(source));
  return DeltaTransaction::Get(context, catalog)
      .pending()
      .BeginCreate(*location, definition, {.if_not_exists = if_not_exists});
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<duckdb::LogicalType>& types,
    duckdb::vector<duckdb::string>& names) {
  const std::string name = TableArgument(input);
  const std::string source = input.inputs.at(1).ToString();
  const bool if_not_exists = input.inputs.at(2).GetValue<bool>();
  return BindRows(
      {{"created", duckdb::LogicalType::BOOLEAN}}, types, names,
      [=](ClientContext& context) -> std::vector<Row> {
        engine::Unwrap(CreateLike(context, name, *OpenTable(context, source),
                                  if_not_exists));
        return {};
      });
}

}  // namespace

duckdb::TableFunction CreateTableLikeFunction() {
  return RowFunction(
      "bayou_create_table_like",
      {duckdb::LogicalType::VARCHAR, duckdb::LogicalType::VARCHAR,
       duckdb::LogicalType::BOOLEAN},
      Bind);
}

}  // namespace bayou::sql
