// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/value_conversion.h"

#include <duckdb/execution/expression_executor_state.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <utility>

namespace bayou::scan {
namespace {

using duckdb::idx_t;
using duckdb::Vector;

struct ConversionData : public duckdb::FunctionData {
  explicit ConversionData(std::shared_ptr<const Conversion> plan)
      : conversion(std::move(plan)) {}

  duckdb::unique_ptr<FunctionData> Copy() const override {
    return duckdb::make_uniq<ConversionData>(conversion);
  }
  bool Equals(const FunctionData& other) const override {
    return conversion == other.Cast<ConversionData>().conversion;
  }

  std::shared_ptr<const Conversion> conversion;
};

void Apply(const Conversion& conversion, Vector& from, Vector& to, idx_t count);

void SetNull(Vector& vector) {
  vector.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
  duckdb::ConstantVector::SetNull(vector, true);
}

void ApplyToStruct(const Conversion& conversion, Vector& from, Vector& to,
                   idx_t count) {
  from.Flatten(count);
  auto& stored = duckdb::StructVector::GetEntries(from);
  auto& fields = duckdb::StructVector::GetEntries(to);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto source = conversion.sources[i];
    if (source) {
      Apply(conversion.children[i], *stored[*source], *fields[i], count);
    } else {
      SetNull(*fields[i]);
    }
  }
  duckdb::FlatVector::SetValidity(to, duckdb::FlatVector::Validity(from));
}

void ApplyToList(const Conversion& conversion, Vector& from, Vector& to,
                 idx_t count) {
  from.Flatten(count);
  const idx_t size = duckdb::ListVector::GetListSize(from);
  duckdb::ListVector::Reserve(to, size);
  duckdb::ListVector::SetListSize(to, size);
  const auto* stored = duckdb::FlatVector::GetData<duckdb::list_entry_t>(from);
  auto* lists = duckdb::FlatVector::GetData<duckdb::list_entry_t>(to);
  std::copy_n(stored, count, lists);
  duckdb::FlatVector::SetValidity(to, duckdb::FlatVector::Validity(from));
  Apply(conversion.children[0], duckdb::ListVector::GetEntry(from),
        duckdb::ListVector::GetEntry(to), size);
}

void Apply(const Conversion& conversion, Vector& from, Vector& to,
           idx_t count) {
  switch (conversion.kind) {
    case Conversion::Kind::kSame:
      to.Reference(from);
      return;
    case Conversion::Kind::kNull:
      SetNull(to);
      return;
    case Conversion::Kind::kCast:
      duckdb::VectorOperations::DefaultCast(from, to, count, true);
      return;
    case Conversion::Kind::kStruct:
      ApplyToStruct(conversion, from, to, count);
      return;
    case Conversion::Kind::kToStruct:
      Apply(conversion.children[0], from,
            *duckdb::StructVector::GetEntries(to)[0], count);
      return;
    case Conversion::Kind::kList:
      ApplyToList(conversion, from, to, count);
      return;
  }
}

void Run(duckdb::DataChunk& input, duckdb::ExpressionState& state,
         Vector& result) {
  const auto& call = state.expr.Cast<duckdb::BoundFunctionExpression>();
  const auto& data = call.bind_info->Cast<ConversionData>();
  Apply(*data.conversion, input.data[0], result, input.size());
}

}  // namespace

duckdb::unique_ptr<duckdb::Expression> Convert(
    duckdb::unique_ptr<duckdb::Expression> input, Conversion conversion) {
  if (conversion.kind == Conversion::Kind::kSame) return input;
  const duckdb::LogicalType to = conversion.to;
  duckdb::ScalarFunction function("as_in_table", {input->return_type}, to, Run);
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  function.SetFallible();
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
  arguments.push_back(std::move(input));
  return duckdb::make_uniq<duckdb::BoundFunctionExpression>(
      to, std::move(function), std::move(arguments),
      duckdb::make_uniq<ConversionData>(
          std::make_shared<const Conversion>(std::move(conversion))));
}

}  // namespace bayou::scan
