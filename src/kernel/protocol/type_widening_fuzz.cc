// SPDX-License-Identifier: Apache-2.0
//
// Two names of types, one a line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kernel/protocol/type_widening.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using bayou::protocol::IsTypeWidening;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  const std::string_view from = text.substr(0, end);
  const std::string_view to = text.substr(end + 1);
  (void)IsTypeWidening(from, to);
  if (!IsTypeWidening(from, from)) std::abort();
  return 0;
}
