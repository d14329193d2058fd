// SPDX-License-Identifier: Apache-2.0
#include "sql/merge_star.h"

#include <algorithm>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/statement/merge_into_statement.hpp>
#include <duckdb/parser/tableref/basetableref.hpp>
#include <string>
#include <vector>

#include "sql/delta_table.h"
#include "sql/statement_target.h"
#include "sql/token.h"

namespace bayou::sql {
namespace {

using duckdb::MergeActionType;
using duckdb::MergeIntoAction;

bool IsStar(const MergeIntoAction& action) {
  switch (action.action_type) {
    case MergeActionType::MERGE_UPDATE:
      return !action.update_info;
    case MergeActionType::MERGE_INSERT:
      return !action.default_values && action.expressions.empty() &&
             action.insert_columns.empty();
    default:
      return false;
  }
}

bool HasStar(const duckdb::MergeIntoStatement& merge) {
  return std::ranges::any_of(merge.actions, [](const auto& actions) {
    return std::ranges::any_of(
        actions.second, [](const auto& action) { return IsStar(*action); });
  });
}

// The columns of the Delta table, of those in `source` if that is set; empty
// when it is none.
std::vector<std::string> ColumnsOf(
    duckdb::ClientContext& context, const duckdb::BaseTableRef& target,
    const std::optional<std::vector<std::string>>& source) {
  std::vector<std::string> columns;
  const DeltaTable* table = FindTarget(context, target);
  if (table == nullptr) return columns;
  for (const auto& column : table->GetColumns().Logical()) {
    const bool is_in_source =
        !source || std::ranges::any_of(*source, [&](const auto& name) {
          return EqualIgnoringCase(name, column.Name());
        });
    if (is_in_source) columns.push_back(column.Name());
  }
  return columns;
}

// By which the source's columns are told from the table's; empty: by nothing.
std::string AliasOf(const duckdb::TableRef& source) {
  if (!source.alias.empty() ||
      source.type != duckdb::TableReferenceType::BASE_TABLE) {
    return source.alias;
  }
  return source.Cast<duckdb::BaseTableRef>().table_name;
}

void Expand(const std::vector<std::string>& columns, const std::string& source,
            MergeIntoAction& action) {
  if (source.empty()) {  // The best that can be said without its name.
    action.column_order = duckdb::InsertColumnOrder::INSERT_BY_NAME;
    return;
  }
  const bool is_update = action.action_type == MergeActionType::MERGE_UPDATE;
  if (is_update)
    action.update_info = duckdb::make_uniq<duckdb::UpdateSetInfo>();
  for (const std::string& column : columns) {
    auto value = duckdb::make_uniq<duckdb::ColumnRefExpression>(column, source);
    if (is_update) {
      action.update_info->columns.push_back(column);
      action.update_info->expressions.push_back(std::move(value));
    } else {
      action.insert_columns.push_back(column);
      action.expressions.push_back(std::move(value));
    }
  }
}

}  // namespace

void ExpandMergeStars(duckdb::ClientContext& context,
                      duckdb::MergeIntoStatement& merge,
                      const std::optional<std::vector<std::string>>& source) {
  if (!HasStar(merge) ||
      merge.target->type != duckdb::TableReferenceType::BASE_TABLE) {
    return;
  }
  std::vector<std::string> columns;
  context.RunFunctionInTransaction([&] {
    columns =
        ColumnsOf(context, merge.target->Cast<duckdb::BaseTableRef>(), source);
  });
  if (columns.empty()) return;
  const std::string alias = AliasOf(*merge.source);
  for (auto& [kind, actions] : merge.actions) {
    for (auto& action : actions) {
      if (IsStar(*action)) Expand(columns, alias, *action);
    }
  }
}

}  // namespace bayou::sql
