// SPDX-License-Identifier: Apache-2.0
#include "sql/extra_fields.h"

#include <fmt/format.h>

#include <duckdb/catalog/catalog_entry/table_catalog_entry.hpp>
#include <duckdb/optimizer/optimizer_extension.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/operator/logical_expression_get.hpp>
#include <duckdb/planner/operator/logical_get.hpp>
#include <duckdb/planner/operator/logical_insert.hpp>

#include "bayou/result.h"
#include "kernel/engine/engine.h"
#include "sql/delta_catalog.h"

namespace bayou::sql {
namespace {

using duckdb::Expression;
using duckdb::LogicalOperator;
using duckdb::LogicalOperatorType;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;

std::string FieldNames(const LogicalType& type) {
  std::string names;
  for (const auto& [name, child] : duckdb::StructType::GetChildTypes(type)) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

Status CheckCast(const LogicalType& from, const LogicalType& to);

Status CheckFields(const LogicalType& from, const LogicalType& to) {
  // Without names, fields go by their position, and have to be as many.
  if (duckdb::StructType::IsUnnamed(from)) return {};
  const auto& targets = duckdb::StructType::GetChildTypes(to);
  for (const auto& [name, type] : duckdb::StructType::GetChildTypes(from)) {
    bool known = false;
    for (const auto& [target, target_type] : targets) {
      if (!duckdb::StringUtil::CIEquals(target, name)) continue;
      known = true;
      BAYOU_TRY(CheckCast(type, target_type));
    }
    if (known) continue;
    return Fail(
        ErrorCode::kInvalidArgument, "DELTA_EXTRA_STRUCT_FIELDS",
        fmt::format("the value has a field {}, which the table's struct does "
                    "not have: its fields are {}; leave the field out, or add "
                    "it to the table with ALTER TABLE ... ADD COLUMN",
                    name, FieldNames(to)));
  }
  return {};
}

Status CheckCast(const LogicalType& from, const LogicalType& to) {
  using duckdb::ArrayType;
  using duckdb::ListType;
  using duckdb::MapType;
  if (from.id() == LogicalTypeId::STRUCT && to.id() == LogicalTypeId::STRUCT)
    return CheckFields(from, to);
  if (from.id() == LogicalTypeId::MAP && to.id() == LogicalTypeId::MAP) {
    BAYOU_TRY(CheckCast(MapType::KeyType(from), MapType::KeyType(to)));
    return CheckCast(MapType::ValueType(from), MapType::ValueType(to));
  }
  if (to.id() != LogicalTypeId::LIST) return {};
  if (from.id() == LogicalTypeId::LIST)
    return CheckCast(ListType::GetChildType(from), ListType::GetChildType(to));
  if (from.id() == LogicalTypeId::ARRAY)
    return CheckCast(ArrayType::GetChildType(from), ListType::GetChildType(to));
  return {};
}

// A cast that DuckDB adds stands where its value stands in the text; one that
// is written has a place of its own.
void CheckExpression(const Expression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_CAST)
    return;
  const auto& cast = expression.Cast<duckdb::BoundCastExpression>();
  if (cast.GetQueryLocation() != cast.child->GetQueryLocation()) return;
  engine::Unwrap(CheckCast(cast.child->return_type, cast.return_type));
}

// The casts to the table's types are on top of the rows: in projections, or in
// the list of VALUES.
void CheckRows(const LogicalOperator& rows) {
  if (rows.type == LogicalOperatorType::LOGICAL_EXPRESSION_GET) {
    const auto& list = rows.Cast<duckdb::LogicalExpressionGet>();
    for (const auto& row : list.expressions) {
      for (const auto& value : row) CheckExpression(*value);
    }
  }
  if (rows.type != LogicalOperatorType::LOGICAL_PROJECTION) return;
  for (const auto& column : rows.expressions) CheckExpression(*column);
  CheckRows(*rows.children[0]);
}

// COPY t FROM 'file.json' reads the table's columns and passes over whatever
// else there is. What is inserted from a query has a projection on top.
void CheckCopy(const duckdb::LogicalInsert& insert) {
  if (insert.table.ParentCatalog().GetCatalogType() != kStorageType) return;
  const LogicalOperator& rows = *insert.children[0];
  if (rows.type != LogicalOperatorType::LOGICAL_GET ||
      rows.Cast<duckdb::LogicalGet>().function.name.find("json") ==
          std::string::npos) {
    return;
  }
  engine::Throw(
      {ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
       "COPY ... FROM a JSON file would lose what the table has no column for; "
       "write COPY INTO t FROM 'file' FILEFORMAT = JSON, or INSERT INTO t BY "
       "NAME SELECT * FROM read_json('file')"});
}

void CheckPlan(duckdb::OptimizerExtensionInput& input,
               duckdb::unique_ptr<LogicalOperator>& plan) {
  switch (plan->type) {
    case LogicalOperatorType::LOGICAL_INSERT:
      for (const auto& rows : plan->children) CheckRows(*rows);
      if (!plan->children.empty())
        CheckCopy(plan->Cast<duckdb::LogicalInsert>());
      break;
    case LogicalOperatorType::LOGICAL_UPDATE:
    case LogicalOperatorType::LOGICAL_MERGE_INTO:
      for (const auto& rows : plan->children) CheckRows(*rows);
      break;
    default:  // Such as EXPLAIN.
      for (auto& child : plan->children) CheckPlan(input, child);
  }
}

}  // namespace

void RegisterExtraFieldsCheck(duckdb::DBConfig& config) {
  duckdb::OptimizerExtension check;
  check.pre_optimize_function = CheckPlan;
  duckdb::OptimizerExtension::Register(config, std::move(check));
}

}  // namespace bayou::sql
