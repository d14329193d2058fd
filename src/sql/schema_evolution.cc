// SPDX-License-Identifier: Apache-2.0
#include "sql/schema_evolution.h"

#include <fmt/format.h>

#include <duckdb/parser/expression/star_expression.hpp>
#include <duckdb/parser/query_node/select_node.hpp>
#include <duckdb/parser/statement/select_statement.hpp>
#include <duckdb/parser/tableref/basetableref.hpp>
#include <duckdb/parser/tableref/subqueryref.hpp>
#include <utility>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/protocol/letter_case.h"
#include "ops/commands/alter_table.h"
#include "ops/commands/overwrite_schema.h"
#include "sql/delta_table.h"
#include "sql/delta_transaction.h"
#include "sql/statement_target.h"

namespace bayou::sql {
namespace {

using commands::AddColumns;
using commands::ColumnPath;
using protocol::DataType;
using protocol::Field;
using protocol::TypeKind;

struct SourceColumn {
  std::string name;
  duckdb::LogicalType type;
};

// SELECT * FROM source
std::vector<SourceColumn> ColumnsOf(
    duckdb::Connection& connection, duckdb::unique_ptr<duckdb::TableRef> source,
    const duckdb::CommonTableExpressionMap& ctes) {
  auto node = duckdb::make_uniq<duckdb::SelectNode>();
  node->select_list.push_back(duckdb::make_uniq<duckdb::StarExpression>());
  node->from_table = std::move(source);
  node->cte_map = ctes.Copy();
  auto select = duckdb::make_uniq<duckdb::SelectStatement>();
  select->node = std::move(node);
  const auto prepared = connection.Prepare(std::move(select));
  if (prepared->HasError()) prepared->error.Throw();
  std::vector<SourceColumn> columns;
  for (std::size_t i = 0; i < prepared->GetNames().size(); ++i)
    columns.push_back({prepared->GetNames()[i], prepared->GetTypes()[i]});
  return columns;
}

std::vector<SourceColumn> ColumnsOf(duckdb::Connection& connection,
                                    const duckdb::InsertStatement& insert) {
  auto query =
      duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::SelectStatement>(
          insert.select_statement->Copy());
  return ColumnsOf(connection,
                   duckdb::make_uniq<duckdb::SubqueryRef>(std::move(query)),
                   insert.cte_map);
}

void AddMissing(const std::vector<Field>& have, const std::vector<Field>& want,
                const ColumnPath& parent, AddColumns& additions);

// Fields that are missing inside of a column.
void AddMissing(const DataType& have, const DataType& want,
                const ColumnPath& path, AddColumns& additions) {
  if (have.kind != want.kind) return;  // The values are cast.
  const auto below = [&](const char* part) {
    ColumnPath longer = path;
    longer.emplace_back(part);
    return longer;
  };
  if (have.kind == TypeKind::kStruct) {
    AddMissing(have.fields, want.fields, path, additions);
  } else if (have.kind == TypeKind::kArray) {
    AddMissing(have.children[0], want.children[0], below("element"), additions);
  } else if (have.kind == TypeKind::kMap) {
    AddMissing(have.children[1], want.children[1], below("value"), additions);
  }
}

void AddMissing(const std::vector<Field>& have, const std::vector<Field>& want,
                const ColumnPath& parent, AddColumns& additions) {
  const protocol::Schema known{have};
  for (const Field& field : want) {
    const Field* found = known.Find(field.name);
    if (found == nullptr) {
      additions.columns.push_back({parent, field, std::nullopt});
      continue;
    }
    ColumnPath path = parent;
    path.push_back(found->name);
    AddMissing(found->type, field.type, path, additions);
  }
}

// A column that the table has may be of a type that no table can have, such as
// that of NULL: its values are cast.
std::vector<Field> FieldsOf(const std::vector<SourceColumn>& source,
                            const protocol::Schema& table) {
  std::vector<Field> fields;
  for (const SourceColumn& column : source) {
    auto type = engine::FromLogicalType(column.type);
    if (!type && table.Find(column.name) != nullptr) continue;
    if (!type) {
      Error error = type.error();
      error.message = "column " + column.name + ": " + error.message;
      engine::Throw(error);
    }
    Field& field = fields.emplace_back();
    field.name = column.name;
    field.type = *std::move(type);
  }
  return fields;
}

// Rows that are pending were written for the schema as it was.
void CheckUnchanged(DeltaTransaction& transaction, const DeltaTable& table) {
  const auto* pending = transaction.pending().transaction();
  if (pending == nullptr || pending->location() != table.snapshot()->location())
    return;  // Whether another table has is asked when this one changes.
  engine::Throw(
      {ErrorCode::kUnsupported, "DELTA_ALTER_IN_TRANSACTION",
       fmt::format("table {}: this transaction has changed rows already, so "
                   "that a statement in it cannot change the schema; COMMIT "
                   "first",
                   table.snapshot()->location())});
}

void Evolve(duckdb::ClientContext& context, DeltaTable& table,
            const std::vector<SourceColumn>& source) {
  const auto& snapshot = table.snapshot();
  AddColumns additions;
  AddMissing(snapshot->schema().fields, FieldsOf(source, snapshot->schema()),
             {}, additions);
  if (additions.columns.empty()) return;
  auto& transaction = DeltaTransaction::Get(context, table.ParentCatalog());
  CheckUnchanged(transaction, table);
  auto change = engine::Unwrap(
      commands::PlanAlteration(*snapshot, additions, Env::System()));
  transaction.tables().Change(engine::Unwrap(snapshot->Changed(
      std::move(change.metadata), std::move(change.protocol))));
}

// The rows of VALUES have no names of their own.
bool HasNames(const duckdb::InsertStatement& insert) {
  const auto& node = *insert.select_statement->node;
  return node.type != duckdb::QueryNodeType::SELECT_NODE ||
         node.Cast<duckdb::SelectNode>().from_table->type !=
             duckdb::TableReferenceType::EXPRESSION_LIST;
}

// Gives the query's columns the names of those that they stand for.
void NameByPosition(const duckdb::InsertStatement& insert,
                    const DeltaTable& table,
                    std::vector<SourceColumn>& source) {
  const auto& fields = table.snapshot()->schema().fields;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (i < insert.columns.size()) {
      source[i].name = insert.columns[i];
    } else if (insert.columns.empty() && i < fields.size()) {
      source[i].name = fields[i].name;
    }
  }
}

}  // namespace

std::vector<std::string> EvolveTarget(duckdb::Connection& connection,
                                      duckdb::MergeIntoStatement& merge) {
  const std::vector<SourceColumn> source =
      ColumnsOf(connection, merge.source->Copy(), merge.cte_map);
  duckdb::ClientContext& context = *connection.context;
  if (merge.target->type == duckdb::TableReferenceType::BASE_TABLE) {
    context.RunFunctionInTransaction([&] {
      DeltaTable* table =
          FindTarget(context, merge.target->Cast<duckdb::BaseTableRef>());
      if (table != nullptr) Evolve(context, *table, source);
    });
  }
  std::vector<std::string> names;
  for (const SourceColumn& column : source) names.push_back(column.name);
  return names;
}

void EvolveTarget(duckdb::Connection& connection,
                  const duckdb::InsertStatement& insert) {
  const bool by_name =
      insert.column_order == duckdb::InsertColumnOrder::INSERT_BY_NAME;
  if (!insert.select_statement ||
      (!by_name && insert.columns.empty() && !HasNames(insert))) {
    return;
  }
  std::vector<SourceColumn> source = ColumnsOf(connection, insert);
  duckdb::ClientContext& context = *connection.context;
  context.RunFunctionInTransaction([&] {
    DeltaTable* table = FindTarget(context, insert);
    if (table == nullptr) return;
    if (!by_name) NameByPosition(insert, *table, source);
    Evolve(context, *table, source);
  });
}

void OverwriteSchema(duckdb::Connection& connection,
                     const duckdb::InsertStatement& insert) {
  const std::vector<SourceColumn> source = ColumnsOf(connection, insert);
  duckdb::ClientContext& context = *connection.context;
  context.RunFunctionInTransaction([&] {
    DeltaTable* table = FindTarget(context, insert);
    if (table == nullptr) return;
    auto& transaction = DeltaTransaction::Get(context, table->ParentCatalog());
    CheckUnchanged(transaction, *table);
    transaction.tables().Change(engine::Unwrap(commands::OverwriteSchema(
        *table->snapshot(), FieldsOf(source, {}), Env::System())));
  });
}

}  // namespace bayou::sql
