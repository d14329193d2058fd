// SPDX-License-Identifier: Apache-2.0
#include "sql/insert_columns.h"

#include <fmt/format.h>

#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/execution/operator/projection/physical_projection.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <duckdb/planner/expression/bound_reference_expression.hpp>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/stored_expression_binder.h"
#include "kernel/protocol/stored_expression.h"

namespace bayou::sql {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::PhysicalOperator;
using duckdb::PhysicalPlanGenerator;
using duckdb::Vector;
using Columns = duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>;

// The argument of the function below.
struct IdentityColumn : public duckdb::FunctionData {
  IdentityColumn(IdentityOfStatement statement_values, std::size_t at,
                 const protocol::Field& field)
      : values(std::move(statement_values)),
        position(at),
        name(field.name),
        takes_values(write::IdentityValues::TakesValues(field)) {}

  duckdb::unique_ptr<FunctionData> Copy() const override {
    return duckdb::make_uniq<IdentityColumn>(*this);
  }
  bool Equals(const FunctionData& other) const override {
    const auto& same = other.Cast<IdentityColumn>();
    return values == same.values && position == same.position;
  }

  IdentityOfStatement values;
  std::size_t position;
  std::string name;
  bool takes_values;
};

// NULL becomes the next value.
void FillIdentity(duckdb::DataChunk& rows, duckdb::ExpressionState& state,
                  Vector& result) {
  const auto& column = state.expr.Cast<duckdb::BoundFunctionExpression>()
                           .bind_info->Cast<IdentityColumn>();
  const idx_t count = rows.size();
  duckdb::UnifiedVectorFormat given;
  rows.data[0].ToUnifiedFormat(count, given);
  const auto* values =
      duckdb::UnifiedVectorFormat::GetData<std::int64_t>(given);
  std::int64_t missing = 0;
  for (idx_t row = 0; row < count; ++row) {
    missing += given.validity.RowIsValid(given.sel->get_index(row)) ? 0 : 1;
  }
  if (!column.takes_values && missing < static_cast<std::int64_t>(count)) {
    engine::Throw(
        {ErrorCode::kInvalidArgument,
         "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
         fmt::format("column {} is GENERATED ALWAYS AS IDENTITY: leave it out, "
                     "or write DEFAULT",
                     column.name)});
  }
  write::IdentityValues::Range range;
  if (missing > 0) {
    range = engine::Unwrap(column.values->Take(column.position, missing));
  }
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* filled = duckdb::FlatVector::GetData<std::int64_t>(result);
  for (idx_t row = 0; row < count; ++row) {
    const idx_t at = given.sel->get_index(row);
    if (given.validity.RowIsValid(at)) {
      filled[row] = values[at];
    } else {
      filled[row] = range.first;
      // Behind the last value there may be none.
      if (--missing > 0) range.first += range.step;
    }
  }
}

Columns AllColumns(const PhysicalOperator& rows) {
  Columns columns;
  for (idx_t i = 0; i < rows.types.size(); ++i) {
    columns.push_back(
        duckdb::make_uniq<duckdb::BoundReferenceExpression>(rows.types[i], i));
  }
  return columns;
}

PhysicalOperator& Project(PhysicalPlanGenerator& planner,
                          PhysicalOperator& rows, Columns columns) {
  auto& projection = planner.Make<duckdb::PhysicalProjection>(
      rows.types, std::move(columns), rows.estimated_cardinality);
  projection.children.push_back(rows);
  return projection;
}

PhysicalOperator& WithIdentity(PhysicalPlanGenerator& planner,
                               const protocol::Schema& schema,
                               PhysicalOperator& rows,
                               const IdentityOfStatement& identity) {
  const auto positions = write::IdentityValues::ColumnsOf(schema);
  if (positions.empty()) return rows;
  Columns columns = AllColumns(rows);
  for (const std::size_t i : positions) {
    columns[i] =
        IdentityValue(std::move(columns[i]), schema.fields[i], i, identity);
  }
  return Project(planner, rows, std::move(columns));
}

Result<duckdb::unique_ptr<duckdb::Expression>> Generated(
    duckdb::ClientContext& context, const protocol::Schema& schema,
    const protocol::Field& field, const std::string& text) {
  BAYOU_ASSIGN(const auto expression, protocol::ParseStoredExpression(
                                          text, protocol::Spelling::kSpark));
  return engine::BindStoredValue(context, expression, schema, field.type);
}

}  // namespace

duckdb::unique_ptr<duckdb::Expression> IdentityValue(
    duckdb::unique_ptr<duckdb::Expression> given, const protocol::Field& field,
    std::size_t position, const IdentityOfStatement& identity) {
  duckdb::ScalarFunction function("bayou_identity", {LogicalType::BIGINT},
                                  LogicalType::BIGINT, FillIdentity);
  function.SetStability(duckdb::FunctionStability::VOLATILE);
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  Columns arguments;
  arguments.push_back(std::move(given));
  return duckdb::make_uniq<duckdb::BoundFunctionExpression>(
      LogicalType::BIGINT, std::move(function), std::move(arguments),
      duckdb::make_uniq<IdentityColumn>(identity, position, field));
}

PhysicalOperator& CompleteGenerated(duckdb::ClientContext& context,
                                    PhysicalPlanGenerator& planner,
                                    const protocol::Schema& schema,
                                    const std::vector<bool>& given,
                                    PhysicalOperator& rows) {
  Columns columns = AllColumns(rows);
  bool any = false;
  for (std::size_t i = 0; i < schema.fields.size(); ++i) {
    const protocol::Field& field = schema.fields[i];
    const auto text = field.MetadataText("delta.generationExpression");
    if (!text || given[i]) continue;
    columns[i] = engine::Unwrap(Generated(context, schema, field, *text));
    any = true;
  }
  return any ? Project(planner, rows, std::move(columns)) : rows;
}

PhysicalOperator& CompleteRows(duckdb::ClientContext& context,
                               PhysicalPlanGenerator& planner,
                               const protocol::Schema& schema,
                               const std::vector<bool>& given,
                               PhysicalOperator& rows,
                               const IdentityOfStatement& identity) {
  PhysicalOperator& numbered = WithIdentity(planner, schema, rows, identity);
  return CompleteGenerated(context, planner, schema, given, numbered);
}

Result<std::optional<duckdb::Value>> DefaultValue(
    duckdb::ClientContext& context, const protocol::Field& field) {
  const auto text = field.MetadataText("CURRENT_DEFAULT");
  if (!text) return std::nullopt;
  BAYOU_ASSIGN(const auto expression, protocol::ParseStoredExpression(
                                          *text, protocol::Spelling::kSpark));
  BAYOU_ASSIGN(const auto bound,
               engine::BindStoredValue(context, expression, protocol::Schema{},
                                       field.type, engine::Clock::kAllowed));
  return engine::Guard([&]() -> std::optional<duckdb::Value> {
    return duckdb::ExpressionExecutor::EvaluateScalar(context, *bound, true);
  });
}

}  // namespace bayou::sql
