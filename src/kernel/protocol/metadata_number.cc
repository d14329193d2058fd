// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/metadata_number.h"

#include <charconv>

namespace bayou::protocol {

std::optional<std::int64_t> MetadataNumber(const Field& field,
                                           std::string_view key) {
  const auto text = field.MetadataText(key);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace bayou::protocol
