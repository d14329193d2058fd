// SPDX-License-Identifier: Apache-2.0
//
// DuckDB's words in Spark's: InSparkWords of stored_expression.h. Only what
// means another thing there, or has another name, is named here; whether
// Spark's word is one that Bayou keeps is kernel/engine/stored_functions.h to
// say.
#include <algorithm>
#include <array>
#include <utility>

#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/stored_expression.h"

namespace bayou::protocol {
namespace {

using Arguments = std::vector<StoredExpression>;
using Kind = StoredExpression::Kind;

tl::unexpected<Error> Unsupported(std::string message) {
  return Fail(ErrorCode::kUnsupported, "DELTA_EXPRESSION_UNSUPPORTED",
              std::move(message));
}

StoredExpression Text(std::string text) {
  return StoredExpression::Literal(TypeKind::kString, std::move(text));
}
StoredExpression Number(int value) {
  return StoredExpression::Literal(TypeKind::kInteger, std::to_string(value));
}

// Another name for the same.
struct Renaming {
  std::string_view duckdb;
  std::string_view spark;
};

constexpr auto kRenamings = std::to_array<Renaming>({
    {"array_extract", "element_at"},
    {"array_length", "size"},
    {"ceiling", "ceil"},
    {"char_length", "length"},
    {"character_length", "length"},
    {"datepart", "date_part"},
    {"datetrunc", "date_trunc"},
    {"ends_with", "endswith"},
    {"epoch_us", "unix_micros"},
    {"iff", "if"},
    {"len", "length"},
    {"list_extract", "element_at"},
    {"map_extract_value", "element_at"},
    {"pow", "power"},
    {"prefix", "startswith"},
    {"regexp_matches", "rlike"},
    {"sign", "signum"},
    {"starts_with", "startswith"},
    {"strlen", "octet_length"},
    {"strpos", "instr"},
    {"substr", "substring"},
    {"suffix", "endswith"},
    {"today", "current_date"},
    {"get_current_timestamp", "current_timestamp"},
    {"now", "current_timestamp"},
    {"transaction_timestamp", "current_timestamp"},
    {"week", "weekofyear"},
    {"xor", "^"},
});

// Functions that count from another number: name, Spark's, what to add.
struct Shift {
  std::string_view duckdb;
  std::string_view spark;
  int difference;
};
constexpr auto kShifts = std::to_array<Shift>({
    {"dayofweek", "dayofweek", -1},  // Sunday is 0, Spark's is 1.
    {"isodow", "weekday", 1},        // Monday is 1, Spark's is 0.
    {"weekday", "dayofweek", -1},
});

StoredExpression Shifted(const Shift& shift, Arguments arguments) {
  StoredExpression call =
      StoredExpression::Call(std::string(shift.spark), std::move(arguments));
  Arguments sum;
  sum.push_back(std::move(call));
  sum.push_back(Number(std::abs(shift.difference)));
  return StoredExpression::Call(shift.difference < 0 ? "-" : "+",
                                std::move(sum));
}

// date_part('year', d)
Result<StoredExpression> DatePart(Arguments arguments) {
  static constexpr auto kParts = std::to_array<Renaming>({
      {"year", "year"},
      {"quarter", "quarter"},
      {"month", "month"},
      {"week", "weekofyear"},
      {"day", "day"},
      {"doy", "dayofyear"},
      {"dayofyear", "dayofyear"},
      {"hour", "hour"},
      {"minute", "minute"},
  });
  if (arguments.size() == 2 && arguments[0].IsLiteral(TypeKind::kString)) {
    const std::string part = arguments[0].text;
    arguments.erase(arguments.begin());
    for (const auto& [name, spark] : kParts) {
      if (EqualIgnoringCase(part, name)) {
        return StoredExpression::Call(std::string(spark), std::move(arguments));
      }
    }
    for (const auto& [name, shift] :
         {std::pair{"dow", kShifts[0]}, std::pair{"dayofweek", kShifts[0]},
          std::pair{"isodow", kShifts[1]}}) {
      if (EqualIgnoringCase(part, name)) {
        return Shifted(shift, std::move(arguments));
      }
    }
  }
  return Unsupported(
      "date_part takes one of year, quarter, month, week, day, doy, dow, "
      "isodow, hour and minute as text");
}

// date_diff('day', start, end)
Result<StoredExpression> DateDifference(Arguments arguments) {
  if (arguments.size() != 3 || !arguments[0].IsLiteral(TypeKind::kString) ||
      !EqualIgnoringCase(arguments[0].text, "day")) {
    return Unsupported("date_diff is known in days alone");
  }
  Arguments dates;
  dates.push_back(std::move(arguments[2]));
  dates.push_back(std::move(arguments[1]));
  return StoredExpression::Call("datediff", std::move(dates));
}

// a[1] is the first element, in Spark a[0].
Result<StoredExpression> Subscript(Arguments arguments) {
  StoredExpression& index = arguments[1];
  if (index.IsLiteral(TypeKind::kInteger) && !index.text.starts_with('-') &&
      index.text != "0") {
    index.text = std::to_string(std::stoi(index.text) - 1);
    return StoredExpression::Call("[]", std::move(arguments));
  }
  if (index.kind == Kind::kLiteral && index.type.kind != TypeKind::kString) {
    return Unsupported("an element is chosen by a number from 1 on");
  }
  return StoredExpression::Call("element_at", std::move(arguments));
}

Result<StoredExpression> FullMatch(Arguments arguments) {
  if (arguments.size() != 2 || !arguments[1].IsLiteral(TypeKind::kString)) {
    return Unsupported("a regular expression must be a constant text");
  }
  arguments[1].text = "^(?:" + arguments[1].text + ")$";
  return StoredExpression::Call("rlike", std::move(arguments));
}

Result<StoredExpression> FieldOf(Arguments arguments) {
  if (arguments.size() != 2 || !arguments[1].IsLiteral(TypeKind::kString)) {
    return Unsupported("struct_extract takes the name of a field as text");
  }
  StoredExpression field = StoredExpression::Call(".", {});
  field.path = {arguments[1].text};
  arguments.pop_back();
  field.depth = arguments[0].depth + 1;
  field.arguments = std::move(arguments);
  return field;
}

// strftime(t, '%Y-%m') is date_format(t, 'yyyy-MM').
Result<StoredExpression> Formatted(Arguments arguments) {
  static constexpr auto kFields =
      std::to_array<std::pair<char, const char*>>({{'Y', "yyyy"},
                                                   {'m', "MM"},
                                                   {'d', "dd"},
                                                   {'H', "HH"},
                                                   {'M', "mm"},
                                                   {'S', "ss"}});
  if (arguments.size() != 2 || !arguments[1].IsLiteral(TypeKind::kString)) {
    return Unsupported("strftime takes its format as a constant text");
  }
  std::string spark;
  const std::string& format = arguments[1].text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    const bool letter = (c | 32) >= 'a' && (c | 32) <= 'z';
    if (letter || c == '\'' || static_cast<unsigned char>(c) >= 0x80) {
      return Unsupported("a letter in the format of strftime is not known");
    }
    if (c != '%') {
      spark += c;
      continue;
    }
    const char field = ++i < format.size() ? format[i] : '\0';
    const auto found =
        std::ranges::find(kFields, field, &std::pair<char, const char*>::first);
    if (found == kFields.end()) {
      return Unsupported("strftime is known with %Y %m %d %H %M %S alone");
    }
    spark += found->second;
  }
  arguments[1].text = spark;
  return StoredExpression::Call("date_format", std::move(arguments));
}

Result<StoredExpression> InWords(std::string name, Arguments arguments) {
  if (name == "concat") {  // It passes over NULL.
    arguments.insert(arguments.begin(), Text(""));
    return StoredExpression::Call("concat_ws", std::move(arguments));
  }
  if (name == "date_part") return DatePart(std::move(arguments));
  if (name == "date_diff" || name == "datediff") {
    if (arguments.size() == 3) return DateDifference(std::move(arguments));
  }
  if (name == "[]") return Subscript(std::move(arguments));
  if (name == "regexp_full_match") return FullMatch(std::move(arguments));
  if (name == "struct_extract") return FieldOf(std::move(arguments));
  if (name == "strftime") return Formatted(std::move(arguments));
  for (const Shift& shift : kShifts) {
    if (name == shift.duckdb) return Shifted(shift, std::move(arguments));
  }
  const auto renaming = std::ranges::find(kRenamings, name, &Renaming::duckdb);
  if (renaming != kRenamings.end()) name = renaming->spark;
  return StoredExpression::Call(std::move(name), std::move(arguments));
}

}  // namespace

Result<StoredExpression> InSparkWords(StoredExpression expression) {
  Arguments arguments;
  for (StoredExpression& argument : expression.arguments) {
    BAYOU_ASSIGN(StoredExpression translated,
                 InSparkWords(std::move(argument)));
    arguments.push_back(std::move(translated));
  }
  if (expression.kind == Kind::kCast) {
    return StoredExpression::Cast(std::move(arguments[0]),
                                  std::move(expression.type));
  }
  if (expression.kind == Kind::kCall && expression.text != ".") {
    return InWords(std::move(expression.text), std::move(arguments));
  }
  expression.arguments = std::move(arguments);
  return expression;
}

}  // namespace bayou::protocol
