// SPDX-License-Identifier: Apache-2.0
//
// The two ways in which what a user typed gets into SQL that the command makes.
#pragma once

#include <string>
#include <string_view>

namespace bayou::cli {

inline std::string Quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) out.append(c == quote ? 2 : 1, c);
  return out + quote;
}

inline std::string SqlLiteral(std::string_view text) {
  return Quoted(text, '\'');
}

// The argument of a table function for the table at `path`.
inline std::string PathArgument(std::string_view path) {
  return SqlLiteral("delta.main." + Quoted(path, '"'));
}

}  // namespace bayou::cli
