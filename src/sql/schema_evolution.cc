// SPDX-License-Identifier: Apache-2.0
#include "sql/schema_evolution.h"

#include <duckdb/parser/expression/star_expression.hpp>
#include <duckdb/parser/query_node/select_node.hpp>
#include <duckdb/parser/statement/select_statement.hpp>
#include <duckdb/parser/tableref/basetableref.hpp>
#include <utility>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "ops/commands/alter_table.h"
#include "sql/delta_catalog.h"
#include "sql/delta_table.h"
#include "sql/delta_transaction.h"
#include "sql/merge_star.h"

namespace bayou::sql {
namespace {

using commands::AddColumns;
using commands::ColumnPath;
using protocol::DataType;
using protocol::Field;
using protocol::TypeKind;

// The columns of the source, with their types.
std::vector<Field> SourceColumns(duckdb::Connection& connection,
                                 const duckdb::MergeIntoStatement& merge) {
  auto node = duckdb::make_uniq<duckdb::SelectNode>();
  node->select_list.push_back(duckdb::make_uniq<duckdb::StarExpression>());
  node->from_table = merge.source->Copy();
  node->cte_map = merge.cte_map.Copy();
  auto select = duckdb::make_uniq<duckdb::SelectStatement>();
  select->node = std::move(node);
  const auto prepared = connection.Prepare(std::move(select));
  if (prepared->HasError()) prepared->error.Throw();
  std::vector<Field> columns;
  for (std::size_t i = 0; i < prepared->GetNames().size(); ++i) {
    Field& column = columns.emplace_back();
    column.name = prepared->GetNames()[i];
    column.type =
        engine::Unwrap(engine::FromLogicalType(prepared->GetTypes()[i]));
  }
  return columns;
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

void Evolve(duckdb::ClientContext& context, const duckdb::BaseTableRef& target,
            const std::vector<Field>& source) {
  DeltaTable* table = FindMergeTarget(context, target);
  if (table == nullptr) return;
  const auto& snapshot = table->snapshot();
  AddColumns additions;
  AddMissing(snapshot->schema().fields, source, {}, additions);
  if (additions.columns.empty()) return;
  auto change = engine::Unwrap(
      commands::PlanAlteration(*snapshot, additions, Env::System()));
  DeltaTransaction::Get(context, table->ParentCatalog())
      .Change(engine::Unwrap(snapshot->Changed(std::move(change.metadata),
                                               std::move(change.protocol))));
}

}  // namespace

std::vector<std::string> EvolveTarget(duckdb::Connection& connection,
                                      duckdb::MergeIntoStatement& merge) {
  const std::vector<Field> source = SourceColumns(connection, merge);
  duckdb::ClientContext& context = *connection.context;
  if (merge.target->type == duckdb::TableReferenceType::BASE_TABLE) {
    context.RunFunctionInTransaction([&] {
      Evolve(context, merge.target->Cast<duckdb::BaseTableRef>(), source);
    });
  }
  std::vector<std::string> names;
  for (const Field& column : source) names.push_back(column.name);
  return names;
}

}  // namespace bayou::sql
