// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/stored_expression_binder.h"

#include <duckdb/planner/expression/bound_reference_expression.hpp>
#include <optional>
#include <string>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/expression_builder.h"
#include "kernel/engine/scalar_text.h"
#include "kernel/engine/stored_functions.h"
#include "kernel/engine/types.h"
#include "kernel/protocol/letter_case.h"

namespace bayou::engine {
namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;
using protocol::Schema;
using protocol::StoredExpression;
using protocol::TypeKind;

class Binder {
 public:
  Binder(duckdb::ClientContext& context, const Schema& schema, Clock clock)
      : builder_(context), schema_(schema), clock_(clock) {}

  Piece Bind(const StoredExpression& expression) {
    switch (expression.kind) {
      case StoredExpression::Kind::kLiteral:
        return builder_.Constant(LiteralValue(expression));
      case StoredExpression::Kind::kColumn:
        return Column(expression.path);
      case StoredExpression::Kind::kCast:
        return Cast(expression);
      case StoredExpression::Kind::kCall:
        return Call(expression);
    }
    ExpressionBuilder::Unsupported("it is of an unknown kind");
  }

  ExpressionBuilder& builder() { return builder_; }

 private:
  Value LiteralValue(const StoredExpression& literal) {
    const std::string& text = literal.text;
    switch (literal.type.kind) {
      case TypeKind::kVoid:
        return Value(LogicalType::SQLNULL);
      case TypeKind::kString:
        return Value(text);
      case TypeKind::kBinary:
        return Value::BLOB(duckdb::const_data_ptr_cast(text.data()),
                           text.size());
      case TypeKind::kBoolean:
        return Value::BOOLEAN(text == "true");
      case TypeKind::kDate:
        if (const auto date = ParseDate(text)) return Value::DATE(*date);
        break;
      case TypeKind::kTimestamp:
      case TypeKind::kTimestampNtz:
        return TimeValue(literal);
      default:
        return Value(text).CastAs(builder_.context(),
                                  ToLogicalType(literal.type));
    }
    ExpressionBuilder::Invalid("'" + text + "' is no " +
                               protocol::TypeName(literal.type));
  }

  // Without an offset, a time is that of the session's zone.
  Value TimeValue(const StoredExpression& literal) {
    const auto time = ParseTimestamp(literal.text);
    const bool zoned = literal.type.kind == TypeKind::kTimestamp;
    if (time && zoned && time->has_offset) {
      if (const auto utc = time->Utc()) {
        return Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(utc->value));
      }
    } else if (time && !time->has_offset) {
      const Value local = Value::TIMESTAMP(time->local);
      return zoned ? local.CastAs(builder_.context(), LogicalType::TIMESTAMP_TZ)
                   : local;
    }
    ExpressionBuilder::Invalid("'" + literal.text + "' is no time");
  }

  Piece Column(const std::vector<std::string>& path) {
    const protocol::Field* field = schema_.Find(path.front());
    if (field == nullptr) {
      ExpressionBuilder::Invalid("there is no column " + path.front());
    }
    const auto position =
        static_cast<duckdb::idx_t>(field - schema_.fields.data());
    Piece value = duckdb::make_uniq<duckdb::BoundReferenceExpression>(
        field->name, ToLogicalType(field->type), position);
    for (std::size_t i = 1; i < path.size(); ++i) {
      value = Field(std::move(value), path[i]);
    }
    return value;
  }

  Piece Field(Piece value, const std::string& name) {
    if (value->return_type.id() == LogicalTypeId::STRUCT) {
      for (const auto& [field, type] :
           duckdb::StructType::GetChildTypes(value->return_type)) {
        if (!protocol::EqualIgnoringCase(field, name)) continue;
        return builder_.Call("struct_extract", std::move(value),
                             builder_.Constant(Value(field)));
      }
    }
    ExpressionBuilder::Invalid("there is no field " + name);
  }

  Piece Cast(const StoredExpression& cast) {
    Piece operand = Bind(cast.arguments[0]);
    const LogicalType type = ToLogicalType(cast.type);
    if (type.id() == LogicalTypeId::BLOB &&
        operand->return_type.id() == LogicalTypeId::VARCHAR) {
      return builder_.Call("encode", std::move(operand));
    }
    return builder_.Cast(std::move(operand), type);
  }

  Piece Call(const StoredExpression& call) {
    if (call.text == ".") {
      return Field(Bind(call.arguments[0]), call.path.front());
    }
    if (const auto now = Now(call)) return builder_.Constant(*now);
    const StoredFunction* function = FindStoredFunction(call.text);
    if (function == nullptr) {
      ExpressionBuilder::Unsupported("the function " + call.text +
                                     " is not known");
    }
    if (call.arguments.size() < function->least ||
        call.arguments.size() > function->most) {
      ExpressionBuilder::Invalid("the function " + call.text +
                                 " takes another number of arguments");
    }
    Pieces arguments;
    for (const StoredExpression& argument : call.arguments) {
      arguments.push_back(Bind(argument));
    }
    return function->build(builder_, std::move(arguments));
  }

  // The time at which the session's transaction began.
  std::optional<Value> Now(const StoredExpression& call) {
    const bool date = call.text == "current_date" || call.text == "curdate";
    const bool time = call.text == "current_timestamp" || call.text == "now";
    if ((!date && !time) || !call.arguments.empty()) return std::nullopt;
    if (clock_ == Clock::kForbidden) {
      ExpressionBuilder::Unsupported(
          "the time at which it is looked at must not matter");
    }
    const auto started =
        duckdb::MetaTransaction::Get(builder_.context()).start_timestamp;
    const Value now = Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(started.value));
    return date ? now.CastAs(builder_.context(), LogicalType::DATE) : now;
  }

  ExpressionBuilder builder_;
  const Schema& schema_;
  Clock clock_;
};

Result<Piece> WithText(Result<Piece> bound,
                       const StoredExpression& expression) {
  if (bound) return bound;
  Error error = bound.error();
  error.message =
      "expression '" + protocol::SparkText(expression) + "': " + error.message;
  const bool ours = error.condition == "DELTA_EXPRESSION_UNSUPPORTED";
  if (!ours && error.code != ErrorCode::kInternal) {
    error.code = ErrorCode::kInvalidArgument;
    error.condition = "DELTA_EXPRESSION_INVALID";
  }
  return tl::unexpected(std::move(error));
}

}  // namespace

Result<Piece> BindStoredExpression(duckdb::ClientContext& context,
                                   const StoredExpression& expression,
                                   const Schema& schema, Clock clock) {
  return WithText(
      Guard([&] { return Binder(context, schema, clock).Bind(expression); }),
      expression);
}

Result<Piece> BindStoredValue(duckdb::ClientContext& context,
                              const StoredExpression& expression,
                              const Schema& schema,
                              const protocol::DataType& type, Clock clock) {
  return WithText(Guard([&] {
                    Binder binder(context, schema, clock);
                    return binder.builder().Cast(binder.Bind(expression),
                                                 ToLogicalType(type));
                  }),
                  expression);
}

}  // namespace bayou::engine
