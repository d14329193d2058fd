// SPDX-License-Identifier: Apache-2.0
//
// The kinds of values that table properties take, as text in the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bayou::protocol {

// Each gives nullopt for text that is no such value.

// `true` or `false` in any case.
std::optional<bool> PropertyBool(std::string_view text);

// A decimal integer of at least `least`.
std::optional<std::int64_t> PropertyInteger(std::string_view text,
                                            std::int64_t least);

// A positive number of bytes: `134217728`, `128mb`, `1GB`.
std::optional<std::int64_t> PropertyBytes(std::string_view text);

// A Parquet codec by the name that DuckDB has for it: snappy, zstd, gzip,
// brotli, lz4_raw, uncompressed.
std::optional<std::string> PropertyCodec(std::string_view text);

}  // namespace bayou::protocol
