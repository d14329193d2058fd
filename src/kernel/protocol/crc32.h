// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 as in zlib (IEEE 802.3, reflected), which guards deletion vectors.
#pragma once

#include <cstdint>
#include <string_view>

namespace bayou::protocol {

std::uint32_t Crc32(std::string_view bytes);

}  // namespace bayou::protocol
