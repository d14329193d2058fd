// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "kernel/protocol/expression_token.h"
#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/stored_expression.h"

namespace bayou::protocol {
namespace {

constexpr std::size_t kMaxText = 64 << 10;
constexpr int kMaxDepth = 100;

using Arguments = std::vector<StoredExpression>;
using Parsed = Result<StoredExpression>;

struct TypeWord {
  std::string_view word;
  TypeKind kind;
};

constexpr auto kTypeWords = std::to_array<TypeWord>({
    {"boolean", TypeKind::kBoolean},
    {"bool", TypeKind::kBoolean},
    {"byte", TypeKind::kByte},
    {"tinyint", TypeKind::kByte},
    {"short", TypeKind::kShort},
    {"smallint", TypeKind::kShort},
    {"int", TypeKind::kInteger},
    {"integer", TypeKind::kInteger},
    {"long", TypeKind::kLong},
    {"bigint", TypeKind::kLong},
    {"real", TypeKind::kFloat},
    {"float", TypeKind::kFloat},
    {"double", TypeKind::kDouble},
    {"string", TypeKind::kString},
    {"varchar", TypeKind::kString},
    {"text", TypeKind::kString},
    {"binary", TypeKind::kBinary},
    {"blob", TypeKind::kBinary},
    {"bytea", TypeKind::kBinary},
    {"date", TypeKind::kDate},
    {"timestamp_ltz", TypeKind::kTimestamp},
    {"timestamptz", TypeKind::kTimestamp},
    {"timestamp_ntz", TypeKind::kTimestampNtz},
});

// Words that begin no operand.
constexpr auto kReserved = std::to_array<std::string_view>(
    {"and",    "as",    "between", "else",  "end",   "from", "group", "having",
     "ilike",  "in",    "is",      "like",  "on",    "or",   "order", "over",
     "regexp", "rlike", "then",    "union", "using", "when", "where"});

class Parser {
 public:
  Parser(std::string_view text, Spelling spelling)
      : text_(text), spelling_(spelling) {}

  Parsed Run() {
    if (text_.size() > kMaxText) {
      return Unsupported("it is longer than 64 KiB");
    }
    BAYOU_TRY(Scan());
    BAYOU_ASSIGN(StoredExpression expression, Or());
    if (!AtEnd()) return Unexpected();
    return expression;
  }

 private:
  using Kind = ExpressionToken::Kind;

  bool InSpark() const { return spelling_ == Spelling::kSpark; }

  Status Scan() {
    auto scanned = ScanExpression(text_, InSpark());
    if (!scanned) {
      return Fail(ErrorCode::kInvalidArgument, "DELTA_EXPRESSION_INVALID",
                  "expression " + Shown() + ": " + scanned.error().message);
    }
    tokens_ = *std::move(scanned);
    return {};
  }

  // ---------------------------------------------------------------- messages

  std::string Shown() const {
    constexpr std::size_t kShown = 200;
    return text_.size() <= kShown
               ? "'" + std::string(text_) + "'"
               : "'" + std::string(text_.substr(0, kShown)) + "...'";
  }

  tl::unexpected<Error> Unexpected() const {
    std::string what = "something is missing at its end";
    if (!AtEnd()) {
      what = "'" + tokens_[i_].text + "' is not expected at position " +
             std::to_string(tokens_[i_].begin + 1);
    }
    return Fail(ErrorCode::kInvalidArgument, "DELTA_EXPRESSION_INVALID",
                "expression " + Shown() + ": " + what);
  }

  tl::unexpected<Error> Unsupported(std::string_view what) const {
    return Fail(ErrorCode::kUnsupported, "DELTA_EXPRESSION_UNSUPPORTED",
                "expression " + Shown() + ": " + std::string(what));
  }

  // -------------------------------------------------------------------- tokens

  bool AtEnd(std::size_t ahead = 0) const {
    return i_ + ahead >= tokens_.size();
  }
  bool Is(std::string_view word, std::size_t ahead = 0) const {
    return !AtEnd(ahead) && tokens_[i_ + ahead].kind == Kind::kWord &&
           EqualIgnoringCase(tokens_[i_ + ahead].text, word);
  }
  bool IsSymbol(std::string_view symbol, std::size_t ahead = 0) const {
    return !AtEnd(ahead) && tokens_[i_ + ahead].kind == Kind::kSymbol &&
           tokens_[i_ + ahead].text == symbol;
  }
  bool IsKind(Kind kind, std::size_t ahead = 0) const {
    return !AtEnd(ahead) && tokens_[i_ + ahead].kind == kind;
  }
  bool Take(std::string_view word) { return Is(word) && ++i_; }
  bool TakeSymbol(std::string_view symbol) { return IsSymbol(symbol) && ++i_; }
  Status Expect(std::string_view symbol) {
    if (TakeSymbol(symbol)) return {};
    return Unexpected();
  }
  Status ExpectWord(std::string_view word) {
    if (Take(word)) return {};
    return Unexpected();
  }

  // ----------------------------------------------------------------- operators

  // Every node is made here, so that none is deeper than allowed.
  Parsed Made(StoredExpression expression) const {
    if (expression.depth > kMaxDepth) return Unsupported("it nests too deeply");
    return expression;
  }
  Parsed MadeCall(std::string name, Arguments arguments) const {
    return Made(StoredExpression::Call(std::move(name), std::move(arguments)));
  }
  Parsed MadeCall(std::string name, StoredExpression left,
                  StoredExpression right) const {
    Arguments arguments;
    arguments.push_back(std::move(left));
    arguments.push_back(std::move(right));
    return MadeCall(std::move(name), std::move(arguments));
  }
  Parsed MadeCall(std::string name, StoredExpression operand) const {
    Arguments arguments;
    arguments.push_back(std::move(operand));
    return MadeCall(std::move(name), std::move(arguments));
  }

  // Long chains of AND and OR are common, and are one node.
  Parsed Chain(std::string_view word, Parsed (Parser::*operand)()) {
    BAYOU_ASSIGN(StoredExpression first, (this->*operand)());
    if (!Is(word)) return first;
    Arguments all;
    all.push_back(std::move(first));
    while (Take(word)) {
      BAYOU_ASSIGN(StoredExpression next, (this->*operand)());
      all.push_back(std::move(next));
    }
    return MadeCall(std::string(word), std::move(all));
  }

  Parsed Or() {
    if (++nesting_ > kMaxDepth) return Unsupported("it nests too deeply");
    auto parsed = Chain("or", &Parser::And);
    --nesting_;
    return parsed;
  }
  Parsed And() { return Chain("and", &Parser::Not); }

  Parsed Not() {
    if (!Take("not")) return Comparison();
    if (++nesting_ > kMaxDepth) return Unsupported("it nests too deeply");
    BAYOU_ASSIGN(StoredExpression operand, Not());
    --nesting_;
    return MadeCall("not", std::move(operand));
  }

  // An operator of `symbols` that comes next, as the call's name.
  std::optional<std::string> TakeOneOf(
      std::initializer_list<std::pair<std::string_view, std::string_view>>
          symbols) {
    for (const auto& [symbol, name] : symbols) {
      if (TakeSymbol(symbol)) return std::string(name);
    }
    return std::nullopt;
  }

  Parsed Comparison() {
    BAYOU_ASSIGN(StoredExpression left, Predicate());
    for (;;) {
      const auto symbol = TakeOneOf({{"=", "="},
                                     {"==", "="},
                                     {"<=>", "<=>"},
                                     {"<>", "<>"},
                                     {"!=", "<>"},
                                     {"<=", "<="},
                                     {">=", ">="},
                                     {"<", "<"},
                                     {">", ">"}});
      if (!symbol) return left;
      BAYOU_ASSIGN(StoredExpression right, Predicate());
      const bool differs = *symbol == "<>";
      BAYOU_ASSIGN(left, MadeCall(differs ? "=" : *symbol, std::move(left),
                                  std::move(right)));
      if (!differs) continue;
      BAYOU_ASSIGN(left, MadeCall("not", std::move(left)));
    }
  }

  Parsed Predicate() {
    BAYOU_ASSIGN(StoredExpression operand, BitOr());
    for (;;) {
      const bool negated = Is("not") && !AtEnd(1);
      const std::size_t ahead = negated ? 1 : 0;
      std::optional<StoredExpression> made;
      if (Take("is")) {
        BAYOU_ASSIGN(operand, IsWhat(std::move(operand)));
        continue;
      }
      if (Is("in", ahead)) {
        i_ += ahead + 1;
        BAYOU_ASSIGN(made, In(std::move(operand)));
      } else if (Is("between", ahead)) {
        i_ += ahead + 1;
        BAYOU_ASSIGN(made, Between(std::move(operand)));
      } else if (const std::string name = MatchWord(ahead); !name.empty()) {
        i_ += ahead + 1;
        BAYOU_ASSIGN(made, Match(name, std::move(operand)));
      } else {
        return operand;
      }
      operand = *std::move(made);
      if (!negated) continue;
      BAYOU_ASSIGN(operand, MadeCall("not", std::move(operand)));
    }
  }

  std::string MatchWord(std::size_t ahead) const {
    for (const char* word : {"like", "ilike", "rlike"}) {
      if (Is(word, ahead)) return word;
    }
    if (Is("regexp", ahead)) return "rlike";
    if (!InSpark() && ahead == 0 && IsSymbol("~")) return "~";
    return "";
  }

  Parsed Match(const std::string& name, StoredExpression operand) {
    if (Is("any") || Is("all") || Is("some")) {
      return Unsupported("LIKE ANY and LIKE ALL are not known");
    }
    BAYOU_ASSIGN(StoredExpression pattern, BitOr());
    if (Is("escape")) return Unsupported("LIKE ... ESCAPE is not known");
    // In DuckDB it must match the whole text.
    if (name == "~") {
      return MadeCall("regexp_full_match", std::move(operand),
                      std::move(pattern));
    }
    if (!InSpark() && name != "rlike" && pattern.IsLiteral(TypeKind::kString)) {
      pattern.text = WithoutEscapes(pattern.text);
    }
    return MadeCall(name, std::move(operand), std::move(pattern));
  }

  // Spark's LIKE has an escape character, DuckDB's has none.
  static std::string WithoutEscapes(std::string_view pattern) {
    std::string escaped;
    for (const char c : pattern) {
      if (c == '\\') escaped += '\\';
      escaped += c;
    }
    return escaped;
  }

  Parsed IsWhat(StoredExpression operand) {
    const bool negated = Take("not");
    std::string name;
    if (Take("null") || Take("unknown")) {
      name = "is_null";
    } else if (Take("true")) {
      name = "is_true";
    } else if (Take("false")) {
      name = "is_false";
    } else if (Take("distinct")) {
      BAYOU_TRY(ExpectWord("from"));
      BAYOU_ASSIGN(StoredExpression other, BitOr());
      BAYOU_ASSIGN(StoredExpression same,
                   MadeCall("<=>", std::move(operand), std::move(other)));
      if (negated) return same;
      return MadeCall("not", std::move(same));
    } else {
      return Unexpected();
    }
    BAYOU_ASSIGN(StoredExpression test, MadeCall(name, std::move(operand)));
    if (!negated) return test;
    return MadeCall("not", std::move(test));
  }

  Parsed In(StoredExpression operand) {
    BAYOU_TRY(Expect("("));
    if (Is("select") || Is("with") || Is("values")) return Subquery();
    Arguments arguments;
    arguments.push_back(std::move(operand));
    BAYOU_TRY(TakeList(")", arguments));
    if (arguments.size() < 2) return Unexpected();
    return MadeCall("in", std::move(arguments));
  }

  Parsed Between(StoredExpression operand) {
    Arguments arguments;
    arguments.push_back(std::move(operand));
    BAYOU_ASSIGN(StoredExpression low, BitOr());
    BAYOU_TRY(ExpectWord("and"));
    BAYOU_ASSIGN(StoredExpression high, BitOr());
    arguments.push_back(std::move(low));
    arguments.push_back(std::move(high));
    return MadeCall("between", std::move(arguments));
  }

  // Items up to `closing`, which is taken too; there may be none.
  Status TakeList(std::string_view closing, Arguments& items) {
    if (TakeSymbol(closing)) return {};
    do {
      BAYOU_ASSIGN(StoredExpression item, Or());
      items.push_back(std::move(item));
    } while (TakeSymbol(","));
    return Expect(closing);
  }

  Parsed BitOr() {
    BAYOU_ASSIGN(StoredExpression left, BitXor());
    for (;;) {
      // DuckDB: any other operator, all of one level, below sums.
      const auto symbol =
          InSpark() ? TakeOneOf({{"|", "|"}})
                    : TakeOneOf({{"||", "||"}, {"|", "|"}, {"&", "&"}});
      if (!symbol) return left;
      BAYOU_ASSIGN(StoredExpression right, BitXor());
      BAYOU_ASSIGN(left, MadeCall(*symbol, std::move(left), std::move(right)));
    }
  }
  Parsed BitXor() {
    BAYOU_ASSIGN(StoredExpression left, BitAnd());
    while (InSpark() && TakeSymbol("^")) {
      BAYOU_ASSIGN(StoredExpression right, BitAnd());
      BAYOU_ASSIGN(left, MadeCall("^", std::move(left), std::move(right)));
    }
    return left;
  }
  Parsed BitAnd() {
    BAYOU_ASSIGN(StoredExpression left, Sum());
    while (InSpark() && TakeSymbol("&")) {
      BAYOU_ASSIGN(StoredExpression right, Sum());
      BAYOU_ASSIGN(left, MadeCall("&", std::move(left), std::move(right)));
    }
    return left;
  }

  Parsed Sum() {
    BAYOU_ASSIGN(StoredExpression left, Product());
    for (;;) {
      const auto symbol =
          InSpark() ? TakeOneOf({{"+", "+"}, {"-", "-"}, {"||", "||"}})
                    : TakeOneOf({{"+", "+"}, {"-", "-"}});
      if (!symbol) return left;
      BAYOU_ASSIGN(StoredExpression right, Product());
      BAYOU_ASSIGN(left, MadeCall(*symbol, std::move(left), std::move(right)));
    }
  }

  Parsed Product() {
    BAYOU_ASSIGN(StoredExpression left, Power());
    for (;;) {
      auto symbol = TakeOneOf({{"*", "*"}, {"/", "/"}, {"%", "%"}});
      if (!symbol && InSpark() && Take("div")) symbol = "div";
      if (!symbol && !InSpark() && TakeSymbol("//")) symbol = "div";
      if (!symbol) return left;
      BAYOU_ASSIGN(StoredExpression right, Power());
      BAYOU_ASSIGN(left, MadeCall(*symbol, std::move(left), std::move(right)));
    }
  }

  Parsed Power() {
    BAYOU_ASSIGN(StoredExpression left, Sign());
    while (!InSpark() && (TakeSymbol("^") || TakeSymbol("**"))) {
      BAYOU_ASSIGN(StoredExpression right, Sign());
      BAYOU_ASSIGN(left, MadeCall("power", std::move(left), std::move(right)));
    }
    return left;
  }

  Parsed Sign() {
    const bool minus = IsSymbol("-");
    if (!minus && !IsSymbol("+") && !IsSymbol("~")) return Postfixed();
    if (minus && IsKind(Kind::kNumber, 1)) {
      ++i_;
      return Number(tokens_[i_++].text, "-");
    }
    const bool plus = IsSymbol("+");
    ++i_;
    if (++nesting_ > kMaxDepth) return Unsupported("it nests too deeply");
    BAYOU_ASSIGN(StoredExpression operand, Sign());
    --nesting_;
    if (plus) return operand;
    return MadeCall(minus ? "-" : "~", std::move(operand));
  }

  // ------------------------------------------------------------------ operands

  Parsed Postfixed() {
    BAYOU_ASSIGN(StoredExpression operand, Primary());
    for (;;) {
      if (TakeSymbol("[")) {
        BAYOU_ASSIGN(StoredExpression index, Or());
        BAYOU_TRY(Expect("]"));
        BAYOU_ASSIGN(operand,
                     MadeCall("[]", std::move(operand), std::move(index)));
      } else if (TakeSymbol("::")) {
        BAYOU_ASSIGN(DataType type, Type());
        BAYOU_ASSIGN(operand, Made(StoredExpression::Cast(std::move(operand),
                                                          std::move(type))));
      } else if (IsSymbol(".") &&
                 (IsKind(Kind::kWord, 1) || IsKind(Kind::kName, 1))) {
        StoredExpression field = StoredExpression::Call(".", {});
        field.path = {tokens_[i_ + 1].text};
        field.depth = operand.depth + 1;
        field.arguments.push_back(std::move(operand));
        i_ += 2;
        BAYOU_ASSIGN(operand, Made(std::move(field)));
      } else {
        return operand;
      }
    }
  }

  tl::unexpected<Error> Subquery() const {
    return Unsupported("a query inside of it is not allowed");
  }

  Parsed Primary() {
    if (AtEnd()) return Unexpected();
    const ExpressionToken& token = tokens_[i_];
    switch (token.kind) {
      case Kind::kNumber:
        ++i_;
        return Number(token.text, "");
      case Kind::kString:
        return Text();
      case Kind::kBytes:
        ++i_;
        return StoredExpression::Literal(TypeKind::kBinary, token.text);
      case Kind::kName:
        return ColumnPath();
      case Kind::kWord:
        return Word();
      case Kind::kSymbol:
        break;
    }
    if (!TakeSymbol("(")) return Unexpected();
    if (Is("select") || Is("with") || Is("values")) return Subquery();
    BAYOU_ASSIGN(StoredExpression inside, Or());
    if (IsSymbol(",")) return Unsupported("rows (a, b) are not known");
    BAYOU_TRY(Expect(")"));
    return inside;
  }

  Parsed Text() {
    const ExpressionToken& token = tokens_[i_++];
    if (IsKind(Kind::kString)) {
      return Unsupported(
          "two texts side by side, which versions of Spark read differently");
    }
    return StoredExpression::Literal(TypeKind::kString, token.text);
  }

  Parsed Number(std::string_view text, std::string_view sign) {
    static constexpr std::pair<std::string_view, TypeKind> kSuffixes[] = {
        {"bd", TypeKind::kDecimal}, {"d", TypeKind::kDouble},
        {"f", TypeKind::kFloat},    {"l", TypeKind::kLong},
        {"s", TypeKind::kShort},    {"y", TypeKind::kByte}};
    const std::string digits(text);
    if (InSpark()) {
      for (const auto& [suffix, kind] : kSuffixes) {
        if (digits.size() <= suffix.size()) continue;
        const std::size_t cut = digits.size() - suffix.size();
        if (!EqualIgnoringCase(text.substr(cut), suffix)) continue;
        return NumberOf(kind, std::string(sign) + digits.substr(0, cut));
      }
    }
    const bool exponent = text.find_first_of("eE") != std::string_view::npos;
    TypeKind kind = TypeKind::kDecimal;
    if (exponent) {
      kind = TypeKind::kDouble;
    } else if (text.find('.') == std::string_view::npos) {
      kind = IntegerKind(std::string(sign) + digits);
    }
    return NumberOf(kind, std::string(sign) + digits);
  }

  static TypeKind IntegerKind(std::string_view text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return TypeKind::kDecimal;
    return value >= INT32_MIN && value <= INT32_MAX ? TypeKind::kInteger
                                                    : TypeKind::kLong;
  }

  Parsed NumberOf(TypeKind kind, std::string text) const {
    if (text.ends_with('.')) text.pop_back();
    const bool whole = kind != TypeKind::kDecimal && kind != TypeKind::kFloat &&
                       kind != TypeKind::kDouble;
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end ||
        (whole && text.find_first_of(".eE") != std::string::npos)) {
      return Unsupported("the number " + text + " is not known");
    }
    StoredExpression literal = StoredExpression::Literal(kind, std::move(text));
    if (kind != TypeKind::kDecimal) return literal;
    return DecimalOf(std::move(literal));
  }

  Parsed DecimalOf(StoredExpression literal) const {
    std::string_view text = literal.text;
    if (text.find_first_of("eE") != std::string_view::npos) {
      return Unsupported("a decimal number with an exponent is not known");
    }
    if (text.front() == '-') text.remove_prefix(1);
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::size_t first = std::min(text.find_first_not_of('0'), point);
    const auto whole = static_cast<int>(point - first);
    const auto scale =
        static_cast<int>(point < text.size() ? text.size() - point - 1 : 0);
    if (whole + scale > 38) return Unsupported("a number has over 38 digits");
    literal.type = DataType::Decimal(std::max(1, whole + scale), scale);
    return literal;
  }

  Parsed ColumnPath() {
    std::vector<std::string> path = {tokens_[i_++].text};
    while (IsSymbol(".") &&
           (IsKind(Kind::kWord, 1) || IsKind(Kind::kName, 1))) {
      path.push_back(tokens_[i_ + 1].text);
      i_ += 2;
    }
    StoredExpression column = StoredExpression::Column(std::move(path));
    column.depth = static_cast<int>(column.path.size());
    return Made(std::move(column));
  }

  static bool IsReserved(std::string_view word) {
    return std::ranges::any_of(kReserved, [&](std::string_view reserved) {
      return EqualIgnoringCase(word, reserved);
    });
  }

  // ------------------------------------------------ what begins with a word

  Parsed Word() {
    if (Take("null")) return StoredExpression::Literal(TypeKind::kVoid, "");
    for (const char* word : {"true", "false"}) {
      if (Is(word) && !IsSymbol("(", 1)) {
        ++i_;
        return StoredExpression::Literal(TypeKind::kBoolean, word);
      }
    }
    if (Is("select") || Is("exists") || Is("with")) return Subquery();
    if (IsReserved(tokens_[i_].text)) return Unexpected();
    if (Is("case")) return Case();
    if (Is("interval") && !AtEnd(1) && !IsSymbol(".", 1)) {
      return Unsupported("intervals are not known; use date_add and the like");
    }
    if (IsKind(Kind::kString, 1)) return TypedText();
    if (!IsSymbol("(", 1)) return BareWord();
    if (Is("cast")) return Cast();
    if (Is("try_cast")) return Unsupported("try_cast is not known");
    if (Is("extract")) return Extract();
    return Call();
  }

  // DATE '2024-01-01'
  Parsed TypedText() {
    const auto type = TypeWordHere();
    if (!type || (*type != TypeKind::kDate && *type != TypeKind::kTimestamp &&
                  *type != TypeKind::kTimestampNtz)) {
      return Unexpected();
    }
    ++i_;
    BAYOU_ASSIGN(StoredExpression literal, Text());
    literal.type = DataType::Of(*type);
    return literal;
  }

  Parsed BareWord() {
    for (const char* word : {"current_date", "current_timestamp"}) {
      if (Take(word)) return MadeCall(word, Arguments{});
    }
    return ColumnPath();
  }

  Parsed Case() {
    ++i_;
    Arguments arguments;
    const bool has_operand = !Is("when");
    if (has_operand) {
      BAYOU_ASSIGN(StoredExpression operand, Or());
      arguments.push_back(std::move(operand));
    }
    if (!Is("when")) return Unexpected();
    while (Take("when")) {
      BAYOU_ASSIGN(StoredExpression when, Or());
      BAYOU_TRY(ExpectWord("then"));
      BAYOU_ASSIGN(StoredExpression then, Or());
      arguments.push_back(std::move(when));
      arguments.push_back(std::move(then));
    }
    if (Take("else")) {
      BAYOU_ASSIGN(StoredExpression otherwise, Or());
      arguments.push_back(std::move(otherwise));
    } else {
      arguments.push_back(StoredExpression::Literal(TypeKind::kVoid, ""));
    }
    BAYOU_TRY(ExpectWord("end"));
    return MadeCall(has_operand ? "case_of" : "case", std::move(arguments));
  }

  Parsed Cast() {
    i_ += 2;
    BAYOU_ASSIGN(StoredExpression operand, Or());
    BAYOU_TRY(ExpectWord("as"));
    BAYOU_ASSIGN(DataType type, Type());
    BAYOU_TRY(Expect(")"));
    return Made(StoredExpression::Cast(std::move(operand), std::move(type)));
  }

  // EXTRACT(year FROM x)
  Parsed Extract() {
    i_ += 2;
    if (!IsKind(Kind::kWord)) return Unexpected();
    StoredExpression field =
        StoredExpression::Literal(TypeKind::kString, tokens_[i_++].text);
    BAYOU_TRY(ExpectWord("from"));
    BAYOU_ASSIGN(StoredExpression source, Or());
    BAYOU_TRY(Expect(")"));
    return MadeCall("date_part", std::move(field), std::move(source));
  }

  Parsed Call() {
    std::string name;
    for (const char c : tokens_[i_].text) {
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    i_ += 2;
    if (Is("distinct")) return Unsupported("aggregates are not allowed");
    Arguments arguments;
    BAYOU_TRY(TakeList(")", arguments));
    if (Is("over") || Is("filter") || Is("within")) {
      return Unsupported("windows and aggregates are not allowed");
    }
    return MadeCall(std::move(name), std::move(arguments));
  }

  // --------------------------------------------------------------------- types

  std::optional<TypeKind> TypeWordHere() const {
    if (Is("timestamp")) {
      return InSpark() ? TypeKind::kTimestamp : TypeKind::kTimestampNtz;
    }
    if (Is("double") && Is("precision", 1)) return std::nullopt;
    for (const TypeWord& type : kTypeWords) {
      if (Is(type.word)) return type.kind;
    }
    return std::nullopt;
  }

  Result<DataType> Type() {
    if (Is("decimal") || Is("numeric") || Is("dec")) return DecimalType();
    const auto kind = TypeWordHere();
    if (!kind) {
      if (AtEnd()) return Unexpected();
      return Unsupported("the type " + tokens_[i_].text + " is not known");
    }
    ++i_;
    if (!InSpark() && *kind == TypeKind::kTimestampNtz && Take("with")) {
      BAYOU_TRY(ExpectWord("time"));
      BAYOU_TRY(ExpectWord("zone"));
      return DataType::Of(TypeKind::kTimestamp);
    }
    // The length of a varchar is nothing that a cast could keep.
    if (IsSymbol("(")) return Unsupported("a type with a length is not known");
    return DataType::Of(*kind);
  }

  Result<DataType> DecimalType() {
    ++i_;
    int precision = InSpark() ? 10 : 18;
    int scale = InSpark() ? 0 : 3;
    if (TakeSymbol("(")) {
      scale = 0;
      BAYOU_ASSIGN(precision, SmallNumber());
      if (TakeSymbol(",")) {
        BAYOU_ASSIGN(scale, SmallNumber());
      }
      BAYOU_TRY(Expect(")"));
    }
    if (precision < 1 || precision > 38 || scale > precision) {
      return Unsupported("a decimal type has 1 to 38 digits");
    }
    return DataType::Decimal(precision, scale);
  }

  Result<int> SmallNumber() {
    if (!IsKind(Kind::kNumber)) return Unexpected();
    const std::string& text = tokens_[i_].text;
    int value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return Unexpected();
    ++i_;
    return value;
  }

  std::string_view text_;
  Spelling spelling_;
  std::vector<ExpressionToken> tokens_;
  std::size_t i_ = 0;
  int nesting_ = 0;
};

}  // namespace

Result<StoredExpression> ParseStoredExpression(std::string_view text,
                                               Spelling spelling) {
  return Parser(text, spelling).Run();
}

}  // namespace bayou::protocol
