// SPDX-License-Identifier: Apache-2.0
//
// What the rewriters of SQL ask of the tokens they read. Behind the last token
// there is nothing, and asking there is no error.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "sql/token.h"

namespace bayou::sql {

inline bool IsWord(std::span<const Token> tokens, std::size_t i,
                   std::string_view word) {
  return i < tokens.size() && tokens[i].Is(word);
}
inline bool IsSymbol(std::span<const Token> tokens, std::size_t i,
                     char symbol) {
  return i < tokens.size() && tokens[i].Is(symbol);
}
inline bool IsKind(std::span<const Token> tokens, std::size_t i,
                   TokenKind kind) {
  return i < tokens.size() && tokens[i].kind == kind;
}

// For a class that reads tokens from a place on, to derive from.
class TokenCursor {
 protected:
  TokenCursor(std::span<const Token> tokens, std::size_t i)
      : tokens_(tokens), i_(i) {}

  bool AtEnd() const { return i_ >= tokens_.size(); }
  // Of the next token, or of the one `ahead` of it.
  bool Is(std::string_view word, std::size_t ahead = 0) const {
    return IsWord(tokens_, i_ + ahead, word);
  }
  bool IsSymbol(char symbol, std::size_t ahead = 0) const {
    return sql::IsSymbol(tokens_, i_ + ahead, symbol);
  }
  bool IsKind(TokenKind kind, std::size_t ahead = 0) const {
    return sql::IsKind(tokens_, i_ + ahead, kind);
  }

  // Each moves behind the token when it is there.
  bool Take(std::string_view word) { return Is(word) && ++i_; }
  bool TakeSymbol(char symbol) { return IsSymbol(symbol) && ++i_; }

  std::span<const Token> tokens_;
  std::size_t i_;  // The next token.
};

}  // namespace bayou::sql
