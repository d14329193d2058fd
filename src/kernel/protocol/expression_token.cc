// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/expression_token.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace bayou::protocol {
namespace {

using Kind = ExpressionToken::Kind;

// The longest first.
constexpr auto kSymbols = std::to_array<std::string_view>(
    {"<=>", "<=", ">=", "<>", "!=", "==", "||", "::", "//", "**",
     "->",  "=>", "<",  ">",  "=",  "+",  "-",  "*",  "/",  "%",
     "&",   "|",  "^",  "~",  "(",  ")",  "[",  "]",  ",",  "."});

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::optional<unsigned> HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = static_cast<char>(c | 32);
  if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10;
  return std::nullopt;
}

class ExpressionScanner {
 public:
  ExpressionScanner(std::string_view text, bool spark)
      : text_(text), spark_(spark) {}

  Result<std::vector<ExpressionToken>> Run() {
    for (;;) {
      BAYOU_TRY(SkipBlanks());
      if (at_ >= text_.size()) return std::move(tokens_);
      BAYOU_TRY(Next());
    }
  }

 private:
  char At(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  tl::unexpected<Error> Bad(std::string_view what, std::size_t where) const {
    return Fail(
        ErrorCode::kInvalidArgument, "DELTA_EXPRESSION_INVALID",
        std::string(what) + " at position " + std::to_string(where + 1));
  }

  Status SkipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || (c >= '\t' && c <= '\r')) {
        ++at_;
      } else if (c == '-' && At(at_ + 1) == '-') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '/' && At(at_ + 1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
          return Bad("a comment that does not end", at_);
        }
        at_ = end + 2;
      } else {
        break;
      }
    }
    return {};
  }

  void Add(Kind kind, std::string text, std::size_t begin) {
    tokens_.push_back({.kind = kind, .text = std::move(text), .begin = begin});
  }

  Status Next() {
    const char c = text_[at_];
    const char next = At(at_ + 1);
    if (c == '\'') return Quoted(at_, spark_);
    if (c == '"') return spark_ ? Quoted(at_, true) : Name('"');
    if (c == '`') return Name('`');
    if ((c == 'e' || c == 'E') && next == '\'' && !spark_) {
      return Quoted(at_ + 1, true);
    }
    if ((c == 'r' || c == 'R') && (next == '\'' || next == '"') && spark_) {
      return Quoted(at_ + 1, false);
    }
    if ((c == 'x' || c == 'X') && next == '\'') return Bytes();
    if (IsDigit(c) || (c == '.' && IsDigit(next))) return Number();
    if (IsLetter(c)) {
      const std::size_t begin = at_;
      while (IsLetter(At(at_)) || IsDigit(At(at_))) ++at_;
      Add(Kind::kWord, std::string(text_.substr(begin, at_ - begin)), begin);
      return {};
    }
    for (const std::string_view symbol : kSymbols) {
      if (!text_.substr(at_).starts_with(symbol)) continue;
      Add(Kind::kSymbol, std::string(symbol), at_);
      at_ += symbol.size();
      return {};
    }
    return Bad("a character that means nothing here", at_);
  }

  Status Name(char quote) {
    const std::size_t begin = at_++;
    std::string name;
    for (;; ++at_) {
      if (at_ >= text_.size()) return Bad("a name that does not end", begin);
      if (text_[at_] == quote) {  // Two of them stand for one.
        ++at_;
        if (At(at_) != quote) break;
      }
      name += text_[at_];
    }
    if (name.empty()) return Bad("an empty name", begin);
    Add(Kind::kName, std::move(name), begin);
    return {};
  }

  // A text whose quote is at `opening`.
  Status Quoted(std::size_t opening, bool escapes) {
    const std::size_t begin = at_;
    const char quote = text_[opening];
    std::string value;
    for (at_ = opening + 1;; ++at_) {
      if (at_ >= text_.size()) return Bad("a text that does not end", begin);
      const char c = text_[at_];
      if (c == '\\' && escapes) {
        BAYOU_TRY(Escape(value));
      } else if (c != quote) {
        value += c;
      } else if (!spark_ && At(at_ + 1) == quote) {
        value += c;
        ++at_;
      } else {
        break;
      }
    }
    ++at_;
    Add(Kind::kString, std::move(value), begin);
    return {};
  }

  // Moves to the last byte of the escape.
  Status Escape(std::string& value) {
    static constexpr std::pair<char, char> kEscapes[] = {
        {'0', '\0'}, {'b', '\b'}, {'n', '\n'},
        {'r', '\r'}, {'t', '\t'}, {'Z', '\x1a'}};
    const char c = At(++at_);
    if (at_ >= text_.size()) return Bad("an escape that does not end", at_ - 1);
    if (c == 'u' || c == 'U') return Bad("an escape with a code", at_ - 1);
    if (IsDigit(c) && IsDigit(At(at_ + 1))) {
      return Bad("an escape with a code", at_ - 1);
    }
    // LIKE patterns keep these escapes.
    if (spark_ && (c == '%' || c == '_')) value += '\\';
    for (const auto& [letter, meaning] : kEscapes) {
      if (c != letter) continue;
      value += meaning;
      return {};
    }
    value += c;
    return {};
  }

  Status Bytes() {
    const std::size_t begin = at_;
    std::string value;
    for (at_ += 2; At(at_) != '\''; at_ += 2) {
      const auto high = HexDigit(At(at_));
      const auto low = HexDigit(At(at_ + 1));
      if (!high || !low) return Bad("bytes that are not hexadecimal", begin);
      value += static_cast<char>(*high << 4 | *low);
    }
    ++at_;
    Add(Kind::kBytes, std::move(value), begin);
    return {};
  }

  Status Number() {
    const std::size_t begin = at_;
    while (IsDigit(At(at_))) ++at_;
    if (At(at_) == '.' && !IsLetter(At(at_ + 1))) {
      ++at_;
      while (IsDigit(At(at_))) ++at_;
    }
    if (At(at_) == 'e' || At(at_) == 'E') {
      std::size_t digits = at_ + 1;
      if (At(digits) == '+' || At(digits) == '-') ++digits;
      if (IsDigit(At(digits))) {
        at_ = digits;
        while (IsDigit(At(at_))) ++at_;
      }
    }
    while (IsLetter(At(at_))) ++at_;  // A suffix, or what is none.
    Add(Kind::kNumber, std::string(text_.substr(begin, at_ - begin)), begin);
    return {};
  }

  std::string_view text_;
  bool spark_;
  std::size_t at_ = 0;
  std::vector<ExpressionToken> tokens_;
};

}  // namespace

Result<std::vector<ExpressionToken>> ScanExpression(std::string_view text,
                                                    bool spark) {
  return ExpressionScanner(text, spark).Run();
}

}  // namespace bayou::protocol
