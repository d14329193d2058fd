// SPDX-License-Identifier: Apache-2.0
//
// The two JSON libraries behind one small border: simdjson reads, RapidJSON
// writes. Only code that handles JSON text includes this.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "bayou/result.h"

namespace bayou {

using JsonBuffer = rapidjson::StringBuffer;
using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

// RapidJSON takes no null pointer, not even for an empty text.
inline void WriteString(JsonWriter& writer, std::string_view text) {
  writer.String(text.empty() ? "" : text.data(),
                static_cast<rapidjson::SizeType>(text.size()));
}
inline void WriteKey(JsonWriter& writer, std::string_view text) {
  WriteString(writer, text);
}
inline std::string TakeText(const JsonBuffer& buffer) {
  return {buffer.GetString(), buffer.GetSize()};
}

// Deepest nesting that untrusted JSON may have (threats T6 and T7).
inline constexpr std::size_t kMaxJsonDepth = 128;

// Parses one JSON value. The element lives as long as `parser` and until its
// next parse. Errors: kCorruption with the parser's reason; besides bad syntax
// and bad UTF-8 these are integers above 2^64-1, and nesting over `max_depth`.
Result<simdjson::dom::element> ParseJson(simdjson::dom::parser& parser,
                                         std::string_view text,
                                         std::size_t max_depth = kMaxJsonDepth);

// Copies a parsed value into a writer: integers digit by digit, other numbers
// as the shortest text that reads back as the same double.
void CopyJson(simdjson::dom::element value, JsonWriter& writer);

// The same as a text of its own.
std::string JsonText(simdjson::dom::element value);

// The meaning of the text between the quotes of a JSON string; nullopt for a
// bad escape sequence or bad UTF-8.
std::optional<std::string> UnescapeJson(std::string_view inside);

}  // namespace bayou
