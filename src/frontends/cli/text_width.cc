// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/text_width.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace bayou::cli {
namespace {

constexpr std::string_view kEllipsis = "…";

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Unicode: General_Category Mn and Me of the scripts that are in wide use, and
// the joiners.
constexpr std::array kCombining = {
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489},  Range{0x0591, 0x05BD},
    Range{0x0610, 0x061A}, Range{0x064B, 0x065F},  Range{0x0670, 0x0670},
    Range{0x06D6, 0x06DC}, Range{0x0900, 0x0902},  Range{0x093C, 0x093C},
    Range{0x0941, 0x0948}, Range{0x094D, 0x094D},  Range{0x0E31, 0x0E31},
    Range{0x0E34, 0x0E3A}, Range{0x0E47, 0x0E4E},  Range{0x1AB0, 0x1AFF},
    Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F},  Range{0x2060, 0x2064},
    Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F},  Range{0xFE20, 0xFE2F},
    Range{0xFEFF, 0xFEFF}, Range{0xE0100, 0xE01EF}};

// Unicode: East_Asian_Width W and F, and emoji.
constexpr std::array kWide = {
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x23E9, 0x23EC},
    Range{0x25FD, 0x25FE},   Range{0x2614, 0x2615},   Range{0x2648, 0x2653},
    Range{0x26AA, 0x26AB},   Range{0x26BD, 0x26BE},   Range{0x2705, 0x2705},
    Range{0x2728, 0x2728},   Range{0x274C, 0x274C},   Range{0x2753, 0x2755},
    Range{0x2795, 0x2797},   Range{0x2B1B, 0x2B1C},   Range{0x2B50, 0x2B50},
    Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},   Range{0xA960, 0xA97C},
    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6B},
    Range{0xFF01, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F004, 0x1F004},
    Range{0x1F0CF, 0x1F0CF}, Range{0x1F18E, 0x1F19A}, Range{0x1F200, 0x1F320},
    Range{0x1F32D, 0x1F64F}, Range{0x1F680, 0x1F6FC}, Range{0x1F7E0, 0x1F7F0},
    Range{0x1F90C, 0x1FAFF}, Range{0x20000, 0x3FFFD}};

template <std::size_t N>
bool IsIn(const std::array<Range, N>& ranges, std::uint32_t point) {
  const auto range = std::ranges::lower_bound(ranges, point, {}, &Range::last);
  return range != ranges.end() && range->first <= point;
}

struct Character {
  std::uint32_t point = 0;
  std::size_t length = 0;  // Bytes; 0: not UTF-8.
};

// The character at the front of `text`, which is not empty.
Character Decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 && lead < 0xF5 ? 4
                             : lead >= 0xE0              ? 3
                                                         : 2;
  if (lead < 0xC2 || lead >= 0xF5 || text.size() < length) return {};
  std::uint32_t point = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    point = point << 6 | (byte & 0x3Fu);
  }
  const bool overlong =
      (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return overlong || surrogate || point > 0x10FFFF ? Character{}
                                                   : Character{point, length};
}

void AppendHex(std::string& out, char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte);
  out += "\\x";
  out += kDigits[value >> 4];
  out += kDigits[value & 15];
}

void AppendControl(std::string& out, char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      AppendHex(out, c);
  }
}

// C0, C1, and the marks that turn the direction of writing.
bool IsControl(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) ||
         (point >= 0x202A && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

std::size_t WidthOf(std::uint32_t point) {
  return IsIn(kCombining, point) ? 0 : IsIn(kWide, point) ? 2 : 1;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = Decode(text);
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    if (character.length == 0) {
      AppendHex(out, text.front());
    } else if (!IsControl(character.point)) {
      out += text.substr(0, length);
    } else if (length == 1) {
      AppendControl(out, text.front());
    } else {
      for (const char byte : text.substr(0, length)) AppendHex(out, byte);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::size_t Width(std::string_view printable) {
  std::size_t width = 0;
  while (!printable.empty()) {
    const Character character = Decode(printable);
    width += character.length == 0 ? 1 : WidthOf(character.point);
    printable.remove_prefix(std::max<std::size_t>(character.length, 1));
  }
  return width;
}

std::string CutToWidth(std::string_view printable, std::size_t width) {
  if (Width(printable) <= width) return std::string(printable);
  if (width == 0) return {};
  std::size_t kept = 0;
  std::size_t used = 1;  // The ellipsis.
  while (kept < printable.size()) {
    const Character character = Decode(printable.substr(kept));
    const std::size_t next =
        character.length == 0 ? 1 : WidthOf(character.point);
    if (used + next > width) break;
    used += next;
    kept += std::max<std::size_t>(character.length, 1);
  }
  return std::string(printable.substr(0, kept)) + std::string(kEllipsis);
}

}  // namespace bayou::cli
