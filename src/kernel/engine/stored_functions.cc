// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/stored_functions.h"

#include <algorithm>
#include <array>
#include <duckdb/planner/expression/bound_constant_expression.hpp>
#include <optional>
#include <string>

#include "kernel/protocol/letter_case.h"

namespace bayou::engine {
namespace {

using Builder = ExpressionBuilder;
using duckdb::ExpressionType;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;
using protocol::EqualIgnoringCase;

constexpr std::size_t kMany = 1000;
constexpr std::int64_t kMaxPadding = 65536;

Pieces Two(Piece first, Piece second) {
  Pieces pieces;
  pieces.push_back(std::move(first));
  pieces.push_back(std::move(second));
  return pieces;
}

// ------------------------------------------------------- kinds of translation

// The function has the same name and meaning in DuckDB, for ...
template <const char* kName>
Piece OnTexts(Builder& b, Pieces a) {
  for (Piece& piece : a) piece = b.Text(std::move(piece));
  return b.CallWith(kName, std::move(a));
}
template <const char* kName>
Piece OnDoubles(Builder& b, Pieces a) {
  for (Piece& piece : a) piece = b.Double(std::move(piece));
  return b.CallWith(kName, std::move(a));
}
template <const char* kName>
Piece OnDate(Builder& b, Pieces a) {
  return b.Int(b.Call(kName, b.Date(std::move(a[0]))));
}
template <const char* kName>
Piece OnTimestamp(Builder& b, Pieces a) {
  return b.Int(b.Call(kName, b.Timestamp(std::move(a[0]))));
}
template <ExpressionType kType>
Piece Comparison(Builder& b, Pieces a) {
  return b.Compare(kType, std::move(a[0]), std::move(a[1]));
}
template <char kOperation>
Piece Arithmetic(Builder& b, Pieces a) {
  return b.Arithmetic(kOperation, std::move(a[0]), std::move(a[1]));
}
template <const char* kName>
Piece OnBits(Builder& b, Pieces a) {
  for (const Piece& piece : a) {
    if (!Builder::IsInteger(piece)) {
      Builder::Unsupported("bits are those of whole numbers");
    }
  }
  b.Unify(a);
  return b.CallWith(kName, std::move(a));
}
template <LogicalTypeId kId>
Piece AsType(Builder& b, Pieces a) {
  return b.Cast(std::move(a[0]), LogicalType(kId));
}

#define NAME(id, text) constexpr char k##id[] = text
NAME(Contains, "contains");
NAME(StartsWith, "starts_with");
NAME(EndsWith, "ends_with");
NAME(Md5, "md5");
NAME(Sqrt, "sqrt");
NAME(Cbrt, "cbrt");
NAME(Exp, "exp");
NAME(Ln, "ln");
NAME(Log10, "log10");
NAME(Log2, "log2");
NAME(Pow, "pow");
NAME(Year, "year");
NAME(Quarter, "quarter");
NAME(Month, "month");
NAME(Day, "day");
NAME(DayOfYear, "dayofyear");
NAME(Week, "weekofyear");
NAME(Hour, "hour");
NAME(Minute, "minute");
NAME(Second, "second");
NAME(BitAnd, "&");
NAME(BitOr, "|");
NAME(BitXor, "xor");
NAME(BitNot, "~");
#undef NAME

// ----------------------------------------------------------------- arithmetic

// date + days
Piece AddDays(Builder& b, Piece date, Piece days, const char* operation) {
  if (Builder::IsFloating(days) ||
      days->return_type.id() == LogicalTypeId::DECIMAL) {
    Builder::Unsupported("days are whole numbers");
  }
  return b.Call(operation, b.Date(std::move(date)), b.Int(std::move(days)));
}

Piece Plus(Builder& b, Pieces a) {
  if (Builder::IsTime(a[0]) && Builder::IsInteger(a[1])) {
    return AddDays(b, std::move(a[0]), std::move(a[1]), "+");
  }
  return b.Arithmetic('+', std::move(a[0]), std::move(a[1]));
}

Piece Minus(Builder& b, Pieces a) {
  if (a.size() == 1) {
    if (!Builder::IsNumeric(a[0])) Builder::Unsupported("- takes numbers");
    return b.Call("-", std::move(a[0]));
  }
  if (Builder::IsTime(a[0]) && Builder::IsInteger(a[1])) {
    return AddDays(b, std::move(a[0]), std::move(a[1]), "-");
  }
  return b.Arithmetic('-', std::move(a[0]), std::move(a[1]));
}

Piece Abs(Builder& b, Pieces a) {
  if (!Builder::IsNumeric(a[0])) a[0] = b.Double(std::move(a[0]));
  return b.Call("abs", std::move(a[0]));
}

// A double becomes a BIGINT, a whole number stays one.
template <bool kUp>
Piece Whole(Builder& b, Pieces a) {
  if (Builder::IsInteger(a[0])) {
    return b.Cast(std::move(a[0]), LogicalType::BIGINT);
  }
  const bool decimal = a[0]->return_type.id() == LogicalTypeId::DECIMAL;
  if (!decimal) a[0] = b.Double(std::move(a[0]));
  Piece whole = b.Call(kUp ? "ceil" : "floor", std::move(a[0]));
  return decimal ? std::move(whole)
                 : b.Cast(std::move(whole), LogicalType::BIGINT);
}

Piece Round(Builder& b, Pieces a) {
  std::int64_t digits = 0;
  if (a.size() == 2) {
    digits = Builder::ConstantInteger(a[1], "the digits of round");
  }
  if (digits < 0 || digits > 38) {
    Builder::Unsupported("round takes 0 to 38 digits");
  }
  if (Builder::IsInteger(a[0])) return std::move(a[0]);
  if (!Builder::IsNumeric(a[0])) a[0] = b.Double(std::move(a[0]));
  return b.Call("round", std::move(a[0]), b.Integer(static_cast<int>(digits)));
}

Piece Signum(Builder& b, Pieces a) {
  return b.Double(b.Call("sign", b.Double(std::move(a[0]))));
}

// The remainder that is never negative.
Piece PositiveModulo(Builder& b, Pieces a) {
  b.Unify(a);
  Piece divisor = b.Copy(a[1]);
  Piece rest = b.Arithmetic('%', std::move(a[0]), std::move(a[1]));
  Piece negative =
      b.Compare(ExpressionType::COMPARE_LESSTHAN, b.Copy(rest), b.Integer(0));
  Piece sum = b.Arithmetic('+', b.Copy(rest), b.Copy(divisor));
  return b.If(std::move(negative),
              b.Arithmetic('%', std::move(sum), std::move(divisor)),
              std::move(rest));
}

template <bool kGreatest>
Piece Extreme(Builder& b, Pieces a) {
  b.Unify(a);
  return b.CallWith(kGreatest ? "greatest" : "least", std::move(a));
}

Piece IsNan(Builder& b, Pieces a) {
  return b.Coalesce(Two(b.Call("isnan", b.Double(std::move(a[0]))),
                        b.Constant(Value::BOOLEAN(false))));
}

// ---------------------------------------------------------------------- logic

Piece And(Builder& b, Pieces a) { return b.And(std::move(a)); }
Piece Or(Builder& b, Pieces a) { return b.Or(std::move(a)); }
Piece Not(Builder& b, Pieces a) { return b.Not(std::move(a[0])); }
Piece IsNull(Builder& b, Pieces a) { return b.IsNullTest(std::move(a[0])); }
Piece IsNotNull(Builder& b, Pieces a) {
  return b.Not(b.IsNullTest(std::move(a[0])));
}
template <bool kTruth>
Piece IsTruth(Builder& b, Pieces a) {
  return b.Compare(ExpressionType::COMPARE_NOT_DISTINCT_FROM,
                   b.Boolean(std::move(a[0])),
                   b.Constant(Value::BOOLEAN(kTruth)));
}
Piece In(Builder& b, Pieces a) { return b.In(std::move(a)); }

Piece Between(Builder& b, Pieces a) {
  Piece least = b.Compare(ExpressionType::COMPARE_GREATERTHANOREQUALTO,
                          b.Copy(a[0]), std::move(a[1]));
  Piece most = b.Compare(ExpressionType::COMPARE_LESSTHANOREQUALTO,
                         std::move(a[0]), std::move(a[2]));
  return b.And(Two(std::move(least), std::move(most)));
}

Piece Case(Builder& b, Pieces a) { return b.Case(std::move(a)); }

Piece CaseOf(Builder& b, Pieces a) {
  Pieces cases;
  for (std::size_t i = 1; i + 1 < a.size(); i += 2) {
    cases.push_back(b.Compare(ExpressionType::COMPARE_EQUAL, b.Copy(a[0]),
                              std::move(a[i])));
    cases.push_back(std::move(a[i + 1]));
  }
  cases.push_back(std::move(a.back()));
  return b.Case(std::move(cases));
}

Piece If(Builder& b, Pieces a) {
  return b.If(std::move(a[0]), std::move(a[1]), std::move(a[2]));
}
Piece Coalesce(Builder& b, Pieces a) { return b.Coalesce(std::move(a)); }
Piece Nvl2(Builder& b, Pieces a) {
  return b.If(b.IsNullTest(std::move(a[0])), std::move(a[2]), std::move(a[1]));
}
Piece NullIf(Builder& b, Pieces a) {
  Piece equal =
      b.Compare(ExpressionType::COMPARE_EQUAL, b.Copy(a[0]), std::move(a[1]));
  const LogicalType type = a[0]->return_type;
  return b.If(std::move(equal), b.Constant(Value(type)), std::move(a[0]));
}

// ---------------------------------------------------------------------- texts

Piece Length(Builder& b, Pieces a) {
  if (a[0]->return_type.id() == LogicalTypeId::BLOB) {
    return b.Int(b.Call("octet_length", std::move(a[0])));
  }
  return b.Int(b.Call("length", b.Text(std::move(a[0]))));
}
Piece OctetLength(Builder& b, Pieces a) {
  if (a[0]->return_type.id() == LogicalTypeId::BLOB) {
    return b.Int(b.Call("octet_length", std::move(a[0])));
  }
  return b.Int(b.Call("strlen", b.Text(std::move(a[0]))));
}

// Letters whose other case is not one letter, or depends on what is around it,
// are those that DuckDB leaves alone.
constexpr char kSpecialLower[] = "[\\x{130}\\x{3A3}]";
constexpr char kSpecialUpper[] =
    "[\\x{149}\\x{1F0}\\x{390}\\x{3B0}\\x{587}\\x{1E96}-\\x{1E9A}"
    "\\x{1F50}-\\x{1F56}\\x{1F80}-\\x{1FFC}\\x{FB00}-\\x{FB17}]";

Piece InCase(Builder& b, const char* function, const char* special,
             Piece text) {
  Piece unknown =
      b.Call("regexp_matches", b.Copy(text), b.Constant(Value(special)));
  return b.If(std::move(unknown),
              b.Error("the text has a letter whose case has its own rules",
                      LogicalType::VARCHAR),
              b.Call(function, std::move(text)));
}
Piece Lower(Builder& b, Pieces a) {
  return InCase(b, "lower", kSpecialLower, b.Text(std::move(a[0])));
}
Piece Upper(Builder& b, Pieces a) {
  Piece text = b.Call("replace", b.Text(std::move(a[0])),
                      b.Constant(Value("\u00df")), b.Constant(Value("ss")));
  return InCase(b, "upper", kSpecialUpper, std::move(text));
}

// Spaces alone; DuckDB's trim() of one argument takes other blanks too.
template <const char* kName>
Piece Trim(Builder& b, Pieces a) {
  return b.Call(kName, b.Text(std::move(a[0])), b.Constant(Value(" ")));
}
constexpr char kTrim[] = "trim";
constexpr char kLeftTrim[] = "ltrim";
constexpr char kRightTrim[] = "rtrim";

Piece NotBelowZero(Builder& b, Piece number) {
  return b.Call("greatest", std::move(number), b.Constant(Value::BIGINT(0)));
}
Piece Long(Builder& b, Piece number) {
  return b.Cast(std::move(number), LogicalType::BIGINT);
}

Piece Substring(Builder& b, Pieces a) {
  const std::int64_t position =
      Builder::ConstantInteger(a[1], "the position in substring");
  Piece text = b.Text(std::move(a[0]));
  std::optional<Piece> length;
  if (a.size() == 3) length = Long(b, b.Int(std::move(a[2])));
  if (position >= 0) {
    Piece begin =
        b.Constant(Value::BIGINT(std::max<std::int64_t>(position, 1)));
    if (!length) return b.Call("substring", std::move(text), std::move(begin));
    return b.Call("substring", std::move(text), std::move(begin),
                  NotBelowZero(b, *std::move(length)));
  }
  // From the end; what lies before the text's beginning counts.
  Piece begin = b.Call("+", b.Call("length", b.Copy(text)),
                       b.Constant(Value::BIGINT(position)));
  Piece first =
      b.Call("+", NotBelowZero(b, b.Copy(begin)), b.Constant(Value::BIGINT(1)));
  if (!length) return b.Call("substring", std::move(text), std::move(first));
  Piece end = b.Call("+", b.Copy(begin), *std::move(length));
  Piece count = b.Call("-", std::move(end), NotBelowZero(b, std::move(begin)));
  return b.Call("substring", std::move(text), std::move(first),
                NotBelowZero(b, std::move(count)));
}

Piece Left(Builder& b, Pieces a) {
  return b.Call("substring", b.Text(std::move(a[0])),
                b.Constant(Value::BIGINT(1)),
                NotBelowZero(b, Long(b, b.Int(std::move(a[1])))));
}
Piece Right(Builder& b, Pieces a) {
  return b.Call("right", b.Text(std::move(a[0])),
                NotBelowZero(b, Long(b, b.Int(std::move(a[1])))));
}

// NULL if any is.
Piece Concat(Builder& b, Pieces a) {
  if (a.empty()) return b.Constant(Value(""));
  Piece text = b.Text(std::move(a[0]));
  for (std::size_t i = 1; i < a.size(); ++i) {
    text = b.Text(b.Call("||", std::move(text), b.Text(std::move(a[i]))));
  }
  return text;
}
Piece ConcatWithSeparator(Builder& b, Pieces a) {
  for (Piece& piece : a) piece = b.Text(std::move(piece));
  if (a.size() == 1) a.push_back(b.Constant(Value("")));
  return b.CallWith("concat_ws", std::move(a));
}

// What is put in is no longer than what it replaces: a text that grows, and is
// replaced again and again, would fill the memory.
Piece Replace(Builder& b, Pieces a) {
  const std::string search =
      Builder::ConstantText(a[1], "what replace looks for");
  const std::string with =
      a.size() == 3 ? Builder::ConstantText(a[2], "what replace puts in") : "";
  if (search.empty() || with.size() > search.size()) {
    Builder::Unsupported("replace puts in nothing longer than it takes out");
  }
  return b.Call("replace", b.Text(std::move(a[0])), b.Constant(Value(search)),
                b.Constant(Value(with)));
}
Piece Translate(Builder& b, Pieces a) {
  Builder::ConstantText(a[1], "what translate looks for");
  Builder::ConstantText(a[2], "what translate puts in");
  return b.Call("translate", b.Text(std::move(a[0])), std::move(a[1]),
                std::move(a[2]));
}

Piece InText(Builder& b, Pieces a) {
  return b.Int(
      b.Call("instr", b.Text(std::move(a[0])), b.Text(std::move(a[1]))));
}
Piece Locate(Builder& b, Pieces a) {
  std::swap(a[0], a[1]);
  return InText(b, std::move(a));
}

template <bool kLeft>
Piece Pad(Builder& b, Pieces a) {
  const std::int64_t size = Builder::ConstantInteger(a[1], "a padded length");
  const std::string with =
      a.size() == 3 ? Builder::ConstantText(a[2], "a padding") : " ";
  if (size < 0 || size > kMaxPadding || with.empty()) {
    Builder::Unsupported("a text is padded to at most 65536 characters");
  }
  return b.Call(kLeft ? "lpad" : "rpad", b.Text(std::move(a[0])),
                b.Integer(static_cast<int>(size)), b.Constant(Value(with)));
}

template <bool kAnyCase>
Piece Like(Builder& b, Pieces a) {
  return b.Call(kAnyCase ? "ilike_escape" : "like_escape",
                b.Text(std::move(a[0])), b.Text(std::move(a[1])),
                b.Constant(Value("\\")));
}

Piece RegexpLike(Builder& b, Pieces a) {
  Builder::ConstantText(a[1], "a regular expression");
  return b.Call("regexp_matches", b.Text(std::move(a[0])), std::move(a[1]));
}

Piece Sha2(Builder& b, Pieces a) {
  const std::int64_t bits = Builder::ConstantInteger(a[1], "the bits of sha2");
  if (bits != 256 && bits != 0) {
    Builder::Unsupported("sha2 is known with 256 bits alone");
  }
  return b.Call("sha256", b.Text(std::move(a[0])));
}

// ---------------------------------------------------------- dates and times

Piece DayOfWeek(Builder& b, Pieces a) {  // Sunday is 1.
  return b.Int(b.Call("+", b.Call("dayofweek", b.Date(std::move(a[0]))),
                      b.Constant(Value::BIGINT(1))));
}
Piece WeekDay(Builder& b, Pieces a) {  // Monday is 0.
  return b.Int(b.Call("-", b.Call("isodow", b.Date(std::move(a[0]))),
                      b.Constant(Value::BIGINT(1))));
}

Piece DateAdd(Builder& b, Pieces a) {
  return AddDays(b, std::move(a[0]), std::move(a[1]), "+");
}
Piece DateSub(Builder& b, Pieces a) {
  return AddDays(b, std::move(a[0]), std::move(a[1]), "-");
}
Piece DateDiff(Builder& b, Pieces a) {
  return b.Int(b.Call("-", b.Date(std::move(a[0])), b.Date(std::move(a[1]))));
}
Piece AddMonths(Builder& b, Pieces a) {
  Piece months = b.Call("to_months", b.Int(std::move(a[1])));
  return b.Date(b.Call("+", b.Date(std::move(a[0])), std::move(months)));
}
Piece LastDay(Builder& b, Pieces a) {
  return b.Date(b.Call("last_day", b.Date(std::move(a[0]))));
}
Piece MakeDate(Builder& b, Pieces a) {
  for (Piece& piece : a) piece = Long(b, b.Int(std::move(piece)));
  return b.CallWith("make_date", std::move(a));
}

// Spark's names of a part of a date; nullptr for what is none.
const char* Part(const std::string& name, bool of_time) {
  struct Names {
    std::string_view spark;
    const char* duckdb;
    bool time;
  };
  static constexpr auto kParts = std::to_array<Names>({
      {"year", "year", false},
      {"yyyy", "year", false},
      {"yy", "year", false},
      {"quarter", "quarter", false},
      {"month", "month", false},
      {"mon", "month", false},
      {"mm", "month", false},
      {"week", "week", false},
      {"day", "day", true},
      {"dd", "day", true},
      {"hour", "hour", true},
      {"minute", "minute", true},
      {"second", "second", true},
  });
  for (const Names& part : kParts) {
    if (EqualIgnoringCase(part.spark, name) && (of_time || !part.time)) {
      return part.duckdb;
    }
  }
  Builder::Unsupported("the part '" + name + "' of a date is not known");
}

Piece TruncateDate(Builder& b, Pieces a) {
  const char* part =
      Part(Builder::ConstantText(a[1], "a part of dates"), false);
  return b.Date(
      b.Call("date_trunc", b.Constant(Value(part)), b.Date(std::move(a[0]))));
}
Piece TruncateTime(Builder& b, Pieces a) {
  const char* part = Part(Builder::ConstantText(a[0], "a part of dates"), true);
  return b.Call("date_trunc", b.Constant(Value(part)),
                b.Cast(std::move(a[1]), LogicalType::TIMESTAMP_TZ));
}

Piece DatePart(Builder& b, Pieces a) {
  struct Names {
    std::string_view spark;
    const char* function;
  };
  static constexpr auto kParts = std::to_array<Names>({
      {"year", "year"},
      {"y", "year"},
      {"quarter", "quarter"},
      {"qtr", "quarter"},
      {"month", "month"},
      {"mon", "month"},
      {"week", "weekofyear"},
      {"w", "weekofyear"},
      {"day", "day"},
      {"d", "day"},
      {"doy", "dayofyear"},
      {"dayofweek", "dayofweek"},
      {"dow", "dayofweek"},
      {"hour", "hour"},
      {"h", "hour"},
      {"minute", "minute"},
  });
  const std::string name = Builder::ConstantText(a[0], "a part of dates");
  for (const Names& part : kParts) {
    if (!EqualIgnoringCase(part.spark, name)) continue;
    Pieces argument;
    argument.push_back(std::move(a[1]));
    return FindStoredFunction(part.function)->build(b, std::move(argument));
  }
  Builder::Unsupported("the part '" + name + "' of a date is not known");
}

// Java's patterns of fixed width as strftime's.
std::string TimeFormat(const std::string& pattern) {
  static constexpr auto kFields =
      std::to_array<std::pair<std::string_view, const char*>>({{"yyyy", "%Y"},
                                                               {"MM", "%m"},
                                                               {"dd", "%d"},
                                                               {"HH", "%H"},
                                                               {"mm", "%M"},
                                                               {"ss", "%S"}});
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::string format;
  for (std::size_t i = 0; i < pattern.size();) {
    const char c = pattern[i];
    std::size_t end = i + 1;
    if (!is_letter(c)) {
      if (c == '\'' || c == '[' || c == ']' || c == '#' || c == '%' ||
          c == '{' || c == '}') {
        Builder::Unsupported("the date format '" + pattern + "' is not known");
      }
      format += c;
      i = end;
      continue;
    }
    while (end < pattern.size() && pattern[end] == c) ++end;
    const auto field =
        std::ranges::find(kFields, std::string_view(pattern).substr(i, end - i),
                          &std::pair<std::string_view, const char*>::first);
    if (field == kFields.end()) {
      Builder::Unsupported("the date format '" + pattern + "' is not known");
    }
    format += field->second;
    i = end;
  }
  return format;
}

Piece FormatTime(Builder& b, Pieces a) {
  const std::string format =
      TimeFormat(Builder::ConstantText(a[1], "a date format"));
  Piece time = b.Timestamp(std::move(a[0]));
  return b.Call("strftime", b.Cast(std::move(time), LogicalType::TIMESTAMP),
                b.Constant(Value(format)));
}

Piece ToDate(Builder& b, Pieces a) {
  if (a.size() == 1) return b.Date(std::move(a[0]));
  if (!Builder::IsText(a[0])) {
    Builder::Unsupported("to_date with a format takes a text");
  }
  const std::string format =
      TimeFormat(Builder::ConstantText(a[1], "a date format"));
  return b.Date(b.Call("strptime", std::move(a[0]), b.Constant(Value(format))));
}

Piece Micros(Builder& b, Pieces a) {
  return b.Call("epoch_us", b.Cast(std::move(a[0]), LogicalType::TIMESTAMP_TZ));
}

// ---------------------------------------------------------- nested values

Piece Size(Builder& b, Pieces a) {
  const LogicalTypeId id = a[0]->return_type.id();
  if (id == LogicalTypeId::LIST) return b.Int(b.Call("len", std::move(a[0])));
  if (id == LogicalTypeId::MAP) {
    return b.Int(b.Call("len", b.Call("map_keys", std::move(a[0]))));
  }
  Builder::Unsupported("size takes an array or a map");
}

// The value of a key, NULL when it is not there.
Piece OfKey(Builder& b, Piece map, Piece key) {
  const LogicalType type = duckdb::MapType::KeyType(map->return_type);
  return b.Call("map_extract_value", std::move(map),
                b.Cast(std::move(key), type));
}

// `first` is the index of the first element. Other indexes are errors.
Piece OfIndex(Builder& b, Piece list, Piece index, int first) {
  if (!Builder::IsInteger(index)) {
    Builder::Unsupported("an element is chosen by a whole number");
  }
  const LogicalType type = duckdb::ListType::GetChildType(list->return_type);
  index = b.Call("-", Long(b, std::move(index)),
                 b.Constant(Value::BIGINT(first - 1)));
  Piece low =
      b.Compare(ExpressionType::COMPARE_LESSTHAN, b.Copy(index), b.Integer(1));
  Piece high = b.Compare(ExpressionType::COMPARE_GREATERTHAN, b.Copy(index),
                         b.Call("len", b.Copy(list)));
  return b.If(b.Or(Two(std::move(low), std::move(high))),
              b.Error("an array has no element of that index", type),
              b.Call("list_extract", std::move(list), std::move(index)));
}

template <int kFirst>
Piece Element(Builder& b, Pieces a) {
  switch (a[0]->return_type.id()) {
    case LogicalTypeId::MAP:
      return OfKey(b, std::move(a[0]), std::move(a[1]));
    case LogicalTypeId::LIST:
      return OfIndex(b, std::move(a[0]), std::move(a[1]), kFirst);
    default:
      Builder::Unsupported("an element is that of an array or a map");
  }
}

// ------------------------------------------------------------------ the table

constexpr auto kFunctions = std::to_array<StoredFunction>({
    // clang-format off
    {"+", 2, 2, Plus},
    {"-", 1, 2, Minus},
    {"*", 2, 2, Arithmetic<'*'>},
    {"/", 2, 2, Arithmetic<'/'>},
    {"%", 2, 2, Arithmetic<'%'>},
    {"mod", 2, 2, Arithmetic<'%'>},
    {"div", 2, 2, Arithmetic<'d'>},
    {"pmod", 2, 2, PositiveModulo},
    {"&", 2, 2, OnBits<kBitAnd>},
    {"|", 2, 2, OnBits<kBitOr>},
    {"^", 2, 2, OnBits<kBitXor>},
    {"~", 1, 1, OnBits<kBitNot>},
    {"abs", 1, 1, Abs},
    {"ceil", 1, 1, Whole<true>},
    {"ceiling", 1, 1, Whole<true>},
    {"floor", 1, 1, Whole<false>},
    {"round", 1, 2, Round},
    {"sign", 1, 1, Signum},
    {"signum", 1, 1, Signum},
    {"sqrt", 1, 1, OnDoubles<kSqrt>},
    {"cbrt", 1, 1, OnDoubles<kCbrt>},
    {"exp", 1, 1, OnDoubles<kExp>},
    {"ln", 1, 1, OnDoubles<kLn>},
    {"log10", 1, 1, OnDoubles<kLog10>},
    {"log2", 1, 1, OnDoubles<kLog2>},
    {"pow", 2, 2, OnDoubles<kPow>},
    {"power", 2, 2, OnDoubles<kPow>},
    {"greatest", 2, kMany, Extreme<true>},
    {"least", 2, kMany, Extreme<false>},
    {"isnan", 1, 1, IsNan},

    {"=", 2, 2, Comparison<ExpressionType::COMPARE_EQUAL>},
    {"<", 2, 2, Comparison<ExpressionType::COMPARE_LESSTHAN>},
    {"<=", 2, 2, Comparison<ExpressionType::COMPARE_LESSTHANOREQUALTO>},
    {">", 2, 2, Comparison<ExpressionType::COMPARE_GREATERTHAN>},
    {">=", 2, 2, Comparison<ExpressionType::COMPARE_GREATERTHANOREQUALTO>},
    {"<=>", 2, 2, Comparison<ExpressionType::COMPARE_NOT_DISTINCT_FROM>},
    {"and", 2, kMany * 100, And},
    {"or", 2, kMany * 100, Or},
    {"not", 1, 1, Not},
    {"is_null", 1, 1, IsNull},
    {"isnull", 1, 1, IsNull},
    {"isnotnull", 1, 1, IsNotNull},
    {"is_true", 1, 1, IsTruth<true>},
    {"is_false", 1, 1, IsTruth<false>},
    {"in", 2, kMany * 100, In},
    {"between", 3, 3, Between},
    {"case", 3, kMany * 10, Case},
    {"case_of", 4, kMany * 10, CaseOf},
    {"if", 3, 3, If},
    {"coalesce", 1, kMany, Coalesce},
    {"ifnull", 2, 2, Coalesce},
    {"nvl", 2, 2, Coalesce},
    {"nvl2", 3, 3, Nvl2},
    {"nullif", 2, 2, NullIf},

    {"||", 2, 2, Concat},
    {"concat", 0, kMany, Concat},
    {"concat_ws", 1, kMany, ConcatWithSeparator},
    {"length", 1, 1, Length},
    {"len", 1, 1, Length},
    {"char_length", 1, 1, Length},
    {"character_length", 1, 1, Length},
    {"octet_length", 1, 1, OctetLength},
    {"lower", 1, 1, Lower},
    {"lcase", 1, 1, Lower},
    {"upper", 1, 1, Upper},
    {"ucase", 1, 1, Upper},
    {"trim", 1, 1, Trim<kTrim>},
    {"btrim", 1, 1, Trim<kTrim>},
    {"ltrim", 1, 1, Trim<kLeftTrim>},
    {"rtrim", 1, 1, Trim<kRightTrim>},
    {"substring", 2, 3, Substring},
    {"substr", 2, 3, Substring},
    {"left", 2, 2, Left},
    {"right", 2, 2, Right},
    {"replace", 2, 3, Replace},
    {"translate", 3, 3, Translate},
    {"instr", 2, 2, InText},
    {"locate", 2, 2, Locate},
    {"position", 2, 2, Locate},
    {"contains", 2, 2, OnTexts<kContains>},
    {"startswith", 2, 2, OnTexts<kStartsWith>},
    {"endswith", 2, 2, OnTexts<kEndsWith>},
    {"lpad", 2, 3, Pad<true>},
    {"rpad", 2, 3, Pad<false>},
    {"like", 2, 2, Like<false>},
    {"ilike", 2, 2, Like<true>},
    {"rlike", 2, 2, RegexpLike},
    {"regexp", 2, 2, RegexpLike},
    {"regexp_like", 2, 2, RegexpLike},
    {"md5", 1, 1, OnTexts<kMd5>},
    {"sha2", 2, 2, Sha2},

    {"year", 1, 1, OnDate<kYear>},
    {"quarter", 1, 1, OnDate<kQuarter>},
    {"month", 1, 1, OnDate<kMonth>},
    {"day", 1, 1, OnDate<kDay>},
    {"dayofmonth", 1, 1, OnDate<kDay>},
    {"dayofyear", 1, 1, OnDate<kDayOfYear>},
    {"weekofyear", 1, 1, OnDate<kWeek>},
    {"dayofweek", 1, 1, DayOfWeek},
    {"weekday", 1, 1, WeekDay},
    {"hour", 1, 1, OnTimestamp<kHour>},
    {"minute", 1, 1, OnTimestamp<kMinute>},
    {"second", 1, 1, OnTimestamp<kSecond>},
    {"date_part", 2, 2, DatePart},
    {"datepart", 2, 2, DatePart},
    {"date_add", 2, 2, DateAdd},
    {"dateadd", 2, 2, DateAdd},
    {"date_sub", 2, 2, DateSub},
    {"datediff", 2, 2, DateDiff},
    {"date_diff", 2, 2, DateDiff},
    {"add_months", 2, 2, AddMonths},
    {"last_day", 1, 1, LastDay},
    {"make_date", 3, 3, MakeDate},
    {"trunc", 2, 2, TruncateDate},
    {"date_trunc", 2, 2, TruncateTime},
    {"date_format", 2, 2, FormatTime},
    {"to_date", 1, 2, ToDate},
    {"to_timestamp", 1, 1, AsType<LogicalTypeId::TIMESTAMP_TZ>},
    {"unix_micros", 1, 1, Micros},

    {"boolean", 1, 1, AsType<LogicalTypeId::BOOLEAN>},
    {"tinyint", 1, 1, AsType<LogicalTypeId::TINYINT>},
    {"smallint", 1, 1, AsType<LogicalTypeId::SMALLINT>},
    {"int", 1, 1, AsType<LogicalTypeId::INTEGER>},
    {"bigint", 1, 1, AsType<LogicalTypeId::BIGINT>},
    {"float", 1, 1, AsType<LogicalTypeId::FLOAT>},
    {"double", 1, 1, AsType<LogicalTypeId::DOUBLE>},
    {"string", 1, 1, AsType<LogicalTypeId::VARCHAR>},
    {"date", 1, 1, AsType<LogicalTypeId::DATE>},
    {"timestamp", 1, 1, AsType<LogicalTypeId::TIMESTAMP_TZ>},

    {"size", 1, 1, Size},
    {"cardinality", 1, 1, Size},
    {"array_size", 1, 1, Size},
    {"[]", 2, 2, Element<0>},
    {"element_at", 2, 2, Element<1>},
    // clang-format on
});

}  // namespace

const StoredFunction* FindStoredFunction(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &StoredFunction::name);
  return found == kFunctions.end() ? nullptr : &*found;
}

}  // namespace bayou::engine
