// SPDX-License-Identifier: Apache-2.0
//
// Names that compare without regard to the case of ASCII letters.
#pragma once

#include <strings.h>

#include <string_view>

namespace bayou::protocol {

inline bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         (a.empty() || strncasecmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace bayou::protocol
