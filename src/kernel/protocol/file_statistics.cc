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

// Whether `text` is a JSON number. It may be a bare NaN or -Infinity, which
// some writers put in its place.
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

// Reads one of minValues, maxValues and nullCount. `take` gets the cursor
// before a leaf that one of the paths leads to, and the columns that want it.
// What follows the last of them is passed over unread.
template <typename Take>
class LeafReader {
 public:
  LeafReader(JsonCursor& json, std::span<const ColumnPath> paths,
             std::vector<std::size_t>& wanted, Take take)
      : json_(json), paths_(paths), wanted_(wanted), take_(take) {}

  void Read() {
    wanted_.clear();
    for (std::size_t i = 0; i < paths_.size(); ++i) wanted_.push_back(i);
    left_ = paths_.size();
    ReadObject(0, 0);
  }

 private:
  // The paths that lead into the object here, under `depth` names, are the
  // wanted ones from `first` on.
  void ReadObject(std::size_t depth, std::size_t first) {
    if (json_.Peek() != '{') return json_.SkipValue();
    const std::size_t end = wanted_.size();
    RawJsonString name;
    for (json_.EnterObject(); json_.NextField(name); wanted_.resize(end)) {
      for (std::size_t i = first; i < end; ++i) {
        const ColumnPath& path = paths_[wanted_[i]];
        if (path.size() > depth && Equals(name, path[depth])) {
          wanted_.push_back(wanted_[i]);
        }
      }
      if (wanted_.size() == end || json_.Peek() == '[') {
        json_.SkipValue();
      } else if (json_.Peek() == '{') {
        ReadObject(depth + 1, end);
      } else {
        ReadLeaf(depth + 1, end);
      }
      if (left_ == 0) return json_.SkipFields();
    }
  }

  void ReadLeaf(std::size_t depth, std::size_t first) {
    const auto value = take_.Take(json_);
    for (std::size_t i = first; i < wanted_.size(); ++i) {
      if (paths_[wanted_[i]].size() != depth) continue;
      take_.Store(wanted_[i], value);
      if (left_ > 0) --left_;
    }
  }

  JsonCursor& json_;
  std::span<const ColumnPath> paths_;
  std::vector<std::size_t>& wanted_;  // Indexes of paths.
  std::size_t left_ = 0;              // Leaves that are still to come.
  Take take_;
};

struct Bounds {
  std::vector<ColumnBounds>& columns;
  std::optional<std::string> ColumnBounds::* bound;

  static auto Take(JsonCursor& json) { return TakeBound(json); }
  void Store(std::size_t column, const std::optional<std::string>& text) const {
    columns[column].*bound = text;
  }
};

struct NullCounts {
  std::vector<ColumnBounds>& columns;

  static auto Take(JsonCursor& json) { return TakeCount(json); }
  void Store(std::size_t column, std::optional<std::int64_t> count) const {
    columns[column].null_count = count;
  }
};

class StatisticsReader {
 public:
  StatisticsReader(std::string_view text, std::span<const ColumnPath> paths)
      : json_(text), paths_(paths) {
    statistics_.columns.resize(paths.size());
    wanted_.reserve(2 * paths.size());
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
      ReadLeaves(Bounds{statistics_.columns, &ColumnBounds::min});
    } else if (name == "maxValues") {
      ReadLeaves(Bounds{statistics_.columns, &ColumnBounds::max});
    } else if (name == "nullCount") {
      ReadLeaves(NullCounts{statistics_.columns});
    } else {
      json_.SkipValue();
    }
  }

  template <typename Take>
  void ReadLeaves(Take take) {
    if (paths_.empty()) return json_.SkipValue();
    LeafReader(json_, paths_, wanted_, take).Read();
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
  std::vector<std::size_t> wanted_;
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
