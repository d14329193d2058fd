// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/loose_statistics.h"

#include <string_view>

#include "base/json_cursor.h"
#include "kernel/protocol/file_statistics.h"

namespace bayou::protocol {
namespace {

// Where the value of tightBounds stands in an object; empty: nowhere. nullopt
// when `json` is no object, or when the value is none of true, false and null.
std::optional<std::string_view> FindTightBounds(std::string_view json) {
  JsonCursor cursor(json);
  std::string_view value;
  RawJsonString name;
  for (cursor.EnterObject(); cursor.NextField(name);) {
    if (name.text != "tightBounds") {
      cursor.SkipValue();
      continue;
    }
    const char first = cursor.Peek();
    if (first != 't' && first != 'f' && first != 'n') return std::nullopt;
    value = cursor.TakeToken();
  }
  if (!cursor.AtEnd()) return std::nullopt;
  return value;
}

}  // namespace

std::string LooseStatistics(const std::optional<std::string>& stats,
                            std::int64_t num_records) {
  std::string json = stats.value_or("{}");
  auto tight = FindTightBounds(json);
  if (!tight) {
    json = "{}";
    tight = "";
  }
  if (!tight->empty()) {
    json.replace(static_cast<std::size_t>(tight->data() - json.data()),
                 tight->size(), "false");
  } else {
    const std::size_t end = json.rfind('}');
    const bool is_empty =
        json.find_last_not_of(" \t\r\n", end - 1) == json.find('{');
    json.insert(
        end, is_empty ? R"("tightBounds":false)" : R"(,"tightBounds":false)");
  }
  if (!ReadStatistics(json, {}).num_records) {
    json.insert(json.find('{') + 1,
                R"("numRecords":)" + std::to_string(num_records) + ",");
  }
  return json;
}

}  // namespace bayou::protocol
