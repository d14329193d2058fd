// SPDX-License-Identifier: Apache-2.0
//
// Builds bound expressions of DuckDB that mean what Spark means. Throws DuckDB
// exceptions (see engine::Throw): for use inside of engine::Guard.
#pragma once

#include <duckdb.hpp>
#include <duckdb/planner/expression.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kernel/protocol/schema.h"

namespace bayou::engine {

using Piece = duckdb::unique_ptr<duckdb::Expression>;
using Pieces = duckdb::vector<Piece>;

class ExpressionBuilder {
 public:
  explicit ExpressionBuilder(duckdb::ClientContext& context)
      : context_(context) {}

  [[noreturn]] static void Unsupported(const std::string& what);
  [[noreturn]] static void Invalid(const std::string& what);

  static bool IsNull(const Piece& piece);  // The constant NULL.
  static bool IsNumeric(const Piece& piece);
  static bool IsInteger(const Piece& piece);  // Of 8 to 64 bits, signed.
  static bool IsFloating(const Piece& piece);
  static bool IsText(const Piece& piece);
  static bool IsTime(const Piece& piece);  // A date or timestamp.

  Piece Constant(const duckdb::Value& value) const;
  Piece Integer(int value) const;
  // A function of DuckDB's own.
  template <typename... Arguments>
  Piece Call(const char* name, Arguments... arguments) {
    Pieces pieces;
    (pieces.push_back(std::move(arguments)), ...);
    return CallWith(name, std::move(pieces));
  }
  Piece CallWith(const char* name, Pieces arguments);

  // For arguments that a translation needs twice. Bounded: nested translations
  // could otherwise multiply without end.
  Piece Copy(const Piece& piece);

  // Spark's CAST. Unsupported where DuckDB has another text or rounding.
  Piece Cast(Piece piece, const duckdb::LogicalType& type);

  // What Spark makes of an argument where the function takes that type.
  Piece Text(Piece piece);
  Piece Double(Piece piece);
  Piece Int(Piece piece);
  Piece Boolean(Piece piece);
  Piece Date(Piece piece);
  Piece Timestamp(Piece piece);  // TIMESTAMP_NTZ stays what it is.

  // The text of a constant argument; Unsupported when it is none.
  static std::string ConstantText(const Piece& piece, const char* what);
  static std::int64_t ConstantInteger(const Piece& piece, const char* what);

  // Brings all to their common type.
  void Unify(Pieces& pieces);
  Piece Compare(duckdb::ExpressionType comparison, Piece left, Piece right);

  Piece And(Pieces pieces);
  Piece Or(Pieces pieces);
  Piece Not(Piece piece);
  Piece IsNullTest(Piece piece);
  Piece Coalesce(Pieces pieces);
  Piece In(Pieces pieces);  // The first among the others.
  // when, then, when, then, ..., else.
  Piece Case(Pieces pieces);
  Piece If(Piece when, Piece then, Piece otherwise);
  // Fails the statement when a row comes to it.
  Piece Error(const std::string& message, const duckdb::LogicalType& type);

  // + - * / % div of numbers, with Spark's types and errors.
  Piece Arithmetic(char operation, Piece left, Piece right);

  duckdb::ClientContext& context() const { return context_; }

 private:
  Piece Plain(Piece piece, const duckdb::LogicalType& type);
  Piece CastText(Piece piece, const duckdb::LogicalType& type);
  Piece ToText(Piece piece);
  Piece ToInteger(Piece piece, const duckdb::LogicalType& type);
  duckdb::LogicalType CommonType(const duckdb::LogicalType& left,
                                 const duckdb::LogicalType& right) const;
  Piece Divide(const char* operation, Piece left, Piece right);
  Piece Multiply(Piece left, Piece right);

  duckdb::ClientContext& context_;
  std::size_t copied_ = 0;  // Nodes.
};

}  // namespace bayou::engine
