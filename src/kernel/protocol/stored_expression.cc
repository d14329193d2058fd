// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/stored_expression.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernel/protocol/letter_case.h"

namespace bayou::protocol {
namespace {

// How tightly an operator binds, loosest first; the grammar of Spark.
enum Precedence {
  kOr = 1,
  kAnd,
  kNot,
  kPredicate,
  kBitOr,
  kBitXor,
  kBitAnd,
  kSum,
  kProduct,
  kSign,
  kPrimary,
};

struct Infix {
  std::string_view name;
  std::string_view written;
  Precedence precedence;
};

constexpr auto kInfixes = std::to_array<Infix>({
    {"or", "OR", kOr},
    {"and", "AND", kAnd},
    {"=", "=", kPredicate},
    {"<=>", "<=>", kPredicate},
    {"<", "<", kPredicate},
    {"<=", "<=", kPredicate},
    {">", ">", kPredicate},
    {">=", ">=", kPredicate},
    {"like", "LIKE", kPredicate},
    {"ilike", "ILIKE", kPredicate},
    {"rlike", "RLIKE", kPredicate},
    {"|", "|", kBitOr},
    {"^", "^", kBitXor},
    {"&", "&", kBitAnd},
    {"+", "+", kSum},
    {"-", "-", kSum},
    {"||", "||", kSum},
    {"*", "*", kProduct},
    {"/", "/", kProduct},
    {"%", "%", kProduct},
    {"div", "DIV", kProduct},
});

const Infix* FindInfix(const StoredExpression& call) {
  if (call.arguments.size() < 2) return nullptr;
  const auto found = std::ranges::find(kInfixes, call.text, &Infix::name);
  return found == kInfixes.end() ? nullptr : found;
}

std::string QuotedText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    // Doubled quotes mean different things to different versions of Spark.
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string HexText(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string hex = "X'";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex + "'";
}

// A plain name stays as it is, unless a reader could take it for a keyword.
std::string Identifier(std::string_view name) {
  static constexpr auto kWords = std::to_array<std::string_view>(
      {"all",          "and",          "any",          "as",
       "between",      "case",         "cast",         "collate",
       "cross",        "current_date", "current_time", "current_timestamp",
       "current_user", "date",         "default",      "distinct",
       "div",          "else",         "end",          "escape",
       "except",       "exists",       "extract",      "false",
       "filter",       "for",          "from",         "full",
       "group",        "having",       "if",           "ilike",
       "in",           "inner",        "interval",     "intersect",
       "into",         "is",           "join",         "lateral",
       "left",         "like",         "natural",      "not",
       "null",         "on",           "or",           "order",
       "outer",        "overlaps",     "position",     "regexp",
       "right",        "rlike",        "select",       "some",
       "substring",    "table",        "then",         "timestamp",
       "trim",         "true",         "try_cast",     "union",
       "unique",       "using",        "when",         "where",
       "with"});
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool plain =
      !name.empty() && is_letter(name.front()) &&
      std::ranges::all_of(
          name,
          [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); }) &&
      std::ranges::none_of(kWords, [&](std::string_view word) {
        return EqualIgnoringCase(word, name);
      });
  if (plain) return std::string(name);
  std::string quoted = "`";
  for (const char c : name) {
    if (c == '`') quoted += '`';
    quoted += c;
  }
  return quoted + "`";
}

std::string Path(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += '.';
    text += Identifier(name);
  }
  return text;
}

class SparkPrinter {
 public:
  std::string Text(const StoredExpression& expression, Precedence least) const {
    auto [text, precedence] = Written(expression);
    return precedence < least ? "(" + text + ")" : text;
  }

 private:
  using Piece = std::pair<std::string, Precedence>;

  std::string Whole(const StoredExpression& expression) const {
    return Text(expression, kOr);
  }

  Piece Written(const StoredExpression& expression) const {
    switch (expression.kind) {
      case StoredExpression::Kind::kLiteral:
        return LiteralText(expression);
      case StoredExpression::Kind::kColumn:
        return {Path(expression.path), kPrimary};
      case StoredExpression::Kind::kCast:
        return {"CAST(" + Whole(expression.arguments[0]) + " AS " +
                    Upper(TypeName(expression.type)) + ")",
                kPrimary};
      case StoredExpression::Kind::kCall:
        return Call(expression);
    }
    return {};
  }

  static std::string Upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    });
    return text;
  }

  static Piece LiteralText(const StoredExpression& literal) {
    const std::string& text = literal.text;
    const Precedence number = text.starts_with('-') ? kSign : kPrimary;
    switch (literal.type.kind) {
      case TypeKind::kVoid:
        return {"NULL", kPrimary};
      case TypeKind::kString:
        return {QuotedText(text), kPrimary};
      case TypeKind::kBinary:
        return {HexText(text), kPrimary};
      case TypeKind::kDate:
        return {"DATE " + QuotedText(text), kPrimary};
      case TypeKind::kTimestamp:
        return {"TIMESTAMP " + QuotedText(text), kPrimary};
      case TypeKind::kTimestampNtz:
        return {"TIMESTAMP_NTZ " + QuotedText(text), kPrimary};
      case TypeKind::kByte:
        return {text + "Y", number};
      case TypeKind::kShort:
        return {text + "S", number};
      case TypeKind::kLong:
        return {text + "L", number};
      case TypeKind::kFloat:
        return {text + "F", number};
      case TypeKind::kDouble:
        return {text + "D", number};
      case TypeKind::kDecimal:
        return {text.find('.') == std::string::npos ? text + "BD" : text,
                number};
      default:
        return {text, number};
    }
  }

  Piece Call(const StoredExpression& call) const {
    const auto& arguments = call.arguments;
    if (call.text == "not") return Not(arguments[0]);
    if (call.text == "is_null") return Is(arguments[0], "NULL");
    if (call.text == "is_true") return Is(arguments[0], "TRUE");
    if (call.text == "is_false") return Is(arguments[0], "FALSE");
    if (call.text == "in") return {In(call, " IN ("), kPredicate};
    if (call.text == "between") return {Between(call, " BETWEEN "), kPredicate};
    if (call.text == "case" || call.text == "case_of") return Case(call);
    if (call.text == "[]") {
      return {Text(arguments[0], kPrimary) + "[" + Whole(arguments[1]) + "]",
              kPrimary};
    }
    if (call.text == ".") {
      // A point behind a number would be the number's.
      const bool literal =
          arguments[0].kind == StoredExpression::Kind::kLiteral;
      const std::string operand = Text(arguments[0], kPrimary);
      return {(literal ? "(" + operand + ")" : operand) + "." + Path(call.path),
              kPrimary};
    }
    if (arguments.size() == 1 && (call.text == "-" || call.text == "~")) {
      // A second minus would begin a comment.
      const std::string operand = Text(arguments[0], kSign);
      const bool twice = call.text == "-" && operand.starts_with('-');
      return {call.text + (twice ? "(" + operand + ")" : operand), kSign};
    }
    if (const Infix* infix = FindInfix(call)) {
      // The operand on the right is no chain of the same level.
      const auto tighter = static_cast<Precedence>(infix->precedence + 1);
      std::string text =
          Text(arguments[0],
               infix->precedence == kPredicate ? tighter : infix->precedence);
      for (std::size_t i = 1; i < arguments.size(); ++i) {
        text += " " + std::string(infix->written) + " " +
                Text(arguments[i], tighter);
      }
      return {std::move(text), infix->precedence};
    }
    return {Upper(call.text) + "(" + List(arguments, 0) + ")", kPrimary};
  }

  Piece Not(const StoredExpression& operand) const {
    const auto& inside = operand.arguments;
    if (operand.IsCall("is_null")) return Is(inside[0], "NOT NULL");
    if (operand.IsCall("is_true")) return Is(inside[0], "NOT TRUE");
    if (operand.IsCall("is_false")) return Is(inside[0], "NOT FALSE");
    if (operand.IsCall("in")) return {In(operand, " NOT IN ("), kPredicate};
    if (operand.IsCall("between")) {
      return {Between(operand, " NOT BETWEEN "), kPredicate};
    }
    for (const auto& [name, written] :
         {std::pair{"=", " <> "}, std::pair{"like", " NOT LIKE "}}) {
      if (operand.IsCall(name)) {
        return {Text(inside[0], kBitOr) + written + Text(inside[1], kBitOr),
                kPredicate};
      }
    }
    return {"NOT " + Text(operand, kNot), kNot};
  }

  Piece Is(const StoredExpression& operand, std::string_view what) const {
    return {Text(operand, kBitOr) + " IS " + std::string(what), kPredicate};
  }

  std::string In(const StoredExpression& call, std::string_view written) const {
    return Text(call.arguments[0], kBitOr) + std::string(written) +
           List(call.arguments, 1) + ")";
  }

  std::string Between(const StoredExpression& call,
                      std::string_view written) const {
    return Text(call.arguments[0], kBitOr) + std::string(written) +
           Text(call.arguments[1], kBitOr) + " AND " +
           Text(call.arguments[2], kBitOr);
  }

  Piece Case(const StoredExpression& call) const {
    const auto& arguments = call.arguments;
    std::string text = "CASE";
    std::size_t i = 0;
    if (call.text == "case_of") text += " " + Whole(arguments[i++]);
    for (; i + 1 < arguments.size(); i += 2) {
      text +=
          " WHEN " + Whole(arguments[i]) + " THEN " + Whole(arguments[i + 1]);
    }
    return {text + " ELSE " + Whole(arguments.back()) + " END", kPrimary};
  }

  std::string List(const std::vector<StoredExpression>& items,
                   std::size_t first) const {
    std::string text;
    for (std::size_t i = first; i < items.size(); ++i) {
      text += (i > first ? ", " : "") + Whole(items[i]);
    }
    return text;
  }
};

void AddColumns(const StoredExpression& expression,
                std::vector<std::string>& names) {
  if (expression.kind == StoredExpression::Kind::kColumn) {
    const std::string& name = expression.path.front();
    const bool known =
        std::ranges::any_of(names, [&](const std::string& other) {
          return EqualIgnoringCase(other, name);
        });
    if (!known) names.push_back(name);
  }
  for (const StoredExpression& argument : expression.arguments) {
    AddColumns(argument, names);
  }
}

int DepthAbove(const std::vector<StoredExpression>& arguments) {
  int depth = 0;
  for (const StoredExpression& argument : arguments) {
    depth = std::max(depth, argument.depth);
  }
  return depth + 1;
}

}  // namespace

StoredExpression StoredExpression::Literal(TypeKind kind, std::string text) {
  StoredExpression literal;
  literal.type = DataType::Of(kind);
  literal.text = std::move(text);
  return literal;
}

StoredExpression StoredExpression::Column(std::vector<std::string> path) {
  StoredExpression column;
  column.kind = Kind::kColumn;
  column.path = std::move(path);
  return column;
}

StoredExpression StoredExpression::Call(
    std::string name, std::vector<StoredExpression> arguments) {
  StoredExpression call;
  call.kind = Kind::kCall;
  call.text = std::move(name);
  call.depth = DepthAbove(arguments);
  call.arguments = std::move(arguments);
  return call;
}

StoredExpression StoredExpression::Cast(StoredExpression operand,
                                        DataType type) {
  StoredExpression cast;
  cast.kind = Kind::kCast;
  cast.type = std::move(type);
  cast.depth = operand.depth + 1;
  cast.arguments.push_back(std::move(operand));
  return cast;
}

std::string SparkText(const StoredExpression& expression) {
  return SparkPrinter().Text(expression, kOr);
}

std::vector<std::string> ColumnsOf(const StoredExpression& expression) {
  std::vector<std::string> names;
  AddColumns(expression, names);
  return names;
}

}  // namespace bayou::protocol
