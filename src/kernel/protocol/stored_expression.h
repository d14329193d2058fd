// SPDX-License-Identifier: Apache-2.0
//
// The expressions that a table stores as text: CHECK constraints, invariants,
// generated columns and column defaults. The text is Spark SQL, written by
// anybody (threat T11), so it is parsed into this form and never handed to a
// SQL engine as text.
//
// Protocol: "CHECK Constraints", "Column Invariants", "Generated Columns",
// "Default Columns".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"

namespace bayou::protocol {

struct StoredExpression {
  enum class Kind : std::uint8_t {
    kLiteral,  // `text` of type `type`; NULL has type kVoid.
    kColumn,   // `path`: a column, or a field inside of one.
    kCall,     // `text`: a function or an operator, in lower case.
    kCast,     // arguments[0] as `type`.
  };

  Kind kind = Kind::kLiteral;
  DataType type;
  std::string text;
  std::vector<std::string> path;  // Of the call `.`: the field's name.
  std::vector<StoredExpression> arguments;
  int depth = 1;  // Levels of this and what is below.

  static StoredExpression Literal(TypeKind kind, std::string text);
  static StoredExpression Column(std::vector<std::string> path);
  static StoredExpression Call(std::string name,
                               std::vector<StoredExpression> arguments);
  static StoredExpression Cast(StoredExpression operand, DataType type);

  bool IsCall(std::string_view name) const {
    return kind == Kind::kCall && text == name;
  }
  bool IsLiteral(TypeKind of) const {
    return kind == Kind::kLiteral && type.kind == of;
  }
};

// Operators are calls named by their symbol or keyword: + - * / % div & | ^ ~
// || = <=> < <= > >= and or not is_null is_true is_false in between like ilike
// rlike [] and `.`. `<>` is not(=), IS DISTINCT FROM is not(<=>), and
// case(w1, t1, ..., else) has an ELSE always; case_of has its operand first.

enum class Spelling : std::uint8_t {
  kSpark,   // "x" is a text, \ escapes, a[0] is the first element.
  kDuckDB,  // "x" is a column, :: casts, ^ is power, a[1] is the first.
};

// Errors: kInvalidArgument, condition DELTA_EXPRESSION_INVALID, for text that
// is no expression; kUnsupported, DELTA_EXPRESSION_UNSUPPORTED, for subqueries,
// lambdas, intervals and the like, for text over 64 KiB and for nesting over
// 100. Both give the text and the place in it.
Result<StoredExpression> ParseStoredExpression(std::string_view text,
                                               Spelling spelling);

// The same in the words and the meaning of Spark, for an expression that was
// spelled for DuckDB: concat(a, b), which passes over NULL there, becomes
// concat_ws('', a, b). Names that DuckDB does not give another meaning stay.
// Errors: kUnsupported, DELTA_EXPRESSION_UNSUPPORTED.
Result<StoredExpression> InSparkWords(StoredExpression expression);

// The text to store: Spark reads it, and ParseStoredExpression reads it back.
std::string SparkText(const StoredExpression& expression);

// The columns that the expression names, top-level names in order of first use.
std::vector<std::string> ColumnsOf(const StoredExpression& expression);

}  // namespace bayou::protocol
