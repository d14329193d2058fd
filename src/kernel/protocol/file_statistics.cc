// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/file_statistics.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json.h"
#include "base/json_cursor.h"

namespace bayou::protocol {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t CountDigits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  return count;
}

// Whether `text` is a JSON number. It may be a bare NaN or -Infinity, which some
// writers put in its place.
bool IsNumber(std::string_view text) {
  const auto take_digits = [&] {
    const std::size_t count = CountDigits(text);
    text.remove_prefix(count);
    return count > 0;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  if (!take_digits()) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits()) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (!take_digits()) return false;
  }
  return text.empty();
}

std::optional<std::string> StringText(const RawJsonString& string) {
  if (string.has_escapes) return UnescapeJson(string.text);
  if (!simdjson::validate_utf8(string.text.data(), string.text.size())) {
    return std::nullopt;
  }
  return std::string(string.text);
}

// Decimals have up to 38 digits, so numbers stay the text that they are.
std::optional<std::string> TakeBound(JsonCursor& json) {
  if (json.Peek() == '"') return StringText(json.TakeString());
  const std::string_view token = json.TakeToken();
  if (!IsNumber(token) && token != "true" && token != "false") {
    return std::nullopt;
  }
  return std::string(token);
}

std::optional<std::int64_t> TakeCount(JsonCursor& json) {
  if (json.Peek() == '"' || json.Peek() == '{' || json.Peek() == '[') {
    json.SkipValue();
    return std::nullopt;
  }
  const std::string_view token = json.TakeToken();
  std::int64_t count = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, count);
  if (error != std::errc{} || stop != end || count < 0) return std::nullopt;
  return count;
}

bool Equals(const RawJsonString& name, std::string_view text) {
  if (!name.has_escapes) return name.text == text;
  return UnescapeJson(name.text) == text;
}

// Reads one of minValues, maxValues and nullCount. `take` gets the cursor before
// a leaf that one of the paths leads to, and the columns that want it.
template <typename Take>
class LeafReader {
 public:
  LeafReader(JsonCursor& json, std::span<const ColumnPath> paths, Take take)
      : json_(json), paths_(paths), take_(take) {}

  // `wanted` are the paths that lead into the object here, under `depth` names.
  void Read(std::span<const std::size_t> wanted, std::size_t depth) {
    if (json_.Peek() != '{') return json_.SkipValue();
    std::vector<std::size_t> inner;
    RawJsonString name;
    for (json_.EnterObject(); json_.NextField(name);) {
      inner.clear();
      for (std::size_t column : wanted) {
        const ColumnPath& path = paths_[column];
        if (path.size() > depth && Equals(name, path[depth])) {
          inner.push_back(column);
        }
      }
      if (inner.empty() || json_.Peek() == '[') {
        json_.SkipValue();
      } else if (json_.Peek() == '{') {
        Read(inner, depth + 1);
      } else {
        std::erase_if(inner, [&](std::size_t column) {
          return paths_[column].size() != depth + 1;
        });
        take_(json_, inner);
      }
    }
  }

 private:
  JsonCursor& json_;
  std::span<const ColumnPath> paths_;
  Take take_;
};

class StatisticsReader {
 public:
  StatisticsReader(std::string_view text, std::span<const ColumnPath> paths)
      : json_(text), paths_(paths) {
    statistics_.columns.resize(paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) all_.push_back(i);
  }

  // Returns false when the text is no JSON object.
  bool Read() {
    RawJsonString name;
    for (json_.EnterObject(); json_.NextField(name);) ReadField(name.text);
    return json_.AtEnd();
  }

  FileStatistics Take() { return std::move(statistics_); }

 private:
  void ReadField(std::string_view name) {
    if (name == "numRecords") {
      statistics_.num_records = TakeCount(json_);
    } else if (name == "tightBounds") {
      statistics_.tight_bounds = TakeTight();
    } else if (name == "minValues") {
      ReadBounds(&ColumnBounds::min);
    } else if (name == "maxValues") {
      ReadBounds(&ColumnBounds::max);
    } else if (name == "nullCount") {
      ReadLeaves([&](JsonCursor& json, std::span<const std::size_t> columns) {
        const auto count = TakeCount(json);
        for (std::size_t i : columns) statistics_.columns[i].null_count = count;
      });
    } else {
      json_.SkipValue();
    }
  }

  void ReadBounds(std::optional<std::string> ColumnBounds::*bound) {
    ReadLeaves([&](JsonCursor& json, std::span<const std::size_t> columns) {
      const auto text = TakeBound(json);
      for (std::size_t i : columns) statistics_.columns[i].*bound = text;
    });
  }

  template <typename Take>
  void ReadLeaves(Take take) {
    LeafReader(json_, paths_, take).Read(all_, 0);
  }

  // What is neither true nor false nor null could mean anything.
  bool TakeTight() {
    if (json_.Peek() != 't' && json_.Peek() != 'n') {
      json_.SkipValue();
      return false;
    }
    const std::string_view token = json_.TakeToken();
    return token == "true" || token == "null";
  }

  JsonCursor json_;
  std::span<const ColumnPath> paths_;
  std::vector<std::size_t> all_;  // The indexes of all paths.
  FileStatistics statistics_;
};

}  // namespace

FileStatistics ReadStatistics(std::string_view json,
                              std::span<const ColumnPath> paths) {
  StatisticsReader reader(json, paths);
  if (reader.Read()) return reader.Take();
  FileStatistics none;
  none.columns.resize(paths.size());
  return none;
}

}  // namespace bayou::protocol
