// SPDX-License-Identifier: Apache-2.0
//
// Whatever is read as a task or a receipt is the same when it is read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ops/commands/rewrite_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace bayou::commands;  // NOLINT
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto task = ParseRewriteMessage(text)) {
    const std::string once = ToText(*task);
    const auto again = ParseRewriteMessage(once);
    if (!again || ToText(*again) != once) std::abort();
  }
  if (const auto receipt = ParseRewriteReceipt(text)) {
    const std::string once = ToText(*receipt);
    const auto again = ParseRewriteReceipt(once);
    if (!again || ToText(*again) != once) std::abort();
  }
  return 0;
}
