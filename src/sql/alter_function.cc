// SPDX-License-Identifier: Apache-2.0
//
// bayou_alter_table: what ALTER TABLE runs.
#include <fmt/format.h>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "kernel/protocol/stored_expression.h"
#include "kernel/table/checkpoint_writer.h"
#include "kernel/write/row_rules.h"
#include "ops/commands/rename_table.h"
#include "sql/alter_statement.h"
#include "sql/delta_catalog.h"
#include "sql/delta_table.h"
#include "sql/delta_transaction.h"
#include "sql/row_function.h"
#include "sql/settings.h"
#include "sql/stored_text.h"
#include "sql/table_functions.h"
#include "sql/table_lookup.h"

namespace bayou::sql {
namespace {

using commands::TableChange;
using duckdb::ClientContext;

// The greatest value of an identity column, or the least where it counts down.
Status FindFurthest(ClientContext& context, const table::Snapshot& table,
                    commands::SyncIdentity& sync) {
  const auto* field = table.schema().Find(sync.column.front());
  if (field == nullptr) return {};  // The plan reports it.
  const auto step = field->MetadataText("delta.identity.step");
  if (!step) return {};
  duckdb::Connection connection(*context.db);
  BAYOU_ASSIGN(
      const auto rows,
      engine::Run(
          connection,
          "SELECT " + std::string(step->starts_with('-') ? "min(" : "max(") +
              engine::Identifier(field->name) + ") FROM " +
              TableName::OfPath(table.location()).Sql() + " AT (VERSION => " +
              std::to_string(table.version()) + ")"));
  const duckdb::Value furthest = rows->GetValue(0, 0);
  if (!furthest.IsNull()) sync.furthest = furthest.GetValue<std::int64_t>();
  return {};
}

// Text of the user's becomes text of the table's.
Status Store(ClientContext& context, const table::Snapshot& table,
             commands::TableAlteration& alteration) {
  if (auto* add = std::get_if<commands::AddConstraint>(&alteration)) {
    BAYOU_ASSIGN(add->text,
                 StoredCondition(context, add->text, table.schema()));
  } else if (auto* change = std::get_if<commands::ChangeColumn>(&alteration)) {
    if (!change->default_text) return {};
    const auto* field = table.schema().Find(change->column.front());
    if (field == nullptr) return {};  // The plan reports it.
    BAYOU_ASSIGN(change->default_text,
                 StoredDefault(context, *change->default_text, field->type));
  } else if (auto* set = std::get_if<commands::SetProperties>(&alteration)) {
    set->allow_unknown = BoolSetting(context, kAllowUnknownProperties);
  } else if (auto* sync = std::get_if<commands::SyncIdentity>(&alteration)) {
    return FindFurthest(context, table, *sync);
  }
  return {};
}

// Looks at the rows of the table's version, and at the columns that matter.
Status CheckRows(ClientContext& context, const table::Snapshot& table,
                 const TableChange::ExistingRows& condition) {
  BAYOU_ASSIGN(const auto expression,
               protocol::ParseStoredExpression(condition.text,
                                               protocol::Spelling::kSpark));
  protocol::Schema used;
  std::string columns;
  for (const std::string& name : protocol::ColumnsOf(expression)) {
    used.fields.push_back(*table.schema().Find(name));
    columns += (columns.empty() ? "" : ", ") +
               engine::Identifier(used.fields.back().name);
  }
  if (columns.empty()) columns = "1";
  BAYOU_ASSIGN(auto rules, write::RowRules::BindCondition(
                               context, condition.name, condition.text, used));
  write::RowRuleCheck check(context, std::move(rules));
  duckdb::Connection connection(*context.db);
  const auto rows = connection.SendQuery(
      "SELECT " + columns + " FROM " +
      TableName::OfPath(table.location()).Sql() + " AT (VERSION => " +
      std::to_string(table.version()) + ")");
  if (rows->HasError()) {
    return tl::unexpected(engine::FromDuckDB(rows->GetErrorObject()));
  }
  for (;;) {
    auto chunk = rows->Fetch();
    if (rows->HasError()) {
      return tl::unexpected(engine::FromDuckDB(rows->GetErrorObject()));
    }
    if (!chunk || chunk->size() == 0) return {};
    BAYOU_TRY(check.Check(*chunk));
  }
}

Status Rename(const DeltaCatalog& catalog, const DeltaTable& table,
              const std::string& name) {
  if (!catalog.lake()) {
    return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                "RENAME TO: a table that is named by its path has no other "
                "name; move its folder");
  }
  BAYOU_ASSIGN(const std::string location,
               catalog.lake()->NewTable(table.schema.name, name));
  return commands::RenameTable(table.snapshot()->location(), location);
}

Status Alter(ClientContext& context, DeltaTable& table,
             const std::string& text) {
  BAYOU_ASSIGN(AlterStatement statement, ParseAlterStatement(text));
  auto& catalog = static_cast<DeltaCatalog&>(table.catalog);
  PendingWrite& pending = DeltaTransaction::Get(context, catalog).pending();
  BAYOU_TRY(pending.CheckAlterable(table.snapshot()->location()));
  if (statement.rename_to) {
    return Rename(catalog, table, *statement.rename_to);
  }
  const auto& snapshot = table.snapshot();
  BAYOU_TRY(Store(context, *snapshot, statement.alteration));
  BAYOU_ASSIGN(
      const TableChange change,
      commands::PlanAlteration(*snapshot, statement.alteration, Env::System()));
  if (!change.changes_metadata && !change.changes_protocol && !change.domain) {
    return {};
  }
  if (change.existing_rows) {
    BAYOU_TRY(CheckRows(context, *snapshot, *change.existing_rows));
  }
  // For readers without the feature that goes.
  if (change.needs_checkpoint) {
    BAYOU_TRY(table::WriteCheckpoint(*snapshot, table::CheckpointForm(),
                                     *context.db));
  }
  return pending.Alter(snapshot, change);
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<duckdb::LogicalType>& types,
    duckdb::vector<duckdb::string>& names) {
  const std::string table = TableArgument(input);
  const std::string text = input.inputs.at(1).ToString();
  return BindRows(
      {{"altered", duckdb::LogicalType::BOOLEAN}}, types, names,
      [table, text](ClientContext& context) -> std::vector<Row> {
        engine::Unwrap(Alter(context, FindDeltaTable(context, table), text));
        return {};
      });
}

}  // namespace

duckdb::TableFunction AlterTableFunction() {
  return RowFunction(
      "bayou_alter_table",
      {duckdb::LogicalType::VARCHAR, duckdb::LogicalType::VARCHAR}, Bind);
}

}  // namespace bayou::sql
