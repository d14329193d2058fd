// SPDX-License-Identifier: Apache-2.0
//
// SQL text as tokens, with their places in the text. Enough to find statements
// and to recognise spellings; meaning is left to DuckDB's parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/protocol/letter_case.h"

namespace bayou::sql {

enum class TokenKind : std::uint8_t {
  kWord,      // A keyword or a plain identifier.
  kQuoted,    // "identifier"
  kBacktick,  // `identifier`
  kString,    // 'text', E'text', $tag$text$tag$
  kNumber,
  kSymbol,  // One character: each of < > = ; ( ) , . and so on.
};

struct Token {
  TokenKind kind = TokenKind::kSymbol;
  std::size_t begin = 0;  // Bytes of the text, end exclusive.
  std::size_t end = 0;
  std::string_view text;  // As written, a view into the text.
  bool closed = true;     // False: the text ends inside the quotes.

  bool Is(std::string_view keyword) const;  // A word, letters' case ignored.
  bool Is(char symbol) const {
    return kind == TokenKind::kSymbol && text.front() == symbol;
  }
  bool IsIdentifier() const {
    return kind == TokenKind::kWord || kind == TokenKind::kQuoted ||
           kind == TokenKind::kBacktick;
  }

  // What the token stands for: quotes taken off, doubled quotes and, in
  // E'...', escapes undone.
  std::string Value() const;
};

struct Tokens {
  std::vector<Token> tokens;
  bool open_comment = false;  // The text ends inside /* ... */.
};

// Never fails; a byte that begins nothing known is a symbol. `text` must
// outlive the tokens.
Tokens Tokenize(std::string_view text);

using protocol::EqualIgnoringCase;
using protocol::LowerCase;

}  // namespace bayou::sql
