// SPDX-License-Identifier: Apache-2.0
//
// Actions survive being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernel/protocol/actions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace bayou::protocol;  // NOLINT
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto actions = ParseActions(text, "fuzz");
  if (!actions) return 0;
  for (const Action& action : *actions) {
    const std::string line = ActionToJson(action);
    const auto again = ParseActions(line, "again");
    if (!again || again->size() != 1) std::abort();
    if (ActionToJson(again->front()) != line) std::abort();
    if (const auto* add = std::get_if<AddFile>(&action)) {
      (void)FileKey(add->path, add->deletion_vector);
      if (add->deletion_vector) (void)add->deletion_vector->FilePath();
    }
  }
  return 0;
}
