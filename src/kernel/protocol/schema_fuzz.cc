// SPDX-License-Identifier: Apache-2.0
//
// Schemas survive being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernel/protocol/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace bayou::protocol;  // NOLINT
  const auto schema = ParseSchema({reinterpret_cast<const char*>(data), size});
  if (!schema) return 0;
  const auto again = ParseSchema(SchemaToJson(*schema));
  if (!again || !(*again == *schema)) std::abort();
  for (const Field& field : schema->fields) {
    (void)TypeName(field.type);
    (void)TypeToJson(field.type);
    (void)field.physical_name();
    if (schema->Find(field.name) == nullptr) std::abort();
  }
  return 0;
}
