// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/row_group_encoder.h"

#include <algorithm>
#include <duckdb/common/types/column/column_data_collection.hpp>
#include <duckdb/common/types/variant_value.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <duckdb/planner/expression/bound_reference_expression.hpp>
#include <parquet_writer.hpp>
#include <utility>
#include <writer/variant_column_writer.hpp>

namespace bayou::write {
namespace {

using duckdb::ColumnDataCollection;
using duckdb::DataChunk;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::ParquetWriteTransformData;
using duckdb::Vector;

bool IsVariant(const LogicalType& type) {
  return type.id() == duckdb::LogicalTypeId::VARIANT;
}

// DuckDB's own way from a variant to its group of columns, which gives NULL a
// group too.
void VariantsToGroups(DataChunk& input, duckdb::ExpressionState& state,
                      Vector& groups) {
  static const auto encode =
      duckdb::VariantColumnWriter::GetTransformFunction().GetFunctionCallback();
  encode(input, state, groups);
  groups.Flatten(input.size());
  duckdb::UnifiedVectorFormat variants;
  input.data[0].ToUnifiedFormat(input.size(), variants);
  for (idx_t i = 0; i < input.size(); ++i) {
    if (!variants.validity.RowIsValid(variants.sel->get_index(i)))
      duckdb::FlatVector::SetNull(groups, i, true);
  }
}

// Column by column, what is stored of it.
duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> StoredColumns(
    const duckdb::vector<LogicalType>& from,
    const duckdb::vector<LogicalType>& to) {
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> columns;
  for (idx_t i = 0; i < from.size(); ++i) {
    duckdb::unique_ptr<duckdb::Expression> column =
        duckdb::make_uniq<duckdb::BoundReferenceExpression>(from[i], i);
    if (IsVariant(from[i])) {
      duckdb::ScalarFunction function("variants_to_groups", {from[i]}, to[i],
                                      VariantsToGroups);
      function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
      duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
      arguments.push_back(std::move(column));
      column = duckdb::make_uniq<duckdb::BoundFunctionExpression>(
          to[i], std::move(function), std::move(arguments), nullptr);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

// A row with objects that have no field, and NULL in all other columns.
void AppendEmptyObjects(duckdb::ClientContext& context,
                        ColumnDataCollection& rows) {
  DataChunk row;
  row.Initialize(context, rows.Types());
  row.SetCardinality(1);
  for (Vector& column : row.data) {
    if (IsVariant(column.GetType())) {
      duckdb::vector<duckdb::VariantValue> objects;
      objects.emplace_back(duckdb::VariantValueType::OBJECT);
      duckdb::VariantValue::ToVARIANT(objects, column);
    } else {
      column.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
      duckdb::ConstantVector::SetNull(column, true);
    }
  }
  rows.Append(row);
}

}  // namespace

void DeletePreparedRowGroup::operator()(
    duckdb::PreparedRowGroup* row_group) const {
  delete row_group;
}

RowGroupEncoder::RowGroupEncoder(duckdb::ClientContext& context,
                                 const FileLayout& layout,
                                 duckdb::GlobalFunctionData& file)
    : context_(context),
      layout_(layout),
      writer_(*file.Cast<duckdb::ParquetWriteGlobalState>().writer) {}

RowGroupEncoder::~RowGroupEncoder() = default;

// How variants are stored in a file, DuckDB's writer decides by the first rows
// that it sees: by the types that most of them have. Objects without a field
// leave it nothing to go by, and then all stay whole. So it is shown the first
// rows, or those, in a row group that is never written; what it makes of them
// says which columns are stored.
void RowGroupEncoder::SettleVariants(ColumnDataCollection& first_rows) {
  ColumnDataCollection nothing(context_, layout_.stored_types);
  ColumnDataCollection objects(context_, layout_.stored_types);
  if (!layout_.shreds_variants) AppendEmptyObjects(context_, objects);
  duckdb::PreparedRowGroup unused;
  duckdb::unique_ptr<ParquetWriteTransformData> theirs;
  writer_.PrepareRowGroup(layout_.shreds_variants ? first_rows : objects,
                          unused, theirs);
  const auto types = theirs->ApplyTransform(nothing).Types();
  stored_ = duckdb::make_uniq<ParquetWriteTransformData>(
      context_, types, StoredColumns(layout_.stored_types, types));
}

EncodedRowGroup RowGroupEncoder::Encode(ColumnDataCollection& rows) {
  if (!stored_ && std::ranges::any_of(layout_.stored_types, IsVariant))
    SettleVariants(rows);
  EncodedRowGroup encoded(new duckdb::PreparedRowGroup);
  writer_.PrepareRowGroup(rows, *encoded, stored_);
  return encoded;
}

void RowGroupEncoder::Write(EncodedRowGroup row_group) {
  writer_.FlushRowGroup(*row_group);
}

}  // namespace bayou::write
