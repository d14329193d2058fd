// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/string_bounds.h"

#include <algorithm>

namespace bayou::write {
namespace {

constexpr std::string_view kLastAscii = "\x7F";
constexpr std::string_view kLastCharacter = "\xF4\x8F\xBF\xBF";  // U+10FFFF

std::size_t BytesOfCharacter(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0x80) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

std::size_t UnitsOfCharacter(char lead) {
  return BytesOfCharacter(lead) == 4 ? 2 : 1;
}

}  // namespace

std::string_view CutMinimum(std::string_view text, std::size_t units) {
  std::size_t bytes = 0;
  for (std::size_t used = 0; bytes < text.size() && used < units;) {
    used += UnitsOfCharacter(text[bytes]);
    bytes += BytesOfCharacter(text[bytes]);
  }
  return text.substr(0, std::min(bytes, text.size()));
}

std::optional<std::string> CutMaximum(std::string_view text,
                                      std::size_t units) {
  std::string_view prefix = CutMinimum(text, units);
  std::size_t skipped = 0;
  while (prefix.size() < text.size()) {
    const std::string_view rest = text.substr(prefix.size());
    if (units + skipped >= 2 * units) return std::nullopt;
    if (static_cast<unsigned char>(rest[0]) < 0x7F) {
      return std::string(prefix).append(kLastAscii);
    }
    if (rest.substr(0, kLastCharacter.size()) != kLastCharacter) {
      return std::string(prefix).append(kLastCharacter);
    }
    skipped += 2;
    prefix = text.substr(0, prefix.size() + kLastCharacter.size());
  }
  return std::string(text);
}

}  // namespace bayou::write
