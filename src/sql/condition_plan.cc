// SPDX-License-Identifier: Apache-2.0
#include "sql/condition_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <duckdb/optimizer/optimizer.hpp>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/expression/star_expression.hpp>
#include <duckdb/parser/parsed_expression_iterator.hpp>
#include <duckdb/parser/parser.hpp>
#include <duckdb/parser/query_node/select_node.hpp>
#include <duckdb/parser/statement/select_statement.hpp>
#include <duckdb/parser/tableref/at_clause.hpp>
#include <duckdb/parser/tableref/basetableref.hpp>
#include <duckdb/planner/operator/logical_get.hpp>
#include <duckdb/planner/planner.hpp>
#include <optional>

#include "kernel/engine/engine.h"
#include "kernel/scan/file_pruning.h"
#include "kernel/scan/scan_binding.h"
#include "sql/table_name.h"
#include "sql/token.h"

namespace bayou::sql {
namespace {

using duckdb::ParsedExpression;
using duckdb::Value;

duckdb::unique_ptr<ParsedExpression> ParseCondition(
    const std::string& condition) {
  duckdb::vector<duckdb::unique_ptr<ParsedExpression>> conditions;
  if (!Tokenize(condition).tokens.empty())
    conditions = duckdb::Parser::ParseExpressionList(condition);
  if (conditions.size() != 1) {
    throw duckdb::ParserException("one condition is wanted, not: %s",
                                  condition);
  }
  return std::move(conditions.front());
}

duckdb::unique_ptr<duckdb::SelectStatement> QueryOf(
    const table::Snapshot& snapshot,
    duckdb::unique_ptr<ParsedExpression> condition) {
  const TableName name = TableName::OfPath(snapshot.location());
  auto table = duckdb::make_uniq<duckdb::BaseTableRef>();
  table->catalog_name = name.parts[0];
  table->schema_name = name.parts[1];
  table->table_name = name.parts[2];
  table->at_clause = duckdb::make_uniq<duckdb::AtClause>(
      "VERSION", duckdb::make_uniq<duckdb::ConstantExpression>(
                     Value::BIGINT(snapshot.version())));
  auto node = duckdb::make_uniq<duckdb::SelectNode>();
  node->select_list.push_back(duckdb::make_uniq<duckdb::StarExpression>());
  node->from_table = std::move(table);
  node->where_clause = std::move(condition);
  auto statement = duckdb::make_uniq<duckdb::SelectStatement>();
  statement->node = std::move(node);
  return statement;
}

class NoFiles final : public log::FilePredicate {
 public:
  bool Keep(const log::FileView&) const override { return false; }
  bool NeedsStats() const override { return false; }
};

// The first column in the condition that is no partition column.
std::optional<std::string> OtherColumn(const ParsedExpression& expression,
                                       const table::Snapshot& snapshot) {
  if (expression.GetExpressionClass() == duckdb::ExpressionClass::COLUMN_REF) {
    const auto& names =
        expression.Cast<duckdb::ColumnRefExpression>().column_names;
    const bool is_partition =
        std::ranges::any_of(names, [&](const std::string& name) {
          const auto* field = snapshot.schema().Find(name);
          return field != nullptr && snapshot.IsPartitionColumn(field->name);
        });
    return is_partition ? std::nullopt : std::optional(names.back());
  }
  std::optional<std::string> found;
  duckdb::ParsedExpressionIterator::EnumerateChildren(
      expression, [&](const ParsedExpression& child) {
        if (!found) found = OtherColumn(child, snapshot);
      });
  return found;
}

[[noreturn]] void Refuse(const table::Snapshot& snapshot,
                         const std::string& what) {
  std::string columns;
  for (const std::string& name : snapshot.metadata().partition_columns)
    columns += (columns.empty() ? "" : ", ") + name;
  engine::Throw({ErrorCode::kInvalidArgument,
                 "DELTA_NON_PARTITION_COLUMN_REFERENCE",
                 fmt::format("table {}: {}; the condition may name partition "
                             "columns only, of which the table has {}",
                             snapshot.location(), what,
                             columns.empty() ? "none" : columns)});
}

// Whether rows still have to be looked at to tell which match.
bool LooksAtRows(const duckdb::LogicalOperator& plan) {
  switch (plan.type) {
    case duckdb::LogicalOperatorType::LOGICAL_PROJECTION:
      return LooksAtRows(*plan.children[0]);
    case duckdb::LogicalOperatorType::LOGICAL_EMPTY_RESULT:
      return false;
    case duckdb::LogicalOperatorType::LOGICAL_GET: {
      const auto& scan = plan.Cast<duckdb::LogicalGet>();
      return !scan::IsTableScan(scan.function) ||
             !scan.table_filters.filters.empty();
    }
    default:
      return true;
  }
}

}  // namespace

duckdb::unique_ptr<duckdb::LogicalOperator> PlanCondition(
    duckdb::ClientContext& context, const table::Snapshot& snapshot,
    const std::string& condition) {
  duckdb::Planner planner(context);
  planner.CreatePlan(QueryOf(snapshot, ParseCondition(condition)));
  duckdb::Optimizer optimizer(*planner.binder, context);
  return optimizer.Optimize(std::move(planner.plan));
}

const duckdb::LogicalGet* FindScan(const duckdb::LogicalOperator& plan) {
  if (plan.type == duckdb::LogicalOperatorType::LOGICAL_GET) {
    return &plan.Cast<duckdb::LogicalGet>();
  }
  for (const auto& child : plan.children) {
    if (const auto* found = FindScan(*child)) return found;
  }
  return nullptr;
}

std::shared_ptr<const log::FilePredicate> FilesOfPartitions(
    duckdb::ClientContext& context, const table::Snapshot& snapshot,
    const std::string& condition) {
  if (const auto column = OtherColumn(*ParseCondition(condition), snapshot))
    Refuse(snapshot, "column " + *column + " is no partition column");
  const auto plan = PlanCondition(context, snapshot, condition);
  if (LooksAtRows(*plan))
    Refuse(snapshot, "partition values do not decide " + condition);
  const duckdb::LogicalGet* scan = FindScan(*plan);
  if (scan == nullptr) return std::make_shared<NoFiles>();
  return scan::FilesOf(*scan->bind_data).pruning();
}

}  // namespace bayou::sql
