// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/property_value.h"

#include <charconv>
#include <utility>

#include "kernel/protocol/letter_case.h"

namespace bayou::protocol {

std::optional<bool> PropertyBool(std::string_view text) {
  if (EqualIgnoringCase(text, "true")) return true;
  if (EqualIgnoringCase(text, "false")) return false;
  return std::nullopt;
}

std::optional<std::int64_t> PropertyInteger(std::string_view text,
                                            std::int64_t least) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value < least) return std::nullopt;
  return value;
}

std::optional<std::int64_t> PropertyBytes(std::string_view text) {
  constexpr std::pair<std::string_view, int> kUnits[] = {
      {"", 0},   {"b", 0},   {"k", 10}, {"kb", 10},
      {"m", 20}, {"mb", 20}, {"g", 30}, {"gb", 30}};
  const std::size_t digits =
      std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = PropertyInteger(text.substr(0, digits), 1);
  for (const auto& [name, shift] : kUnits) {
    if (!EqualIgnoringCase(text.substr(digits), name)) continue;
    if (!count || *count > INT64_MAX >> shift) return std::nullopt;
    return *count << shift;
  }
  return std::nullopt;
}

std::optional<std::string> PropertyCodec(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kCodecs[] = {
      {"snappy", "snappy"},   {"zstd", "zstd"},
      {"gzip", "gzip"},       {"brotli", "brotli"},
      {"lz4_raw", "lz4_raw"}, {"uncompressed", "uncompressed"},
      {"lz4", "lz4_raw"},     {"none", "uncompressed"}};
  for (const auto& [spelling, codec] : kCodecs) {
    if (EqualIgnoringCase(text, spelling)) return std::string(codec);
  }
  return std::nullopt;
}

}  // namespace bayou::protocol
