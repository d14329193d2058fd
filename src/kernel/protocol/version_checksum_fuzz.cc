// SPDX-License-Identifier: Apache-2.0
//
// A checksum that can be read is written so that it is read alike.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernel/protocol/version_checksum.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using bayou::protocol::ParseVersionChecksum;
  using bayou::protocol::VersionChecksumToJson;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto checksum = ParseVersionChecksum(text, "a");
  if (!checksum) return 0;
  const std::string json = VersionChecksumToJson(*checksum);
  const auto again = ParseVersionChecksum(json, "b");
  if (!again || VersionChecksumToJson(*again) != json) std::abort();
  return 0;
}
