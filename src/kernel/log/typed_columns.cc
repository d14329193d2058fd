// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/typed_columns.h"

#include <charconv>
#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/main/client_context_state.hpp>
#include <duckdb/main/extension/extension_loader.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "kernel/engine/types.h"
#include "kernel/log/chunk_columns.h"
#include "kernel/protocol/file_statistics.h"

namespace bayou::log {
namespace {

using duckdb::DataChunk;
using duckdb::FlatVector;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::PhysicalType;
using duckdb::Value;
using duckdb::Vector;

constexpr const char* kState = "bayou_typed_columns";

struct TypedState final : duckdb::ClientContextState {
  explicit TypedState(TypedColumns the_columns)
      : columns(std::move(the_columns)) {
    for (const auto& column : columns.statistics) paths.push_back(column.path);
  }
  const TypedColumns columns;
  std::vector<protocol::ColumnPath> paths;
};

struct TypedBindData final : duckdb::FunctionData {
  explicit TypedBindData(duckdb::shared_ptr<TypedState> the_state)
      : state(std::move(the_state)) {}
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<TypedBindData>(state);
  }
  bool Equals(const duckdb::FunctionData& other) const override {
    return state == other.Cast<TypedBindData>().state;
  }
  duckdb::shared_ptr<TypedState> state;
};

const TypedState& StateOf(const duckdb::ExpressionState& state) {
  return *state.expr.Cast<duckdb::BoundFunctionExpression>()
              .bind_info->Cast<TypedBindData>()
              .state;
}

// A struct with one leaf for each column, nested as the schema is. INVALID when
// there would be none. Columns of one struct are neighbours.
template <typename LeafType>
LogicalType Nest(std::span<const protocol::StatisticsColumn> columns,
                 std::size_t depth, const LeafType& leaf_type) {
  duckdb::child_list_t<LogicalType> children;
  for (std::size_t i = 0; i < columns.size();) {
    const std::string& name = columns[i].path[depth];
    std::size_t end = i;
    while (end < columns.size() && columns[end].path[depth] == name) ++end;
    const LogicalType type =
        columns[i].path.size() == depth + 1
            ? leaf_type(columns[i])
            : Nest(columns.subspan(i, end - i), depth + 1, leaf_type);
    if (type.id() != LogicalTypeId::INVALID) children.emplace_back(name, type);
    i = end;
  }
  return children.empty() ? LogicalType(LogicalType::INVALID)
                          : LogicalType::STRUCT(std::move(children));
}

// The vector of a leaf under `root`, or nullptr when the type has no such leaf.
Vector* LeafOf(Vector* root, const protocol::ColumnPath& path) {
  for (const std::string& name : path) {
    if (root == nullptr || root->GetType().id() != LogicalTypeId::STRUCT)
      return nullptr;
    const auto& fields = duckdb::StructType::GetChildTypes(root->GetType());
    Vector* next = nullptr;
    for (idx_t i = 0; i < fields.size(); ++i) {
      if (fields[i].first == name)
        next = duckdb::StructVector::GetEntries(*root)[i].get();
    }
    root = next;
  }
  return root;
}

// ---- Values, a million of them: no detour over the engine's boxed values
// where a type is common ------------------------------------------------------

template <typename T>
void Put(Vector& vector, idx_t row, const Value& value) {
  FlatVector::GetData<T>(vector)[row] = value.GetValueUnsafe<T>();
}

void PutValue(Vector& vector, idx_t row, const Value& value) {
  switch (vector.GetType().InternalType()) {
    case PhysicalType::INT32:
      return Put<std::int32_t>(vector, row, value);
    case PhysicalType::INT64:
      return Put<std::int64_t>(vector, row, value);
    case PhysicalType::DOUBLE:
      return Put<double>(vector, row, value);
    default:
      return vector.SetValue(row, value);
  }
}

template <typename T>
void PutOrNull(Vector* vector, idx_t row, const std::optional<T>& value) {
  if (vector == nullptr) return;
  if (!value) return FlatVector::SetNull(*vector, row, true);
  if constexpr (std::is_same_v<T, Value>) {
    PutValue(*vector, row, *value);
  } else {
    FlatVector::GetData<T>(*vector)[row] = *value;
  }
}

// A bound of one of the types of which there are most.
template <typename T>
std::optional<T> ParseCommon(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value)
                                             : std::nullopt;
}

void PutBound(Vector* vector, idx_t row, const std::optional<std::string>& text,
              const protocol::DataType& type) {
  if (vector == nullptr) return;
  if (text && type.kind == protocol::TypeKind::kString &&
      Value::StringIsValid(text->data(), text->size())) {
    FlatVector::GetData<duckdb::string_t>(*vector)[row] =
        duckdb::StringVector::AddString(*vector, *text);
    return;
  }
  if (text && type.kind == protocol::TypeKind::kLong) {
    if (const auto number = ParseCommon<std::int64_t>(*text)) {
      return PutOrNull(vector, row, number);
    }
  }
  if (text && type.kind == protocol::TypeKind::kInteger) {
    if (const auto number = ParseCommon<std::int32_t>(*text)) {
      return PutOrNull(vector, row, number);
    }
  }
  PutOrNull(vector, row, text ? engine::ParseBound(*text, type) : std::nullopt);
}

// ---- bayou_stats
// -------------------------------------------------------------

// The vectors of a result of bayou_stats; nullptr where the type has no such
// leaf.
struct StatisticsVectors {
  StatisticsVectors(Vector& result, std::span<const protocol::ColumnPath> paths)
      : records(LeafOf(&result, {"numRecords"})),
        tight(LeafOf(&result, {"tightBounds"})) {
    for (const protocol::ColumnPath& path : paths) {
      min.push_back(LeafOf(LeafOf(&result, {"minValues"}), path));
      max.push_back(LeafOf(LeafOf(&result, {"maxValues"}), path));
      nulls.push_back(LeafOf(LeafOf(&result, {"nullCount"}), path));
    }
  }
  Vector* records;
  Vector* tight;
  std::vector<Vector*> min, max, nulls;
};

void ReadTypedStatistics(DataChunk& args, duckdb::ExpressionState& state,
                         Vector& result) {
  const TypedState& typed = StateOf(state);
  const auto& columns = typed.columns.statistics;
  const Column texts(args.data[0], args.size());
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  const StatisticsVectors vectors(result, typed.paths);
  for (idx_t row = 0; row < args.size(); ++row) {
    if (texts.IsNull(row)) {
      FlatVector::SetNull(result, row, true);
      continue;
    }
    const auto statistics =
        protocol::ReadStatistics(texts.Text(row), typed.paths);
    PutOrNull(vectors.records, row, statistics.num_records);
    PutOrNull(vectors.tight, row, std::optional(statistics.tight_bounds));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const protocol::ColumnBounds& bounds = statistics.columns[i];
      PutBound(vectors.min[i], row, bounds.min, columns[i].type);
      PutBound(vectors.max[i], row, bounds.max, columns[i].type);
      PutOrNull(vectors.nulls[i], row, bounds.null_count);
    }
  }
}

// ---- bayou_partition
// ---------------------------------------------------------

std::optional<Value> PartitionValue(std::string_view text,
                                    const protocol::DataType& type) {
  auto value = engine::ParsePartitionValue(std::string(text), type);
  return value ? std::optional(*std::move(value)) : std::nullopt;
}

void ReadTypedPartition(DataChunk& args, duckdb::ExpressionState& state,
                        Vector& result) {
  const auto& fields = StateOf(state).columns.partition;
  const MapColumn maps(args.data[0], args.size());
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto& vectors = duckdb::StructVector::GetEntries(result);
  for (idx_t row = 0; row < args.size(); ++row) {
    for (const auto& vector : vectors) FlatVector::SetNull(*vector, row, true);
    maps.ForEach(row, [&](std::string_view key, std::string_view value) {
      if (value.empty()) return;  // NULL
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (key != fields[i].physical_name()) continue;
        const auto typed = PartitionValue(value, fields[i].type);
        if (!typed || typed->IsNull()) continue;
        FlatVector::SetNull(*vectors[i], row, false);
        PutValue(*vectors[i], row, *typed);
      }
    });
  }
}

// ---- Functions
// ---------------------------------------------------------------

template <LogicalType (*kTypeOf)(const TypedColumns&)>
duckdb::unique_ptr<duckdb::FunctionData> Bind(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>&) {
  auto state = context.registered_state->Get<TypedState>(kState);
  if (!state) {
    throw duckdb::BinderException("%s is internal to Bayou", function.name);
  }
  function.SetReturnType(kTypeOf(state->columns));
  return duckdb::make_uniq<TypedBindData>(std::move(state));
}

void Register(duckdb::DatabaseInstance& database) {
  static std::mutex mutex;  // Both of them are there, or none.
  const std::lock_guard lock(mutex);
  duckdb::ExtensionLoader loader(database, "bayou");
  if (loader.TryGetFunction("bayou_stats")) return;
  duckdb::ScalarFunction statistics("bayou_stats", {LogicalType::VARCHAR},
                                    LogicalType::ANY, ReadTypedStatistics,
                                    Bind<StatisticsType>);
  statistics.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(statistics);
  duckdb::ScalarFunction partition(
      "bayou_partition",
      {LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR)},
      LogicalType::ANY, ReadTypedPartition, Bind<PartitionType>);
  partition.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(partition);
}

}  // namespace

LogicalType StatisticsType(const TypedColumns& columns) {
  const auto bounds = Nest(columns.statistics, 0, [](const auto& column) {
    return protocol::HasBounds(column.type.kind)
               ? engine::ToLogicalType(column.type)
               : LogicalType(LogicalType::INVALID);
  });
  const auto counts = Nest(columns.statistics, 0, [](const auto&) {
    return LogicalType(LogicalType::BIGINT);
  });
  duckdb::child_list_t<LogicalType> fields = {
      {"numRecords", LogicalType::BIGINT}};
  if (bounds.id() != LogicalTypeId::INVALID) {
    fields.emplace_back("minValues", bounds);
    fields.emplace_back("maxValues", bounds);
  }
  if (counts.id() != LogicalTypeId::INVALID)
    fields.emplace_back("nullCount", counts);
  if (columns.tight_bounds)
    fields.emplace_back("tightBounds", LogicalType::BOOLEAN);
  return LogicalType::STRUCT(std::move(fields));
}

LogicalType PartitionType(const TypedColumns& columns) {
  duckdb::child_list_t<LogicalType> fields;
  for (const protocol::Field& field : columns.partition) {
    fields.emplace_back(field.physical_name(),
                        engine::ToLogicalType(field.type));
  }
  return fields.empty() ? LogicalType(LogicalType::INVALID)
                        : LogicalType::STRUCT(std::move(fields));
}

void UseTypedColumns(duckdb::Connection& connection, TypedColumns columns) {
  Register(*connection.context->db);
  connection.context->registered_state->Insert(
      kState, duckdb::make_shared_ptr<TypedState>(std::move(columns)));
}

}  // namespace bayou::log
