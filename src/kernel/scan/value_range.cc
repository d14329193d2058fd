// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/value_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernel/engine/types.h"
#include "kernel/protocol/statistics_columns.h"

namespace bayou::scan {
namespace {

using duckdb::ExpressionType;
using duckdb::LogicalTypeId;
using duckdb::Value;
using protocol::TypeKind;

std::string_view Text(const Value& value) {
  return duckdb::StringValue::Get(value);
}

// Values that are more than one thing have no null count to go by: writers
// disagree on whether they count lists or elements.
bool IsLeaf(TypeKind kind) {
  return kind < TypeKind::kStruct && kind != TypeKind::kVariant &&
         kind != TypeKind::kVoid;
}

Value LaterByLostMicros(const Value& bound) {
  const std::int64_t micros = bound.GetValueUnsafe<std::int64_t>();
  // Neither a wrap-around nor one of DuckDB's infinities.
  if (micros > std::numeric_limits<std::int64_t>::max() - 2 * kLostMicros) {
    return bound;
  }
  return bound.type().id() == LogicalTypeId::TIMESTAMP_TZ
             ? Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(micros + kLostMicros))
             : Value::TIMESTAMP(duckdb::timestamp_t(micros + kLostMicros));
}

std::optional<Value> Bound(const std::optional<std::string>& text,
                           const protocol::DataType& type) {
  if (!text) return std::nullopt;
  auto value = engine::ParseBound(*text, type);
  if (!value || value->IsNull() || IsNan(*value)) return std::nullopt;
  return value;
}

// Bounds of a column that was widened from float are a float's shortest text,
// which as a double is another number: half a step of a float beside the value.
std::optional<Value> DoubleBound(const std::optional<std::string>& text,
                                 bool is_min) {
  auto bound = Bound(text, protocol::DataType::Of(TypeKind::kDouble));
  const auto as_float = Bound(text, protocol::DataType::Of(TypeKind::kFloat));
  if (!bound || !as_float) return bound;
  const auto exact = bound->GetValueUnsafe<double>();
  const auto widened = static_cast<double>(as_float->GetValueUnsafe<float>());
  return Value::DOUBLE(is_min ? std::min(exact, widened)
                              : std::max(exact, widened));
}

std::size_t CountDigits(std::string_view number) {
  return static_cast<std::size_t>(
      std::count_if(number.begin(), number.end(),
                    [](char c) { return c >= '0' && c <= '9'; }));
}

// delta-rs writes decimals as doubles, and those without a scale as 64-bit
// integers, cut to what these can hold: a bound with many digits stands for all
// values that it may have been.
std::optional<Value> DecimalBound(const std::optional<std::string>& text,
                                  const protocol::DataType& type, bool is_min) {
  auto bound = Bound(text, type);
  if (!bound || (CountDigits(*text) <= kExactDigits &&
                 text->find_first_of("eE") == std::string::npos)) {
    return bound;
  }
  using duckdb::hugeint_t;
  const hugeint_t value = bound
                              ->DefaultCastAs(duckdb::LogicalType::DECIMAL(
                                  38, static_cast<std::uint8_t>(type.scale)))
                              .GetValueUnsafe<hugeint_t>();
  const hugeint_t size = value < 0 ? -value : value;
  constexpr std::int64_t kCut = std::numeric_limits<std::int64_t>::max();
  if (type.scale == 0 && size >= hugeint_t(kCut) &&
      size <= hugeint_t(kCut) + 1) {
    return std::nullopt;
  }
  constexpr std::int64_t kStepOfDouble = std::int64_t{1} << 52;
  const hugeint_t doubt = size / hugeint_t(kStepOfDouble) + 1;
  const Value wide = Value::DECIMAL(is_min ? value - doubt : value + doubt, 38,
                                    static_cast<std::uint8_t>(type.scale));
  Value result = wide;
  // Beyond the largest decimal there is nothing to skip.
  if (!result.DefaultTryCastAs(bound->type())) return std::nullopt;
  return result;
}

// How values compare with a constant.
struct Order {
  bool less;
  bool equal;
  bool greater;
};

Order OrderOf(const ValueRange& range, const Value& constant) {
  if (!range.can_be_value) return {false, false, false};
  if (IsNan(constant)) return {true, range.can_be_nan, false};
  const bool beyond_max = range.max_is_prefix && range.max &&
                          Text(constant).starts_with(Text(*range.max));
  Order order{};
  order.less = !range.min || *range.min < constant;
  order.greater =
      !range.max || *range.max > constant || beyond_max || range.can_be_nan;
  order.equal = (!range.min || *range.min <= constant) &&
                (!range.max || *range.max >= constant || beyond_max);
  return order;
}

}  // namespace

bool IsFloat(const duckdb::LogicalType& type) {
  return type.id() == LogicalTypeId::FLOAT ||
         type.id() == LogicalTypeId::DOUBLE;
}

bool IsNan(const Value& value) {
  if (value.IsNull() || !IsFloat(value.type())) return false;
  return std::isnan(value.type().id() == LogicalTypeId::FLOAT
                        ? static_cast<double>(value.GetValue<float>())
                        : value.GetValue<double>());
}

Outcomes And(const Outcomes& a, const Outcomes& b) {
  return {a.can_be_true && b.can_be_true, a.can_be_false || b.can_be_false,
          a.can_be_null || b.can_be_null};
}

Outcomes Or(const Outcomes& a, const Outcomes& b) {
  return {a.can_be_true || b.can_be_true, a.can_be_false && b.can_be_false,
          a.can_be_null || b.can_be_null};
}

Outcomes Not(const Outcomes& a) {
  return {a.can_be_false, a.can_be_true, a.can_be_null};
}

ValueRange RangeOf(const protocol::ColumnBounds& bounds,
                   std::optional<std::int64_t> num_records,
                   const protocol::DataType& type, bool nested) {
  ValueRange range;
  range.can_be_nan =
      type.kind == TypeKind::kFloat || type.kind == TypeKind::kDouble;
  if (type.kind == TypeKind::kDouble) {
    range.min = DoubleBound(bounds.min, true);
    range.max = DoubleBound(bounds.max, false);
  } else if (type.kind == TypeKind::kDecimal) {
    range.min = DecimalBound(bounds.min, type, true);
    range.max = DecimalBound(bounds.max, type, false);
  } else if (protocol::HasBounds(type.kind)) {
    range.min = Bound(bounds.min, type);
    range.max = Bound(bounds.max, type);
  }
  if (type.kind == TypeKind::kString) range.max_is_prefix = true;
  if (range.max && (type.kind == TypeKind::kTimestamp ||
                    type.kind == TypeKind::kTimestampNtz)) {
    range.max = LaterByLostMicros(*range.max);
  }
  if (bounds.null_count && IsLeaf(type.kind)) {
    // With wide bounds the count is of rows before some were deleted; none and
    // all stay none and all. Whether a NULL struct counts for its fields is up
    // to the writer, so there 0 tells nothing.
    if (*bounds.null_count == 0 && !nested) range.can_be_null = false;
    if (num_records && *bounds.null_count == *num_records) {
      range.can_be_value = false;
    }
  }
  return range;
}

ValueRange CastRange(ValueRange range, const duckdb::LogicalType& type) {
  for (auto* bound : {&range.min, &range.max}) {
    if (*bound && !(*bound)->DefaultTryCastAs(type)) bound->reset();
  }
  return range;
}

Outcomes Compare(const ValueRange& range, ExpressionType op,
                 const Value& constant) {
  const bool null_safe = op == ExpressionType::COMPARE_DISTINCT_FROM ||
                         op == ExpressionType::COMPARE_NOT_DISTINCT_FROM;
  if (constant.IsNull()) {
    if (!null_safe) return {false, false, true};
    const Outcomes is_null = IsNull(range);
    return op == ExpressionType::COMPARE_NOT_DISTINCT_FROM ? is_null
                                                           : Not(is_null);
  }
  for (const auto* bound : {&range.min, &range.max}) {
    if (*bound && (*bound)->type() != constant.type()) return {};
  }
  const auto [less, equal, greater] = OrderOf(range, constant);
  const bool null = range.can_be_null;
  switch (op) {
    case ExpressionType::COMPARE_EQUAL:
      return {equal, less || greater, null};
    case ExpressionType::COMPARE_NOTEQUAL:
      return {less || greater, equal, null};
    case ExpressionType::COMPARE_LESSTHAN:
      return {less, equal || greater, null};
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return {less || equal, greater, null};
    case ExpressionType::COMPARE_GREATERTHAN:
      return {greater, less || equal, null};
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      return {greater || equal, less, null};
    case ExpressionType::COMPARE_NOT_DISTINCT_FROM:
      return {equal, less || greater || null, false};
    case ExpressionType::COMPARE_DISTINCT_FROM:
      return {less || greater || null, equal, false};
    default:
      return {};
  }
}

Outcomes StartsWith(const ValueRange& range, std::string_view prefix) {
  Outcomes outcomes;
  outcomes.can_be_null = range.can_be_null;
  if (!range.can_be_value) return {false, false, range.can_be_null};
  if (range.min) {
    const std::string_view min = Text(*range.min);
    if (min > prefix && !min.starts_with(prefix)) outcomes.can_be_true = false;
  }
  if (range.max) {
    const std::string_view max = Text(*range.max);
    if (max < prefix && !prefix.starts_with(max)) outcomes.can_be_true = false;
  }
  return outcomes;
}

Outcomes IsNull(const ValueRange& range) {
  return {range.can_be_null, range.can_be_value, false};
}

}  // namespace bayou::scan
