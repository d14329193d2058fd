// SPDX-License-Identifier: Apache-2.0
//
// Z85 (ZeroMQ RFC 32): four bytes as five printable characters.
#pragma once

#include <string>
#include <string_view>

#include "bayou/result.h"

namespace bayou {

// `bytes` must be a multiple of 4 long.
std::string Z85Encode(std::string_view bytes);

// Errors: kCorruption when the length is no multiple of 5, a character is not
// of the alphabet, or a group of five exceeds 2^32-1.
Result<std::string> Z85Decode(std::string_view text);

}  // namespace bayou
