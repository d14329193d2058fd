// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/streaming.h"

#include <algorithm>
#include <duckdb/main/config.hpp>
#include <duckdb/planner/operator/logical_set_operation.hpp>
#include <duckdb/planner/planner_extension.hpp>
#include <utility>

namespace bayou::engine {
namespace {

using duckdb::LogicalOperator;
using duckdb::LogicalOperatorType;

bool IsUnionAll(const LogicalOperator& plan) {
  return plan.type == LogicalOperatorType::LOGICAL_UNION &&
         plan.Cast<duckdb::LogicalSetOperation>().setop_all;
}

// Rows go through one by one, without any that have to be kept.
bool PassesRowsOn(const LogicalOperator& plan) {
  switch (plan.type) {
    case LogicalOperatorType::LOGICAL_PROJECTION:
    case LogicalOperatorType::LOGICAL_FILTER:
    case LogicalOperatorType::LOGICAL_UNNEST:
    case LogicalOperatorType::LOGICAL_GET:
    case LogicalOperatorType::LOGICAL_DUMMY_SCAN:
    case LogicalOperatorType::LOGICAL_EXPRESSION_GET:
    case LogicalOperatorType::LOGICAL_CHUNK_GET:
    case LogicalOperatorType::LOGICAL_EMPTY_RESULT:
      return true;
    default:
      return IsUnionAll(plan);
  }
}

bool KeepsRows(const LogicalOperator& plan) {
  return !PassesRowsOn(plan) ||
         std::ranges::any_of(plan.children, [](const auto& child) {
           return KeepsRows(*child);
         });
}

// Whatever is below has been computed before the first row comes out.
bool ComputesAllFirst(const LogicalOperator& plan) {
  switch (plan.type) {
    case LogicalOperatorType::LOGICAL_AGGREGATE_AND_GROUP_BY:
    case LogicalOperatorType::LOGICAL_WINDOW:
    case LogicalOperatorType::LOGICAL_ORDER_BY:
    case LogicalOperatorType::LOGICAL_TOP_N:
      return true;
    default:
      return false;
  }
}

bool MayHang(const LogicalOperator& plan) {
  if (ComputesAllFirst(plan)) return false;
  if (IsUnionAll(plan) &&
      std::ranges::count_if(plan.children, [](const auto& child) {
        return KeepsRows(*child);
      }) > 1)
    return true;
  return std::ranges::any_of(plan.children,
                             [](const auto& child) { return MayHang(*child); });
}

void Apply(duckdb::PlannerExtensionInput& input,
           duckdb::BoundStatement& statement) {
  if (statement.plan && MayHang(*statement.plan)) {
    input.binder.GetStatementProperties().output_type =
        duckdb::QueryResultOutputType::FORCE_MATERIALIZED;
  }
}

}  // namespace

duckdb::QueryParameters Streaming() {
  duckdb::QueryParameters parameters(true);
  parameters.memory_type = duckdb::QueryResultMemoryType::BUFFER_MANAGED;
  return parameters;
}

void RegisterStreamingRule(duckdb::DatabaseInstance& database) {
  duckdb::PlannerExtension rule;
  rule.post_bind_function = Apply;
  duckdb::PlannerExtension::Register(duckdb::DBConfig::GetConfig(database),
                                     std::move(rule));
}

}  // namespace bayou::engine
