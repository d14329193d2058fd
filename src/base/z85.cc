// SPDX-License-Identifier: Apache-2.0
#include "base/z85.h"

#include <array>
#include <cstdint>
#include <limits>

namespace bayou {
namespace {

constexpr std::string_view kAlphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    ".-:+=^!/*?&<>()[]{}@%$#";
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> DigitOfByte() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<std::uint8_t>(kAlphabet[i])] =
        static_cast<std::uint8_t>(i);
  }
  return digits;
}
constexpr std::array<std::uint8_t, 256> kDigits = DigitOfByte();

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kCorruption, "Z85_INVALID", std::move(message));
}

}  // namespace

std::string Z85Encode(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() / 4 * 5);
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    }
    for (std::uint32_t power : {52200625u, 614125u, 7225u, 85u, 1u}) {
      text += kAlphabet[value / power % 85];
    }
  }
  return text;
}

Result<std::string> Z85Decode(std::string_view text) {
  if (text.size() % 5 != 0) {
    return Invalid("Z85 text has " + std::to_string(text.size()) +
                   " characters, which is no multiple of 5");
  }
  std::string bytes;
  bytes.reserve(text.size() / 5 * 4);
  for (std::size_t at = 0; at < text.size(); at += 5) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const std::uint8_t digit =
          kDigits[static_cast<std::uint8_t>(text[at + i])];
      if (digit == kNoDigit) {
        return Invalid("byte " + std::to_string(at + i) +
                       " is not of the Z85 alphabet");
      }
      value = value * 85 + digit;
    }
    if (value > std::numeric_limits<std::uint32_t>::max()) {
      return Invalid("the group at byte " + std::to_string(at) +
                     " is no 32-bit number");
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(value >> shift & 0xff);
    }
  }
  return bytes;
}

}  // namespace bayou
