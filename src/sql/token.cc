// SPDX-License-Identifier: Apache-2.0
#include "sql/token.h"

#include <algorithm>

namespace bayou::sql {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' ||
         c == '\v';
}
// Every byte of a character outside ASCII counts as a letter, as in DuckDB.
bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c) || c == '$'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Tokens Run() {
    while (SkipBlanks()) {
      const std::size_t begin = pos_;
      const TokenKind kind = Next();
      result_.tokens.push_back({.kind = kind,
                                .begin = begin,
                                .end = pos_,
                                .text = text_.substr(begin, pos_ - begin),
                                .closed = closed_});
      closed_ = true;
    }
    return std::move(result_);
  }

 private:
  char At(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  // False at the end of the text.
  bool SkipBlanks() {
    while (pos_ < text_.size()) {
      if (IsSpace(text_[pos_])) {
        ++pos_;
      } else if (text_[pos_] == '-' && At(pos_ + 1) == '-') {
        pos_ = std::min(text_.find('\n', pos_), text_.size());
      } else if (text_[pos_] == '/' && At(pos_ + 1) == '*') {
        SkipComment();
      } else {
        return true;
      }
    }
    return false;
  }

  // Comments nest.
  void SkipComment() {
    int depth = 0;
    do {
      if (At(pos_) == '/' && At(pos_ + 1) == '*') {
        ++depth;
        pos_ += 2;
      } else if (At(pos_) == '*' && At(pos_ + 1) == '/') {
        --depth;
        pos_ += 2;
      } else {
        ++pos_;
      }
    } while (depth > 0 && pos_ < text_.size());
    result_.open_comment = depth > 0;
  }

  TokenKind Next() {
    const char c = text_[pos_];
    switch (c) {
      case '\'':
        return Quote('\'', false, TokenKind::kString);
      case '"':
        return Quote('"', false, TokenKind::kQuoted);
      case '`':
        return Quote('`', false, TokenKind::kBacktick);
      case '$':
        return Dollar();
      default:
        break;
    }
    if ((c == 'e' || c == 'E') && At(pos_ + 1) == '\'') {
      ++pos_;
      return Quote('\'', true, TokenKind::kString);
    }
    if (IsWordStart(c)) {
      while (IsWordPart(At(pos_))) ++pos_;
      return TokenKind::kWord;
    }
    if (IsDigit(c) || (c == '.' && IsDigit(At(pos_ + 1)))) return Number();
    ++pos_;
    return TokenKind::kSymbol;
  }

  TokenKind Quote(char quote, bool escapes, TokenKind kind) {
    for (++pos_; pos_ < text_.size(); ++pos_) {
      if (escapes && text_[pos_] == '\\') {
        ++pos_;
      } else if (text_[pos_] == quote) {
        if (At(pos_ + 1) != quote) {
          ++pos_;
          return kind;
        }
        ++pos_;
      }
    }
    pos_ = text_.size();
    closed_ = false;
    return kind;
  }

  // $tag$ ... $tag$; anything else that begins with $ is a parameter.
  TokenKind Dollar() {
    std::size_t end = pos_ + 1;
    while (IsWordPart(At(end)) && At(end) != '$') ++end;
    if (At(end) != '$' || IsDigit(At(pos_ + 1))) {
      ++pos_;
      return TokenKind::kSymbol;
    }
    const std::string_view tag = text_.substr(pos_, end + 1 - pos_);
    const std::size_t close = text_.find(tag, end + 1);
    closed_ = close != std::string_view::npos;
    pos_ = closed_ ? close + tag.size() : text_.size();
    return TokenKind::kString;
  }

  TokenKind Number() {
    while (IsDigit(At(pos_)) || At(pos_) == '_') ++pos_;
    if (At(pos_) == '.') {
      ++pos_;
      while (IsDigit(At(pos_)) || At(pos_) == '_') ++pos_;
    }
    if (LowerCase(At(pos_)) == 'e') {
      std::size_t digits = pos_ + 1;
      if (At(digits) == '+' || At(digits) == '-') ++digits;
      if (IsDigit(At(digits))) {
        pos_ = digits;
        while (IsDigit(At(pos_))) ++pos_;
      }
    }
    return TokenKind::kNumber;
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  bool closed_ = true;
  Tokens result_;
};

char Escaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    default:
      return c;
  }
}

std::string Unquote(std::string_view body, char quote, bool escapes) {
  std::string out;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (escapes && body[i] == '\\' && i + 1 < body.size()) {
      out += Escaped(body[++i]);
    } else {
      out += body[i];
      if (body[i] == quote) ++i;
    }
  }
  return out;
}

}  // namespace

bool Token::Is(std::string_view keyword) const {
  return kind == TokenKind::kWord && EqualIgnoringCase(text, keyword);
}

std::string Token::Value() const {
  if (kind < TokenKind::kQuoted || kind > TokenKind::kString)
    return std::string(text);
  if (text.front() == '$') {
    const std::size_t tag = text.find('$', 1) + 1;
    return std::string(
        text.substr(tag, text.size() - (closed ? 2 * tag : tag)));
  }
  const std::size_t start = LowerCase(text.front()) == 'e' ? 2 : 1;
  std::string_view body = text.substr(start);
  if (closed) body.remove_suffix(1);
  return Unquote(body, text[start - 1], start == 2);
}

Tokens Tokenize(std::string_view text) { return Scanner(text).Run(); }

}  // namespace bayou::sql
