// SPDX-License-Identifier: Apache-2.0
//
// Little-endian numbers from the front of untrusted bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bayou::protocol {

// Reading past the end gives zeros and nothing, and sets failed(): check it
// once behind a group of reads, and before a number that was read is believed.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint16_t U16() { return Number<std::uint16_t>(); }
  std::uint32_t U32() { return Number<std::uint32_t>(); }
  std::uint64_t U64() { return Number<std::uint64_t>(); }

  std::string_view Take(std::size_t size) {
    if (size > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest() const { return rest_; }
  bool failed() const { return failed_; }

 private:
  static_assert(std::endian::native == std::endian::little);

  template <typename Unsigned>
  Unsigned Number() {
    Unsigned value = 0;
    const std::string_view bytes = Take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace bayou::protocol
