// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/nested_variants.h"

#include <algorithm>
#include <atomic>
#include <duckdb/catalog/catalog_entry/copy_function_catalog_entry.hpp>
#include <duckdb/catalog/catalog_entry/scalar_function_catalog_entry.hpp>
#include <duckdb/execution/expression_executor_state.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <utility>

namespace bayou::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Vector;

// DuckDB's own way from a variant to its group.
constexpr const char* kEncoder = "variant_to_parquet_variant";

// The function that was there before; the same in every database, of which two
// may start at once.
std::atomic<duckdb::copy_to_select_t> parquet_select = nullptr;

struct EncoderData : public duckdb::FunctionData {
  explicit EncoderData(duckdb::scalar_function_t function)
      : encode(std::move(function)) {}
  duckdb::unique_ptr<FunctionData> Copy() const override {
    return duckdb::make_uniq<EncoderData>(encode);
  }
  bool Equals(const FunctionData&) const override { return true; }
  const duckdb::scalar_function_t encode;
};

// `type` with every variant as its group.
LogicalType Encoded(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::VARIANT:
      return LogicalType::STRUCT(
          {{"metadata", LogicalType::BLOB}, {"value", LogicalType::BLOB}});
    case LogicalTypeId::STRUCT: {
      duckdb::child_list_t<LogicalType> fields;
      for (const auto& [name, field] :
           duckdb::StructType::GetChildTypes(type)) {
        fields.emplace_back(name, Encoded(field));
      }
      return LogicalType::STRUCT(std::move(fields));
    }
    case LogicalTypeId::LIST:
      return LogicalType::LIST(Encoded(duckdb::ListType::GetChildType(type)));
    case LogicalTypeId::MAP:
      return LogicalType::MAP(Encoded(duckdb::MapType::KeyType(type)),
                              Encoded(duckdb::MapType::ValueType(type)));
    default:
      return type;
  }
}

void EncodeVariants(const duckdb::scalar_function_t& encode,
                    duckdb::ExpressionState& state, Vector& from, Vector& to,
                    idx_t count) {
  for (idx_t first = 0; first < count; first += STANDARD_VECTOR_SIZE) {
    const idx_t piece = std::min<idx_t>(STANDARD_VECTOR_SIZE, count - first);
    const Vector slice(from, first, first + piece);
    duckdb::DataChunk input;
    input.InitializeEmpty({from.GetType()});
    input.data[0].Reference(slice);
    input.SetCardinality(piece);
    Vector groups(to.GetType(), piece);
    encode(input, state, groups);
    // The encoder writes a null inside of the group; a NULL has no group, and
    // must have none below a NULL struct.
    const auto& valid = duckdb::FlatVector::Validity(from);
    for (idx_t i = 0; i < piece; ++i) {
      if (!valid.RowIsValid(first + i))
        duckdb::FlatVector::SetNull(groups, i, true);
    }
    duckdb::VectorOperations::Copy(groups, to, piece, 0, first);
  }
}

void Encode(const duckdb::scalar_function_t& encode,
            duckdb::ExpressionState& state, Vector& from, Vector& to,
            idx_t count) {
  if (from.GetType() == to.GetType()) {
    to.Reference(from);
    return;
  }
  from.Flatten(count);
  switch (from.GetType().id()) {
    case LogicalTypeId::VARIANT:
      EncodeVariants(encode, state, from, to, count);
      return;
    case LogicalTypeId::STRUCT: {
      auto& fields = duckdb::StructVector::GetEntries(from);
      auto& groups = duckdb::StructVector::GetEntries(to);
      for (std::size_t i = 0; i < fields.size(); ++i) {
        Encode(encode, state, *fields[i], *groups[i], count);
      }
      break;
    }
    default: {  // Lists, and maps, which are lists of pairs.
      const idx_t size = duckdb::ListVector::GetListSize(from);
      duckdb::ListVector::Reserve(to, size);
      duckdb::ListVector::SetListSize(to, size);
      std::copy_n(duckdb::FlatVector::GetData<duckdb::list_entry_t>(from),
                  count, duckdb::FlatVector::GetData<duckdb::list_entry_t>(to));
      Encode(encode, state, duckdb::ListVector::GetEntry(from),
             duckdb::ListVector::GetEntry(to), size);
    }
  }
  duckdb::FlatVector::SetValidity(to, duckdb::FlatVector::Validity(from));
}

void Run(duckdb::DataChunk& input, duckdb::ExpressionState& state,
         Vector& result) {
  const auto& data = state.expr.Cast<duckdb::BoundFunctionExpression>()
                         .bind_info->Cast<EncoderData>();
  Encode(data.encode, state, input.data[0], result, input.size());
}

duckdb::unique_ptr<duckdb::Expression> EncodeColumn(
    const duckdb::scalar_function_t& encode,
    duckdb::unique_ptr<duckdb::Expression> column) {
  const LogicalType from = column->return_type;
  const LogicalType to = Encoded(from);
  const std::string name = column->GetAlias();
  duckdb::ScalarFunction function("variants_as_groups", {from}, to, Run);
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
  arguments.push_back(std::move(column));
  auto call = duckdb::make_uniq<duckdb::BoundFunctionExpression>(
      to, std::move(function), std::move(arguments),
      duckdb::make_uniq<EncoderData>(encode));
  call->SetAlias(name);
  return call;
}

bool HasNestedVariant(const LogicalType& type) {
  return type.id() != LogicalTypeId::VARIANT && Encoded(type) != type;
}

// An empty result means: as they are.
duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> Select(
    duckdb::CopyToSelectInput& input) {
  bool any = false;
  for (const auto& column : input.select_list) {
    any = any || HasNestedVariant(column->return_type);
  }
  if (!any) return parquet_select.load()(input);

  auto& catalog = duckdb::Catalog::GetSystemCatalog(input.context);
  const auto& encoder = catalog.GetEntry<duckdb::ScalarFunctionCatalogEntry>(
      input.context, DEFAULT_SCHEMA, kEncoder);
  const auto& encode = encoder.functions.functions.at(0).GetFunctionCallback();
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> columns;
  for (auto& column : input.select_list) {
    columns.push_back(HasNestedVariant(column->return_type)
                          ? EncodeColumn(encode, std::move(column))
                          : std::move(column));
  }
  // What DuckDB has to change as well it changes in the result.
  duckdb::CopyToSelectInput rest{
      input.context, input.options, {}, input.copy_to_type};
  for (const auto& column : columns) rest.select_list.push_back(column->Copy());
  auto changed = parquet_select.load()(rest);
  return changed.empty() ? std::move(columns) : std::move(changed);
}

}  // namespace

void AllowNestedVariants(duckdb::DatabaseInstance& database) {
  duckdb::Connection connection(database);
  connection.context->RunFunctionInTransaction([&] {
    auto& catalog = duckdb::Catalog::GetSystemCatalog(*connection.context);
    auto& parquet = catalog
                        .GetEntry<duckdb::CopyFunctionCatalogEntry>(
                            *connection.context, DEFAULT_SCHEMA, "parquet")
                        .function;
    if (parquet.copy_to_select == Select) return;
    parquet_select = parquet.copy_to_select;
    parquet.copy_to_select = Select;
  });
}

}  // namespace bayou::engine
