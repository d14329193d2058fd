// SPDX-License-Identifier: Apache-2.0
//
// Names that compare without regard to the case of ASCII letters.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace bayou::protocol {

constexpr char LowerCase(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = LowerCase(c);
  return lower;
}

constexpr bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](char x, char y) { return LowerCase(x) == LowerCase(y); });
}

}  // namespace bayou::protocol
