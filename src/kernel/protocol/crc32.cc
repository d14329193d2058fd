// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/crc32.h"

#include <array>

namespace bayou::protocol {
namespace {

constexpr std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1) != 0 ? value >> 1 ^ 0xedb88320u : value >> 1;
    }
    table[i] = value;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kTable = MakeTable();

}  // namespace

std::uint32_t Crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (char c : bytes) {
    crc = kTable[(crc ^ static_cast<std::uint8_t>(c)) & 0xff] ^ crc >> 8;
  }
  return ~crc;
}

}  // namespace bayou::protocol
