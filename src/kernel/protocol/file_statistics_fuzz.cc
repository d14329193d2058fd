// SPDX-License-Identifier: Apache-2.0
//
// Statistics that a strict parser takes are read as it reads them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/json.h"
#include "kernel/protocol/file_statistics.h"

namespace {

using bayou::protocol::ColumnPath;

// Duplicate names are the writer's fault, and readers differ about them.
bool HasNameTwice(const simdjson::dom::object& fields) {
  std::size_t equal = 0;
  for (const auto& [name, value] : fields) {
    for (const auto& [other, ignored] : fields) equal += name == other ? 1 : 0;
    simdjson::dom::object inner;
    if (!value.get(inner) && HasNameTwice(inner)) return true;
  }
  return equal > fields.size();
}

void Compare(const simdjson::dom::object& fields,
             const bayou::protocol::FileStatistics& statistics) {
  std::int64_t records = 0;
  const bool has_records = !fields["numRecords"].get(records) && records >= 0;
  if (statistics.num_records.has_value() != has_records) std::abort();
  if (has_records && *statistics.num_records != records) std::abort();
  std::string_view bound;
  if (!fields["minValues"]["a"].get(bound) &&
      statistics.columns[0].min != bound) {
    std::abort();
  }
  std::int64_t nulls = 0;
  if (!fields["nullCount"]["s"]["x"].get(nulls) && nulls >= 0 &&
      statistics.columns[1].null_count != nulls) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<ColumnPath> paths = {{"a"}, {"s", "x"}, {"q\"uote"}, {"s"}};
  const auto statistics = bayou::protocol::ReadStatistics(text, paths);
  if (statistics.columns.size() != paths.size()) std::abort();

  simdjson::dom::parser parser;
  const auto strict = bayou::ParseJson(parser, text, 60);
  simdjson::dom::object fields;
  if (strict && !strict->get(fields) && !HasNameTwice(fields)) {
    Compare(fields, statistics);
  }
  return 0;
}
