// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernel/protocol/table_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto interval = bayou::protocol::ParseInterval(text);
  if (interval && interval->count() < 0) std::abort();
  (void)bayou::protocol::CheckUserProperties(
      {{std::string(text), "1"}, {"delta.targetFileSize", std::string(text)}});
  return 0;
}
