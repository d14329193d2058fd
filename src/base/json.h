// SPDX-License-Identifier: Apache-2.0
//
// The two JSON libraries behind one small border: simdjson reads, RapidJSON
// writes. Only code that handles JSON text includes this.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <simdjson.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "bayou/result.h"

namespace bayou {

using JsonBuffer = rapidjson::StringBuffer;
using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

inline void WriteString(JsonWriter& writer, std::string_view text) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
inline void WriteKey(JsonWriter& writer, std::string_view text) {
  writer.Key(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
inline std::string TakeText(const JsonBuffer& buffer) {
  return {buffer.GetString(), buffer.GetSize()};
}

// Deepest nesting that untrusted JSON may have (threats T6 and T7).
inline constexpr std::size_t kMaxJsonDepth = 128;

// Parses one JSON value. The element lives as long as `parser` and until its
// next parse. Errors: kCorruption with the parser's reason.
Result<simdjson::dom::element> ParseJson(simdjson::dom::parser& parser,
                                         std::string_view text);

// Copies a parsed value into a writer, numbers with all their digits.
void CopyJson(simdjson::dom::element value, JsonWriter& writer);

}  // namespace bayou
