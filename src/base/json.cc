// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

namespace bayou {

Result<simdjson::dom::element> ParseJson(simdjson::dom::parser& parser,
                                         std::string_view text,
                                         std::size_t max_depth) {
  simdjson::error_code error = simdjson::SUCCESS;
  if (parser.max_depth() != max_depth || parser.capacity() < text.size()) {
    error = parser.allocate(text.size(), max_depth);
  }
  simdjson::dom::element value;
  // Told to copy the text, the parser needs no padding behind it.
  if (!error) error = parser.parse(text.data(), text.size(), true).get(value);
  if (error) {
    return Fail(ErrorCode::kCorruption, "JSON_INVALID",
                simdjson::error_message(error));
  }
  return value;
}

// The conversions below throw on a wrong type, which the switch rules out.
void CopyJson(simdjson::dom::element value, JsonWriter& writer) {
  using simdjson::dom::element_type;
  switch (value.type()) {
    case element_type::ARRAY: {
      const simdjson::dom::array items = value;
      writer.StartArray();
      for (simdjson::dom::element item : items) CopyJson(item, writer);
      writer.EndArray();
      break;
    }
    case element_type::OBJECT: {
      const simdjson::dom::object fields = value;
      writer.StartObject();
      for (const auto& [key, item] : fields) {
        WriteKey(writer, key);
        CopyJson(item, writer);
      }
      writer.EndObject();
      break;
    }
    case element_type::INT64:
      writer.Int64(value);
      break;
    case element_type::UINT64:
      writer.Uint64(value);
      break;
    case element_type::DOUBLE:
      writer.Double(value);
      break;
    case element_type::STRING:
      WriteString(writer, value);
      break;
    case element_type::BOOL:
      writer.Bool(value);
      break;
    case element_type::NULL_VALUE:
      writer.Null();
      break;
  }
}

std::string JsonText(simdjson::dom::element value) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  CopyJson(value, writer);
  return TakeText(buffer);
}

std::optional<std::string> UnescapeJson(std::string_view inside) {
  simdjson::dom::parser parser;
  const std::string quoted = "\"" + std::string(inside) + "\"";
  const auto value = ParseJson(parser, quoted);
  std::string_view text;
  if (!value || value->get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

}  // namespace bayou
