// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/expression_builder.h"

#include <duckdb/function/function_binder.hpp>
#include <duckdb/planner/expression/bound_case_expression.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression/bound_comparison_expression.hpp>
#include <duckdb/planner/expression/bound_conjunction_expression.hpp>
#include <duckdb/planner/expression/bound_constant_expression.hpp>
#include <duckdb/planner/expression/bound_operator_expression.hpp>
#include <duckdb/planner/expression_iterator.hpp>

#include "kernel/engine/engine.h"

namespace bayou::engine {
namespace {

using duckdb::ExpressionType;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;

constexpr std::size_t kMaxCopied = 10'000;

std::size_t CountNodes(const duckdb::Expression& expression) {
  std::size_t count = 1;
  duckdb::ExpressionIterator::EnumerateChildren(
      expression, [&count](const duckdb::Expression& child) {
        count += CountNodes(child);
      });
  return count;
}

Piece Operator(ExpressionType type, const LogicalType& result, Pieces pieces) {
  auto made = duckdb::make_uniq<duckdb::BoundOperatorExpression>(type, result);
  made->children = std::move(pieces);
  return made;
}

Pieces Both(Piece first, Piece second) {
  Pieces pieces;
  pieces.push_back(std::move(first));
  pieces.push_back(std::move(second));
  return pieces;
}

Pieces One(Piece piece) {
  Pieces pieces;
  pieces.push_back(std::move(piece));
  return pieces;
}

std::string NameOf(const LogicalType& type) { return type.ToString(); }

}  // namespace

void ExpressionBuilder::Unsupported(const std::string& what) {
  Throw({ErrorCode::kUnsupported, "DELTA_EXPRESSION_UNSUPPORTED", what});
}
void ExpressionBuilder::Invalid(const std::string& what) {
  Throw({ErrorCode::kInvalidArgument, "DELTA_EXPRESSION_INVALID", what});
}

bool ExpressionBuilder::IsNull(const Piece& piece) {
  return piece->return_type.id() == LogicalTypeId::SQLNULL;
}
bool ExpressionBuilder::IsNumeric(const Piece& piece) {
  return IsInteger(piece) || IsFloating(piece) ||
         piece->return_type.id() == LogicalTypeId::DECIMAL;
}
bool ExpressionBuilder::IsInteger(const Piece& piece) {
  switch (piece->return_type.id()) {
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
      return true;
    default:
      return false;
  }
}
bool ExpressionBuilder::IsFloating(const Piece& piece) {
  return piece->return_type.id() == LogicalTypeId::FLOAT ||
         piece->return_type.id() == LogicalTypeId::DOUBLE;
}
bool ExpressionBuilder::IsText(const Piece& piece) {
  return piece->return_type.id() == LogicalTypeId::VARCHAR;
}
bool ExpressionBuilder::IsTime(const Piece& piece) {
  switch (piece->return_type.id()) {
    case LogicalTypeId::DATE:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
      return true;
    default:
      return false;
  }
}

Piece ExpressionBuilder::Constant(const Value& value) const {
  return duckdb::make_uniq<duckdb::BoundConstantExpression>(value);
}
Piece ExpressionBuilder::Integer(int value) const {
  return Constant(Value::INTEGER(value));
}

Piece ExpressionBuilder::CallWith(const char* name, Pieces arguments) {
  duckdb::ErrorData error;
  duckdb::FunctionBinder binder(context_);
  Piece call = binder.BindScalarFunction(DEFAULT_SCHEMA, name,
                                         std::move(arguments), error);
  if (!call || error.HasError()) {
    Invalid(std::string("the arguments of ") + name + " do not fit");
  }
  return call;
}

Piece ExpressionBuilder::Copy(const Piece& piece) {
  copied_ += CountNodes(*piece);
  if (copied_ > kMaxCopied) Unsupported("it is too large");
  return piece->Copy();
}

// ------------------------------------------------------------------- casting

Piece ExpressionBuilder::Plain(Piece piece, const LogicalType& type) {
  return duckdb::BoundCastExpression::AddCastToType(context_, std::move(piece),
                                                    type);
}

Piece ExpressionBuilder::Cast(Piece piece, const LogicalType& type) {
  const LogicalType from = piece->return_type;
  if (from == type) return piece;
  if (IsNull(piece)) return Plain(std::move(piece), type);
  if (IsText(piece)) return CastText(std::move(piece), type);
  const bool number = IsNumeric(piece);
  const bool boolean = from.id() == LogicalTypeId::BOOLEAN;
  switch (type.id()) {
    case LogicalTypeId::VARCHAR:
      return ToText(std::move(piece));
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
      if (number || boolean) return ToInteger(std::move(piece), type);
      break;
    case LogicalTypeId::BOOLEAN:
      if (number) return Plain(std::move(piece), type);
      break;
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE:
    case LogicalTypeId::DECIMAL:
      if (number || boolean) return Plain(std::move(piece), type);
      break;
    case LogicalTypeId::DATE:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
      if (IsTime(piece)) return Plain(std::move(piece), type);
      break;
    default:
      break;
  }
  Unsupported("a cast from " + NameOf(from) + " to " + NameOf(type) +
              " is not known");
}

Piece ExpressionBuilder::ToText(Piece piece) {
  const LogicalType from = piece->return_type;
  const std::uint8_t scale = from.id() == LogicalTypeId::DECIMAL
                                 ? duckdb::DecimalType::GetScale(from)
                                 : std::uint8_t{0};
  switch (piece->return_type.id()) {
    case LogicalTypeId::BLOB:
      return Call("decode", std::move(piece));
    case LogicalTypeId::TIMESTAMP_TZ:
      // Without the offset that DuckDB would print.
      return Plain(Plain(std::move(piece), LogicalType::TIMESTAMP),
                   LogicalType::VARCHAR);
    case LogicalTypeId::BOOLEAN:
    case LogicalTypeId::DATE:
    case LogicalTypeId::TIMESTAMP:
      return Plain(std::move(piece), LogicalType::VARCHAR);
    case LogicalTypeId::DECIMAL:
      // DuckDB writes no 0 before the point when the type has no room for it.
      return Plain(Plain(std::move(piece), LogicalType::DECIMAL(38, scale)),
                   LogicalType::VARCHAR);
    default:
      if (IsInteger(piece))
        return Plain(std::move(piece), LogicalType::VARCHAR);
  }
  Unsupported("a cast from " + NameOf(piece->return_type) +
              " to a text is not known");
}

// Spark cuts the fraction off, DuckDB rounds.
Piece ExpressionBuilder::ToInteger(Piece piece, const LogicalType& type) {
  if (IsInteger(piece) || piece->return_type.id() == LogicalTypeId::BOOLEAN) {
    return Plain(std::move(piece), type);
  }
  return Plain(Call("trunc", std::move(piece)), type);
}

Piece ExpressionBuilder::CastText(Piece piece, const LogicalType& type) {
  const auto pattern = [&](const char* accepted) {
    return Call("regexp_full_match", Copy(piece),
                Constant(Value(std::string(accepted))));
  };
  const std::string message = "a text cannot be cast to " + NameOf(type);
  piece = Call("trim", std::move(piece), Constant(Value(" ")));
  switch (type.id()) {
    case LogicalTypeId::BLOB:
      Unsupported("a cast from a text to bytes is not known");
    case LogicalTypeId::BOOLEAN: {
      Pieces cases;
      cases.push_back(pattern("(?i)t|true|y|yes|1"));
      cases.push_back(Constant(Value::BOOLEAN(true)));
      cases.push_back(pattern("(?i)f|false|n|no|0"));
      cases.push_back(Constant(Value::BOOLEAN(false)));
      cases.push_back(IsNullTest(std::move(piece)));
      cases.push_back(Constant(Value(LogicalType::BOOLEAN)));
      cases.push_back(Error(message, LogicalType::BOOLEAN));
      return Case(std::move(cases));
    }
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT: {
      // DuckDB takes 1.5 and 1e3 too.
      Piece fits = pattern("[+-]?[0-9]+");
      Piece null = IsNullTest(Copy(piece));
      return If(Or(Both(std::move(null), std::move(fits))),
                Plain(std::move(piece), type), Error(message, type));
    }
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE:
    case LogicalTypeId::DECIMAL:
    case LogicalTypeId::DATE:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
      return Plain(std::move(piece), type);
    default:
      Unsupported("a cast from a text to " + NameOf(type) + " is not known");
  }
}

Piece ExpressionBuilder::Text(Piece piece) {
  return Cast(std::move(piece), LogicalType::VARCHAR);
}
Piece ExpressionBuilder::Double(Piece piece) {
  return Cast(std::move(piece), LogicalType::DOUBLE);
}
Piece ExpressionBuilder::Int(Piece piece) {
  return Cast(std::move(piece), LogicalType::INTEGER);
}
Piece ExpressionBuilder::Boolean(Piece piece) {
  if (!IsNull(piece) && piece->return_type.id() != LogicalTypeId::BOOLEAN) {
    Invalid("a condition is wanted, not " + NameOf(piece->return_type));
  }
  return Cast(std::move(piece), LogicalType::BOOLEAN);
}
Piece ExpressionBuilder::Date(Piece piece) {
  return Cast(std::move(piece), LogicalType::DATE);
}
Piece ExpressionBuilder::Timestamp(Piece piece) {
  if (piece->return_type.id() == LogicalTypeId::TIMESTAMP) return piece;
  return Cast(std::move(piece), LogicalType::TIMESTAMP_TZ);
}

std::string ExpressionBuilder::ConstantText(const Piece& piece,
                                            const char* what) {
  if (piece->GetExpressionType() == ExpressionType::VALUE_CONSTANT) {
    const Value& value = piece->Cast<duckdb::BoundConstantExpression>().value;
    if (!value.IsNull() && value.type().id() == LogicalTypeId::VARCHAR) {
      return value.GetValue<std::string>();
    }
  }
  Unsupported(std::string(what) + " must be a constant text");
}

std::int64_t ExpressionBuilder::ConstantInteger(const Piece& piece,
                                                const char* what) {
  if (piece->GetExpressionType() == ExpressionType::VALUE_CONSTANT) {
    const Value& value = piece->Cast<duckdb::BoundConstantExpression>().value;
    if (!value.IsNull() && IsInteger(piece)) {
      return value.GetValue<std::int64_t>();
    }
  }
  Unsupported(std::string(what) + " must be a constant number");
}

// -------------------------------------------------------------- common types

LogicalType ExpressionBuilder::CommonType(const LogicalType& left,
                                          const LogicalType& right) const {
  if (left == right || right.id() == LogicalTypeId::SQLNULL) return left;
  if (left.id() == LogicalTypeId::SQLNULL) return right;
  if (left.id() == LogicalTypeId::VARCHAR) return CommonType(right, left);
  const auto is_time = [](const LogicalType& type) {
    return type.id() == LogicalTypeId::DATE ||
           type.id() == LogicalTypeId::TIMESTAMP ||
           type.id() == LogicalTypeId::TIMESTAMP_TZ;
  };
  if (right.id() == LogicalTypeId::VARCHAR) {
    if (left.IsIntegral()) return LogicalType::BIGINT;
    if (left.IsNumeric()) return LogicalType::DOUBLE;
    if (is_time(left) || left.id() == LogicalTypeId::BOOLEAN) return left;
  } else if (left.IsNumeric() && right.IsNumeric()) {
    // What a whole number has is lost in a FLOAT.
    const bool floats =
        left.id() == LogicalTypeId::FLOAT || right.id() == LogicalTypeId::FLOAT;
    if (floats) return LogicalType::DOUBLE;
    return LogicalType::MaxLogicalType(context_, left, right);
  } else if (is_time(left) && is_time(right)) {
    const bool zoned = left.id() == LogicalTypeId::TIMESTAMP_TZ ||
                       right.id() == LogicalTypeId::TIMESTAMP_TZ;
    return zoned ? LogicalType::TIMESTAMP_TZ : LogicalType::TIMESTAMP;
  }
  Unsupported("values of type " + NameOf(left) + " and " + NameOf(right) +
              " do not go together");
}

void ExpressionBuilder::Unify(Pieces& pieces) {
  LogicalType type = LogicalType::SQLNULL;
  for (const Piece& piece : pieces) {
    type = CommonType(type, piece->return_type);
  }
  for (Piece& piece : pieces) piece = Cast(std::move(piece), type);
}

Piece ExpressionBuilder::Compare(ExpressionType comparison, Piece left,
                                 Piece right) {
  Pieces pieces = Both(std::move(left), std::move(right));
  Unify(pieces);
  return duckdb::make_uniq<duckdb::BoundComparisonExpression>(
      comparison, std::move(pieces[0]), std::move(pieces[1]));
}

// --------------------------------------------------------------------- logic

Piece ExpressionBuilder::And(Pieces pieces) {
  auto made = duckdb::make_uniq<duckdb::BoundConjunctionExpression>(
      ExpressionType::CONJUNCTION_AND);
  for (Piece& piece : pieces) {
    made->children.push_back(Boolean(std::move(piece)));
  }
  return made;
}
Piece ExpressionBuilder::Or(Pieces pieces) {
  auto made = duckdb::make_uniq<duckdb::BoundConjunctionExpression>(
      ExpressionType::CONJUNCTION_OR);
  for (Piece& piece : pieces) {
    made->children.push_back(Boolean(std::move(piece)));
  }
  return made;
}
Piece ExpressionBuilder::Not(Piece piece) {
  return Operator(ExpressionType::OPERATOR_NOT, LogicalType::BOOLEAN,
                  One(Boolean(std::move(piece))));
}
Piece ExpressionBuilder::IsNullTest(Piece piece) {
  return Operator(ExpressionType::OPERATOR_IS_NULL, LogicalType::BOOLEAN,
                  One(std::move(piece)));
}
Piece ExpressionBuilder::Coalesce(Pieces pieces) {
  Unify(pieces);
  const LogicalType type = pieces.at(0)->return_type;
  return Operator(ExpressionType::OPERATOR_COALESCE, type, std::move(pieces));
}
Piece ExpressionBuilder::In(Pieces pieces) {
  Unify(pieces);
  return Operator(ExpressionType::COMPARE_IN, LogicalType::BOOLEAN,
                  std::move(pieces));
}

Piece ExpressionBuilder::Case(Pieces pieces) {
  Pieces results;
  for (std::size_t i = 1; i < pieces.size(); i += 2) {
    results.push_back(std::move(pieces[i]));
  }
  results.push_back(std::move(pieces.back()));
  Unify(results);
  auto made = duckdb::make_uniq<duckdb::BoundCaseExpression>(
      results.front()->return_type);
  for (std::size_t i = 0; i + 1 < results.size(); ++i) {
    duckdb::BoundCaseCheck check;
    check.when_expr = Boolean(std::move(pieces[2 * i]));
    check.then_expr = std::move(results[i]);
    made->case_checks.push_back(std::move(check));
  }
  made->else_expr = std::move(results.back());
  return made;
}

Piece ExpressionBuilder::If(Piece when, Piece then, Piece otherwise) {
  Pieces pieces = Both(std::move(when), std::move(then));
  pieces.push_back(std::move(otherwise));
  return Case(std::move(pieces));
}

Piece ExpressionBuilder::Error(const std::string& message,
                               const LogicalType& type) {
  return Plain(Call("error", Constant(Value(message))), type);
}

// ---------------------------------------------------------------- arithmetic

// left / right, or an error for zero; NULL / 0 is NULL.
Piece ExpressionBuilder::Divide(const char* operation, Piece left,
                                Piece right) {
  Piece zero = Compare(ExpressionType::COMPARE_EQUAL, Copy(right), Integer(0));
  Piece known = Not(IsNullTest(Copy(left)));
  Piece result = Call(operation, std::move(left), std::move(right));
  const LogicalType type = result->return_type;
  return If(And(Both(std::move(zero), std::move(known))),
            Error("a number is divided by zero", type), std::move(result));
}

// DuckDB computes the product of two small decimals in 18 digits.
Piece ExpressionBuilder::Multiply(Piece left, Piece right) {
  const LogicalType type = left->return_type;
  if (type.id() == LogicalTypeId::DECIMAL &&
      right->return_type.id() == LogicalTypeId::DECIMAL) {
    const int digits = duckdb::DecimalType::GetWidth(type);
    if (digits + duckdb::DecimalType::GetWidth(right->return_type) > 18) {
      left = Plain(
          std::move(left),
          LogicalType::DECIMAL(static_cast<std::uint8_t>(std::max(digits, 19)),
                               duckdb::DecimalType::GetScale(type)));
    }
  }
  return Call("*", std::move(left), std::move(right));
}

Piece ExpressionBuilder::Arithmetic(char operation, Piece left, Piece right) {
  for (Piece* piece : {&left, &right}) {
    if (IsNull(*piece)) *piece = Cast(std::move(*piece), LogicalType::INTEGER);
    if (!IsNumeric(*piece)) {
      Unsupported("numbers are wanted, not " + NameOf((*piece)->return_type) +
                  "; cast it");
    }
  }
  const bool decimal = left->return_type.id() == LogicalTypeId::DECIMAL ||
                       right->return_type.id() == LogicalTypeId::DECIMAL;
  const bool floating = IsFloating(left) || IsFloating(right);
  if (operation == '/') {
    if (decimal && !floating) {
      Unsupported("decimals are not divided; cast one to DOUBLE");
    }
    left = Double(std::move(left));
    right = Double(std::move(right));
  } else if (operation == 'd') {
    if (!IsInteger(left) || !IsInteger(right)) {
      Unsupported("DIV takes whole numbers");
    }
    left = Cast(std::move(left), LogicalType::BIGINT);
    right = Cast(std::move(right), LogicalType::BIGINT);
  } else if (!decimal || floating || operation == '%') {
    Pieces pieces = Both(std::move(left), std::move(right));
    Unify(pieces);
    left = std::move(pieces[0]);
    right = std::move(pieces[1]);
  }
  switch (operation) {
    case '+':
      return Call("+", std::move(left), std::move(right));
    case '-':
      return Call("-", std::move(left), std::move(right));
    case '*':
      return Multiply(std::move(left), std::move(right));
    default:
      break;
  }
  const char* name = operation == '/' ? "/" : operation == '%' ? "%" : "//";
  return Divide(name, std::move(left), std::move(right));
}

}  // namespace bayou::engine
