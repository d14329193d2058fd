// SPDX-License-Identifier: Apache-2.0
//
// The text of an expression as tokens, for its parser alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"

namespace bayou::protocol {

struct ExpressionToken {
  enum class Kind : std::uint8_t {
    kWord,    // A keyword, or a name without quotes.
    kName,    // A quoted name.
    kString,  // A text; quotes and escapes are undone.
    kBytes,   // X'0A': the bytes.
    kNumber,  // With the suffix that it may have.
    kSymbol,  // An operator or a bracket.
  };
  Kind kind = Kind::kSymbol;
  std::string text;
  std::size_t begin = 0;  // Byte of the text.
};

// `spark`: "x" is a text and backslashes escape; otherwise, as DuckDB has it,
// "x" is a name and only E'...' has escapes. Errors: kInvalidArgument with what
// is wrong and where, for quotes or comments that do not end, for bad escapes
// and for bytes that begin nothing.
Result<std::vector<ExpressionToken>> ScanExpression(std::string_view text,
                                                    bool spark);

}  // namespace bayou::protocol
