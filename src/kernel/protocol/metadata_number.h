// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernel/protocol/schema.h"

namespace bayou::protocol {

// A whole number in a field's metadata, as a JSON number or as text; nullopt
// when it is no such number, or is not there.
std::optional<std::int64_t> MetadataNumber(const Field& field,
                                           std::string_view key);

}  // namespace bayou::protocol
