// SPDX-License-Identifier: Apache-2.0
//
// Spark's spellings of time travel. DuckDB writes AT (...) behind the alias,
// Spark before it; so the alias is stepped over.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sql/text_edits.h"
#include "sql/token.h"

namespace bayou::sql {

struct TimeTravelAt {
  std::string clause;    // AT (VERSION => 3)
  std::size_t next = 0;  // The token behind the spelling.
};

// The clause as an argument of a table function: version => 3.
std::string TimeTravelArgument(const TimeTravelAt& travel);

// What begins at token `i`:
//   [FOR] VERSION | SYSTEM_VERSION AS OF <number or text>
//   [FOR] TIMESTAMP | SYSTEM_TIME AS OF <expression>
//   @v<version> and @<yyyyMMddHHmmssSSS>, without a blank before
// nullopt: none of them.
std::optional<TimeTravelAt> ParseTimeTravel(std::string_view text,
                                            std::span<const Token> tokens,
                                            std::size_t i);

// Takes @v<version> or @<yyyyMMddHHmmssSSS> off the end of `name`.
std::optional<TimeTravelAt> TakeVersionSuffix(std::string& name);

// Removes the tokens from `i` to `travel.next` and puts the clause behind the
// alias that follows, if one does.
void ApplyTimeTravel(std::string_view text, std::span<const Token> tokens,
                     std::size_t i, const TimeTravelAt& travel,
                     TextEdits& edits);

}  // namespace bayou::sql
