// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/distinct_filters.h"

#include <duckdb/planner/expression/bound_comparison_expression.hpp>
#include <duckdb/planner/expression/bound_conjunction_expression.hpp>
#include <duckdb/planner/expression/bound_constant_expression.hpp>
#include <duckdb/planner/expression/bound_operator_expression.hpp>
#include <utility>

namespace bayou::scan {
namespace {

using duckdb::BoundComparisonExpression;
using duckdb::BoundConjunctionExpression;
using duckdb::BoundOperatorExpression;
using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::ExpressionType;

bool IsNonNullConstant(const Expression& expression) {
  return expression.GetExpressionClass() == ExpressionClass::BOUND_CONSTANT &&
         !expression.Cast<duckdb::BoundConstantExpression>().value.IsNull();
}

duckdb::unique_ptr<Expression> SpelledOut(
    const BoundComparisonExpression& distinct) {
  const bool constant_right = IsNonNullConstant(*distinct.right);
  const Expression& value = constant_right ? *distinct.left : *distinct.right;
  if (value.IsVolatile() ||
      (!constant_right && !IsNonNullConstant(*distinct.left))) {
    return nullptr;
  }
  auto is_null = duckdb::make_uniq<BoundOperatorExpression>(
      ExpressionType::OPERATOR_IS_NULL, duckdb::LogicalType::BOOLEAN);
  is_null->children.push_back(value.Copy());
  return duckdb::make_uniq<BoundConjunctionExpression>(
      ExpressionType::CONJUNCTION_OR, std::move(is_null),
      duckdb::make_uniq<BoundComparisonExpression>(
          ExpressionType::COMPARE_NOTEQUAL, distinct.left->Copy(),
          distinct.right->Copy()));
}

void SpellOut(duckdb::unique_ptr<Expression>& filter) {
  if (filter->GetExpressionClass() == ExpressionClass::BOUND_CONJUNCTION) {
    for (auto& part : filter->Cast<BoundConjunctionExpression>().children)
      SpellOut(part);
  } else if (filter->GetExpressionType() ==
             ExpressionType::COMPARE_DISTINCT_FROM) {
    if (auto same = SpelledOut(filter->Cast<BoundComparisonExpression>()))
      filter = std::move(same);
  }
}

}  // namespace

void SpellDistinctOut(duckdb::vector<duckdb::unique_ptr<Expression>>& filters) {
  for (auto& filter : filters) SpellOut(filter);
}

}  // namespace bayou::scan
