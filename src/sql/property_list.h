// SPDX-License-Identifier: Apache-2.0
//
// ('key' = 'value', a.b = 3, ...): table properties as statements have them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "sql/token.h"

namespace bayou::sql {

// 'text', a number with or without sign, or words with dots between them, which
// begin at token `i`; moves it behind them.
std::optional<std::string> TakePropertyWord(std::span<const Token> tokens,
                                            std::size_t& i);

// The list whose bracket opens at token `i`; moves it behind the list.
// Errors: kInvalidArgument, condition PARSE_SYNTAX_ERROR, or DUPLICATE_KEY.
Result<std::map<std::string, std::string>> TakeProperties(
    std::span<const Token> tokens, std::size_t& i);

// The same without values.
Result<std::vector<std::string>> TakePropertyKeys(std::span<const Token> tokens,
                                                  std::size_t& i);

}  // namespace bayou::sql
