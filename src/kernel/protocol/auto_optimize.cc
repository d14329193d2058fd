// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/auto_optimize.h"

#include <string>

#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/property_value.h"

namespace bayou::protocol {
namespace {

std::string_view Find(const StringMap& configuration, const char* key) {
  const auto found = configuration.find(key);
  return found == configuration.end() ? std::string_view() : found->second;
}

}  // namespace

std::optional<bool> PropertyAutoCompact(std::string_view text) {
  if (EqualIgnoringCase(text, "auto") || EqualIgnoringCase(text, "legacy"))
    return true;
  return PropertyBool(text);
}

bool AutoCompacts(const StringMap& configuration) {
  if (PropertyBool(Find(configuration, "delta.autoOptimize")).value_or(false))
    return true;
  return PropertyAutoCompact(
             Find(configuration, "delta.autoOptimize.autoCompact"))
      .value_or(false);
}

bool OptimizesWrites(const StringMap& configuration) {
  return PropertyBool(Find(configuration, "delta.autoOptimize.optimizeWrite"))
      .value_or(false);
}

}  // namespace bayou::protocol
