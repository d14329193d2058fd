// SPDX-License-Identifier: Apache-2.0
#include "sql/time_travel_spelling.h"

#include <algorithm>
#include <array>

#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

constexpr std::size_t kTimestampDigits = 17;  // yyyyMMddHHmmssSSS

// Words that follow a table and are no alias of it.
constexpr std::array kNoAlias = {
    "where",       "group",  "having",  "order",   "limit",     "offset",
    "fetch",       "window", "qualify", "union",   "except",    "intersect",
    "minus",       "join",   "inner",   "left",    "right",     "full",
    "outer",       "cross",  "natural", "semi",    "anti",      "asof",
    "positional",  "on",     "using",   "lateral", "pivot",     "unpivot",
    "tablesample", "set",    "when",    "then",    "select",    "values",
    "for",         "to",     "at",      "sample",  "returning", "version",
    "timestamp",   "from",   "as",      "and",     "or",        "not",
    "in",          "is",     "between", "like",    "end",       "else",
    "by"};

constexpr std::array kIntervalUnits = {"microsecond", "millisecond", "second",
                                       "minute",      "hour",        "day",
                                       "week",        "month",       "year"};

bool AllDigits(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string VersionClause(std::string_view version) {
  return "AT (VERSION => " + std::string(version) + ")";
}

// 20240131235959123 is 2024-01-31 23:59:59.123 in the session's time zone.
std::string TimestampClause(std::string_view d) {
  std::string time;
  time.append(d, 0, 4)
      .append("-")
      .append(d, 4, 2)
      .append("-")
      .append(d, 6, 2)
      .append(" ");
  time.append(d, 8, 2).append(":").append(d, 10, 2).append(":").append(d, 12,
                                                                       2);
  time.append(".").append(d, 14, 3);
  return "AT (TIMESTAMP => '" + time + "')";
}

std::optional<std::string> SuffixClause(std::string_view suffix) {
  if (suffix.size() > 1 && (suffix.front() == 'v' || suffix.front() == 'V') &&
      AllDigits(suffix.substr(1))) {
    return VersionClause(suffix.substr(1));
  }
  if (suffix.size() == kTimestampDigits && AllDigits(suffix))
    return TimestampClause(suffix);
  return std::nullopt;
}

// Finds the end of an expression without knowing what it means: operands with
// operators between them. A word behind an operand ends it: that is the alias.
class ExpressionEnd : private TokenCursor {
 public:
  ExpressionEnd(std::span<const Token> tokens, std::size_t i)
      : TokenCursor(tokens, i) {}

  std::optional<std::size_t> Find() {
    do {
      if (!Operand()) return std::nullopt;
    } while (Operator());
    return i_;
  }

 private:
  bool Brackets() {
    int depth = 0;
    for (; i_ < tokens_.size(); ++i_) {
      if (tokens_[i_].Is('(')) ++depth;
      if (tokens_[i_].Is(')') && --depth == 0) {
        ++i_;
        return true;
      }
    }
    return false;
  }

  bool Operand() {
    while (IsSymbol('-') || IsSymbol('+')) ++i_;
    if (IsSymbol('(')) return Brackets() && Suffixes();
    if (IsKind(TokenKind::kNumber) || IsKind(TokenKind::kString)) {
      ++i_;
      return Suffixes();
    }
    if (IsSymbol('$')) {
      i_ += 2;
      return i_ <= tokens_.size();
    }
    if (Is("interval")) return Interval();
    if (!IsKind(TokenKind::kWord)) return false;
    if (std::ranges::any_of(kNoAlias, [&](const char* word) {
          return tokens_[i_].Is(word) && !tokens_[i_].Is("timestamp");
        })) {
      return false;
    }
    return NameOrCall();
  }

  // now(), a.b(c), current_timestamp, DATE '2024-01-01'
  bool NameOrCall() {
    ++i_;
    while (IsSymbol('.') && i_ + 1 < tokens_.size()) i_ += 2;
    if (IsSymbol('(')) return Brackets() && Suffixes();
    if (IsKind(TokenKind::kString)) ++i_;
    return Suffixes();
  }

  bool Interval() {
    ++i_;
    if (IsSymbol('(')) {
      if (!Brackets()) return false;
    } else {
      ++i_;
    }
    while (i_ < tokens_.size() && IsUnit(tokens_[i_])) ++i_;
    return i_ <= tokens_.size();
  }

  static bool IsUnit(const Token& token) {
    return std::ranges::any_of(kIntervalUnits, [&](const std::string& unit) {
      return token.Is(unit) || token.Is(unit + "s");
    });
  }

  // ::type and AT TIME ZONE 'zone'
  bool Suffixes() {
    while (true) {
      if (IsSymbol(':') && IsSymbol(':', 1) && IsKind(TokenKind::kWord, 2)) {
        i_ += 3;
        if (IsSymbol('(') && !Brackets()) return false;
      } else if (Is("at") && Is("time", 1) && Is("zone", 2)) {
        i_ += 4;
      } else {
        return i_ <= tokens_.size();
      }
    }
  }

  bool Operator() {
    for (const char symbol : {'+', '-', '*', '/'}) {
      if (IsSymbol(symbol)) {
        ++i_;
        return true;
      }
    }
    if (IsSymbol('|') && IsSymbol('|', 1)) {
      i_ += 2;
      return true;
    }
    return false;
  }
};

std::optional<TimeTravelAt> ParseSuffix(std::span<const Token> tokens,
                                        std::size_t i) {
  if (i == 0 || i + 1 >= tokens.size() || !tokens[i].Is('@'))
    return std::nullopt;
  const Token& name = tokens[i - 1];
  const Token& suffix = tokens[i + 1];
  if (!name.IsIdentifier() || name.end != tokens[i].begin ||
      tokens[i].end != suffix.begin) {
    return std::nullopt;
  }
  std::optional<std::string> clause = SuffixClause(suffix.text);
  if (!clause) return std::nullopt;
  return TimeTravelAt{*std::move(clause), i + 2};
}

bool IsAlias(std::span<const Token> tokens, std::size_t i) {
  return i < tokens.size() && tokens[i].IsIdentifier() &&
         std::ranges::none_of(
             kNoAlias, [&](const char* word) { return tokens[i].Is(word); });
}

// The token behind `[AS] alias [(columns)]`.
std::size_t SkipAlias(std::span<const Token> tokens, std::size_t i) {
  const bool as = i < tokens.size() && tokens[i].Is("as");
  if (as ? i + 1 >= tokens.size() || !tokens[i + 1].IsIdentifier()
         : !IsAlias(tokens, i))
    return i;
  i += as ? 2 : 1;
  if (i >= tokens.size() || !tokens[i].Is('(')) return i;
  while (i < tokens.size() && !tokens[i].Is(')')) ++i;
  return std::min(i + 1, tokens.size());
}

}  // namespace

std::optional<TimeTravelAt> ParseTimeTravel(std::string_view text,
                                            std::span<const Token> tokens,
                                            std::size_t i) {
  if (auto suffix = ParseSuffix(tokens, i)) return suffix;
  if (i == 0 || i >= tokens.size()) return std::nullopt;
  const std::size_t unit = tokens[i].Is("for") ? i + 1 : i;
  if (unit + 3 >= tokens.size() || !tokens[unit + 1].Is("as") ||
      !tokens[unit + 2].Is("of")) {
    return std::nullopt;
  }
  const Token& first = tokens[unit + 3];
  if (tokens[unit].Is("version") || tokens[unit].Is("system_version")) {
    // Whatever number it is, the catalog judges it.
    const std::size_t value = unit + (first.Is('-') ? 4 : 3);
    if (!IsKind(tokens, value, TokenKind::kNumber) && !first.Is("null") &&
        first.kind != TokenKind::kString) {
      return std::nullopt;
    }
    const std::size_t end = tokens[value].end;
    return TimeTravelAt{
        VersionClause(text.substr(first.begin, end - first.begin)), value + 1};
  }
  if (!tokens[unit].Is("timestamp") && !tokens[unit].Is("system_time"))
    return std::nullopt;
  const std::optional<std::size_t> end = ExpressionEnd(tokens, unit + 3).Find();
  if (!end) return std::nullopt;
  const std::size_t last = tokens[std::min(*end, tokens.size()) - 1].end;
  return TimeTravelAt{
      "AT (TIMESTAMP => " +
          std::string(text.substr(first.begin, last - first.begin)) + ")",
      *end};
}

std::optional<TimeTravelAt> TakeVersionSuffix(std::string& name) {
  const std::size_t at = name.rfind('@');
  if (at == std::string::npos || at == 0) return std::nullopt;
  std::optional<std::string> clause =
      SuffixClause(std::string_view(name).substr(at + 1));
  if (!clause) return std::nullopt;
  name.resize(at);
  return TimeTravelAt{*std::move(clause), 0};
}

std::string TimeTravelArgument(const TimeTravelAt& travel) {
  // AT (VERSION => 3)
  std::string clause = travel.clause.substr(travel.clause.find('(') + 1);
  clause.pop_back();
  const std::string value = clause.substr(clause.find("=>") + 3);
  const bool is_version = clause.starts_with("VERSION");
  return (is_version ? "version => " : "\"timestamp\" => ") + value;
}

void ApplyTimeTravel(std::string_view text, std::span<const Token> tokens,
                     std::size_t i, const TimeTravelAt& travel,
                     TextEdits& edits) {
  if (travel.next > i)
    edits.Replace(tokens[i].begin, tokens[travel.next - 1].end, "");
  const std::size_t behind_alias = SkipAlias(tokens, travel.next);
  const std::size_t at = tokens[behind_alias - 1].end;
  edits.Insert(std::min(at, text.size()), " " + travel.clause);
}

}  // namespace bayou::sql
