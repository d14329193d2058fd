// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/checkpoint_condition.h"

#include <algorithm>
#include <cmath>
#include <duckdb/planner/expression/list.hpp>
#include <limits>
#include <optional>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/scan/value_range.h"

namespace bayou::scan {
namespace {

using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::ExpressionType;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;

struct StoredField {
  std::string sql;
  LogicalType type;
};

// add.<group>.<kind>.<path>, when the checkpoint has it.
std::optional<StoredField> FieldOf(const LogicalType& add,
                                   const std::vector<std::string>& path) {
  StoredField field{"add", add};
  for (const std::string& name : path) {
    if (field.type.id() != LogicalTypeId::STRUCT) return std::nullopt;
    std::optional<LogicalType> next;
    for (const auto& [child, type] :
         duckdb::StructType::GetChildTypes(field.type)) {
      if (child == name) next = type;
    }
    if (!next) return std::nullopt;
    field.sql += "." + engine::Identifier(name);
    field.type = *next;
  }
  return field;
}

std::optional<StoredField> BoundOf(const LogicalType& add, const char* kind,
                                   const protocol::ColumnPath& path) {
  std::vector<std::string> names = {"stats_parsed", kind};
  names.insert(names.end(), path.begin(), path.end());
  return FieldOf(add, names);
}

// The constant as a literal of the stored type, when it is the same value
// there.
std::optional<std::string> LiteralOf(const Value& constant,
                                     const LogicalType& type) {
  Value stored = constant;
  // SQL's text ends at a NUL.
  if (constant.type().id() == LogicalTypeId::VARCHAR && !constant.IsNull() &&
      duckdb::StringValue::Get(constant).find('\0') != std::string::npos) {
    return std::nullopt;
  }
  if (constant.IsNull() || !stored.DefaultTryCastAs(type)) return std::nullopt;
  Value back = stored;
  if (!back.DefaultTryCastAs(constant.type()) || back != constant) {
    return std::nullopt;
  }
  return stored.ToSQLString();
}

std::string OrNull(const StoredField& field, const char* op,
                   const std::string& literal) {
  return "(" + field.sql + op + literal + " OR " + field.sql + " IS NULL)";
}

// No writer in use cuts strings shorter than Iceberg's default.
constexpr int kShortestCut = 16;

// The first so many UTF-16 units, as writers count; whole characters.
std::string Prefix(const std::string& text, int length) {
  std::size_t end = 0;
  for (int units = 0; end < text.size();) {
    units += static_cast<unsigned char>(text[end]) >= 0xF0 ? 2 : 1;
    if (units > length) break;
    do ++end;
    while (end < text.size() && (text[end] & 0xC0) == 0x80);
  }
  return text.substr(0, end);
}

// A double beside `value`, by more than a float's text is off its value (see
// RangeOf). Infinite at the end of floats.
Value BesideFloat(const Value& value, float towards) {
  const auto step = [&](float from) { return std::nextafter(from, towards); };
  const double exact = value.GetValue<double>();
  constexpr double kMost = std::numeric_limits<float>::max();
  if (std::abs(exact) > kMost) return Value::DOUBLE(towards);
  return Value::DOUBLE(step(step(static_cast<float>(exact))));
}

// What a minimum must not exceed.
Value AtMost(const Value& constant) {
  if (constant.type().id() != LogicalTypeId::DOUBLE) return constant;
  return BesideFloat(constant, std::numeric_limits<float>::infinity());
}

// What a maximum must reach: a cut string stands for all that begin with it, a
// time for what its lost microseconds were.
Value AtLeast(const Value& constant, int prefix_length) {
  switch (constant.type().id()) {
    case LogicalTypeId::VARCHAR:
      return Value(Prefix(duckdb::StringValue::Get(constant),
                          std::min(prefix_length, kShortestCut)));
    case LogicalTypeId::DOUBLE:
      return BesideFloat(constant, -std::numeric_limits<float>::infinity());
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ: {
      const auto micros = constant.GetValueUnsafe<std::int64_t>();
      if (micros < std::numeric_limits<std::int64_t>::min() + 2 * kLostMicros) {
        return constant;
      }
      return constant.type().id() == LogicalTypeId::TIMESTAMP
                 ? Value::TIMESTAMP(duckdb::timestamp_t(micros - kLostMicros))
                 : Value::TIMESTAMPTZ(
                       duckdb::timestamp_tz_t(micros - kLostMicros));
    }
    default:
      return constant;
  }
}

// Whether bounds of this type in a checkpoint are what they say. Not those of
// decimals that went through a double (see RangeOf), and structs have none.
bool HasTrueBounds(const LogicalType& type) {
  if (type.id() == LogicalTypeId::DECIMAL) {
    return duckdb::DecimalType::GetWidth(type) <= kExactDigits;
  }
  return !type.IsNested();
}

std::string MinSql(const protocol::ColumnPath& path, const char* op,
                   const Value& constant, const LogicalType& add) {
  const auto field = BoundOf(add, "minValues", path);
  if (!field) return {};
  const auto literal = LiteralOf(AtMost(constant), field->type);
  return literal ? OrNull(*field, op, *literal) : std::string();
}

std::string MaxSql(const protocol::ColumnPath& path, const Value& constant,
                   int prefix_length, const LogicalType& add) {
  const auto field = BoundOf(add, "maxValues", path);
  if (!field) return {};
  const auto literal = LiteralOf(AtLeast(constant, prefix_length), field->type);
  return literal ? OrNull(*field, " >= ", *literal) : std::string();
}

const char* OperatorOf(ExpressionType op) {
  switch (op) {
    case ExpressionType::COMPARE_EQUAL:
      return " = ";
    case ExpressionType::COMPARE_LESSTHAN:
      return " < ";
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return " <= ";
    case ExpressionType::COMPARE_GREATERTHAN:
      return " > ";
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      return " >= ";
    default:
      return nullptr;
  }
}

class PartitionWriter {
 public:
  PartitionWriter(const ScannedTable& table,
                  const std::vector<duckdb::column_t>& inputs,
                  const LogicalType& add)
      : table_(table), inputs_(inputs), add_(add) {}

  std::string Write(const Expression& expression) const {
    switch (expression.GetExpressionClass()) {
      case ExpressionClass::BOUND_COMPARISON: {
        const auto& comparison =
            expression.Cast<duckdb::BoundComparisonExpression>();
        return Compare(*comparison.left, expression.type, *comparison.right);
      }
      case ExpressionClass::BOUND_CONJUNCTION:
        return Conjunction(
            expression.Cast<duckdb::BoundConjunctionExpression>());
      case ExpressionClass::BOUND_OPERATOR: {
        constexpr std::size_t kMostValues = 32;
        const auto& children =
            expression.Cast<duckdb::BoundOperatorExpression>().children;
        if (expression.type != ExpressionType::COMPARE_IN ||
            children.size() > kMostValues) {
          return {};
        }
        std::string sql;
        for (std::size_t i = 1; i < children.size(); ++i) {
          const std::string one = Compare(
              *children[0], ExpressionType::COMPARE_EQUAL, *children[i]);
          if (one.empty()) return {};
          sql += (sql.empty() ? "" : " OR ") + one;
        }
        return sql.empty() ? sql : "(" + sql + ")";
      }
      default:
        return {};
    }
  }

 private:
  std::string Compare(const Expression& column, ExpressionType op,
                      const Expression& constant) const {
    const char* text = OperatorOf(op);
    if (!text || column.GetExpressionClass() != ExpressionClass::BOUND_REF ||
        constant.GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) {
      return {};
    }
    const auto input =
        inputs_[column.Cast<duckdb::BoundReferenceExpression>().index];
    if (duckdb::IsVirtualColumn(input)) return {};
    const auto field =
        FieldOf(add_, {"partitionValues_parsed",
                       table_.columns[input].field.physical_name()});
    // A float's text in the log may stand for more than one stored value.
    const Value& value = constant.Cast<duckdb::BoundConstantExpression>().value;
    if (!field || IsFloat(value.type()) || field->type != value.type())
      return {};
    const auto literal = LiteralOf(value, field->type);
    return literal ? OrNull(*field, text, *literal) : std::string();
  }

  std::string Conjunction(
      const duckdb::BoundConjunctionExpression& conjunction) const {
    std::vector<std::string> parts;
    for (const auto& child : conjunction.children) {
      parts.push_back(Write(*child));
    }
    return JoinSql(conjunction.type == ExpressionType::CONJUNCTION_AND, parts);
  }

  const ScannedTable& table_;
  const std::vector<duckdb::column_t>& inputs_;
  const LogicalType& add_;
};

}  // namespace

std::string JoinSql(bool is_and, const std::vector<std::string>& parts) {
  std::string sql;
  for (const std::string& part : parts) {
    if (part.empty()) {
      if (is_and) continue;
      return {};
    }
    if (!sql.empty()) sql += is_and ? " AND " : " OR ";
    sql += part;
  }
  return sql.empty() ? sql : "(" + sql + ")";
}

std::string BoundsSql(const protocol::ColumnPath& path, ExpressionType op,
                      const Value& constant, int prefix_length,
                      const LogicalType& add) {
  if (constant.IsNull() || IsNan(constant) || !HasTrueBounds(constant.type())) {
    return {};
  }
  switch (op) {
    case ExpressionType::COMPARE_EQUAL: {
      const std::string min = MinSql(path, " <= ", constant, add);
      const std::string max = MaxSql(path, constant, prefix_length, add);
      if (min.empty() || max.empty()) return min + max;
      return "(" + min + " AND " + max + ")";
    }
    case ExpressionType::COMPARE_LESSTHAN:
      return MinSql(path, " < ", constant, add);
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return MinSql(path, " <= ", constant, add);
    case ExpressionType::COMPARE_GREATERTHAN:
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      // NaN is greater than any number and in no bound.
      if (IsFloat(constant.type())) return {};
      return MaxSql(path, constant, prefix_length, add);
    default:
      return {};
  }
}

std::string PartitionSql(const ScannedTable& table,
                         const Expression& expression,
                         const std::vector<duckdb::column_t>& inputs,
                         const LogicalType& add) {
  return PartitionWriter(table, inputs, add).Write(expression);
}

}  // namespace bayou::scan
