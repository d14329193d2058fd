// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/file_statistics.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "base/json.h"

namespace bayou::protocol {
namespace {

using simdjson::error_code;
using simdjson::ondemand::field;
using simdjson::ondemand::json_type;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

// Larger texts get a parser of their own, so that one monster does not stay
// in the memory of every thread.
constexpr std::size_t kMaxKeptSize = std::size_t{1} << 20;

// A parser, and the text with the padding that it reads into.
struct Scratch {
  std::string text;
  simdjson::ondemand::parser parser;
  // Indexes into the paths asked for: those that lead into the object being
  // read, for each object from the root down.
  std::vector<std::size_t> candidates;
};

bool TakeOneOf(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

bool TakeDigits(std::string_view& text) {
  const std::size_t before = text.size();
  while (TakeOneOf(text, "0123456789")) {
  }
  return text.size() < before;
}

// What begins like a number may be `-Infinity`.
bool IsNumber(std::string_view text) {
  TakeOneOf(text, "-");
  if (!TakeDigits(text)) return false;
  if (TakeOneOf(text, ".") && !TakeDigits(text)) return false;
  if (TakeOneOf(text, "eE")) {
    TakeOneOf(text, "+-");
    if (!TakeDigits(text)) return false;
  }
  return text.empty();
}

// Decimals have up to 38 digits, so numbers stay the text that they are.
std::optional<std::string> ScalarText(value json) {
  json_type type{};
  if (json.type().get(type)) return std::nullopt;
  if (type == json_type::string) {
    std::string_view text;
    if (json.get_string().get(text)) return std::nullopt;
    return std::string(text);
  }
  std::string_view token = json.raw_json_token();
  token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
  const bool is_scalar =
      (type == json_type::number && IsNumber(token)) ||
      (type == json_type::boolean && (token == "true" || token == "false"));
  return is_scalar ? std::optional(std::string(token)) : std::nullopt;
}

std::optional<std::int64_t> Count(value json) {
  std::int64_t count = 0;
  if (json.get_int64().get(count) || count < 0) return std::nullopt;
  return count;
}

// A field's name. It is unescaped at most once: the parser has room for each
// string of the text once.
class Name {
 public:
  explicit Name(field& of) : field_(of) {}

  bool operator==(const std::string& name) {
    if (name.find_first_of("\"\\") == std::string::npos) {
      if (field_.key().unsafe_is_equal(name)) return true;
      // Not byte by byte; an escaped spelling may still be the same name.
      if (!HasEscapes()) return false;
    }
    if (!unescaped_) {
      std::string_view text;
      unescaped_ = field_.unescaped_key().get(text) ? std::string_view() : text;
    }
    return *unescaped_ == name;
  }

 private:
  bool HasEscapes() {
    if (!has_escapes_) {
      const char* raw = field_.key().raw();
      has_escapes_ = raw[std::strcspn(raw, "\"\\")] == '\\';
    }
    return *has_escapes_;
  }

  field& field_;
  std::optional<bool> has_escapes_;
  std::optional<std::string_view> unescaped_;
};

// Reads one of minValues, maxValues and nullCount: hands every leaf that one of
// `paths` leads to, with the index of the path, to `take`.
template <typename Take>
class LeafReader {
 public:
  LeafReader(std::span<const ColumnPath> paths,
             std::vector<std::size_t>& candidates, Take take)
      : paths_(paths), candidates_(candidates), take_(take) {}

  error_code Read(value json) {
    candidates_.resize(paths_.size());
    for (std::size_t i = 0; i < paths_.size(); ++i) candidates_[i] = i;
    return ReadObject(json, 0, 0);
  }

 private:
  // `first` is where the candidates of this object begin; they reach to the
  // end. All of them agree with the way here, which has `depth` names.
  error_code ReadObject(value json, std::size_t depth, std::size_t first) {
    object fields;
    // What is no object, a scalar or null, has none of the leaves.
    if (json.get_object().get(fields)) return simdjson::SUCCESS;
    const std::size_t end = candidates_.size();
    for (auto each : fields) {
      field one;
      if (auto error = std::move(each).get(one)) return error;
      Name name(one);
      for (std::size_t i = first; i < end; ++i) {
        const ColumnPath& path = paths_[candidates_[i]];
        if (path.size() > depth && name == path[depth]) {
          candidates_.push_back(candidates_[i]);
        }
      }
      if (candidates_.size() == end) continue;
      if (auto error = ReadValue(one.value(), depth + 1, end)) return error;
      candidates_.resize(end);
    }
    return simdjson::SUCCESS;
  }

  error_code ReadValue(value json, std::size_t depth, std::size_t first) {
    json_type type{};
    if (json.type().get(type)) return simdjson::SUCCESS;  // As a bare NaN.
    if (type == json_type::object) return ReadObject(json, depth, first);
    if (type == json_type::array) return simdjson::SUCCESS;
    const auto scalar = take_.Scalar(json);
    for (std::size_t i = first; i < candidates_.size(); ++i) {
      if (paths_[candidates_[i]].size() == depth) {
        take_.Store(candidates_[i], scalar);
      }
    }
    return simdjson::SUCCESS;
  }

  std::span<const ColumnPath> paths_;
  std::vector<std::size_t>& candidates_;
  Take take_;
};

struct TakeBound {
  std::vector<ColumnBounds>& columns;
  std::optional<std::string> ColumnBounds::*bound;

  static std::optional<std::string> Scalar(value json) { return ScalarText(json); }
  void Store(std::size_t column, const std::optional<std::string>& text) const {
    columns[column].*bound = text;
  }
};

struct TakeNullCount {
  std::vector<ColumnBounds>& columns;

  static std::optional<std::int64_t> Scalar(value json) { return Count(json); }
  void Store(std::size_t column, std::optional<std::int64_t> count) const {
    columns[column].null_count = count;
  }
};

// A `tightBounds` that is neither true nor null could mean anything.
bool IsTight(value json) {
  bool tight = false;
  if (!json.get_bool().get(tight)) return tight;
  return json.is_null();
}

error_code ReadField(field& one, std::span<const ColumnPath> paths,
                     std::vector<std::size_t>& candidates,
                     FileStatistics& statistics) {
  const auto key = one.key();
  const auto read = [&](auto take) {
    return LeafReader(paths, candidates, take).Read(one.value());
  };
  if (key == "numRecords") {
    statistics.num_records = Count(one.value());
  } else if (key == "tightBounds") {
    statistics.tight_bounds = IsTight(one.value());
  } else if (key == "minValues") {
    return read(TakeBound{statistics.columns, &ColumnBounds::min});
  } else if (key == "maxValues") {
    return read(TakeBound{statistics.columns, &ColumnBounds::max});
  } else if (key == "nullCount") {
    return read(TakeNullCount{statistics.columns});
  }
  return simdjson::SUCCESS;
}

error_code Read(Scratch& scratch, std::size_t size,
                std::span<const ColumnPath> paths, FileStatistics& statistics) {
  simdjson::ondemand::document document;
  object root;
  const simdjson::padded_string_view text(scratch.text.data(), size,
                                          scratch.text.size());
  if (auto error = scratch.parser.iterate(text).get(document)) return error;
  if (auto error = document.get_object().get(root)) return error;
  for (auto each : root) {
    field one;
    if (auto error = std::move(each).get(one)) return error;
    if (auto error = ReadField(one, paths, scratch.candidates, statistics)) {
      return error;
    }
  }
  // Anything behind the object?
  const bool at_end =
      document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return at_end ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

error_code Load(std::string_view json, Scratch& scratch) {
  const std::size_t padded = json.size() + simdjson::SIMDJSON_PADDING;
  if (scratch.text.size() < padded) {
    scratch.text.resize(std::bit_ceil(std::max<std::size_t>(padded, 1024)));
  }
  std::memcpy(scratch.text.data(), json.data(), json.size());
  if (scratch.parser.capacity() >= json.size()) return simdjson::SUCCESS;
  return scratch.parser.allocate(scratch.text.size());
}

FileStatistics NoStatistics(std::size_t columns) {
  FileStatistics statistics;
  statistics.columns.resize(columns);
  return statistics;
}

}  // namespace

FileStatistics ReadStatistics(std::string_view json,
                              std::span<const ColumnPath> paths) {
  thread_local Scratch kept;
  std::optional<Scratch> large;
  if (json.size() > kMaxKeptSize) large.emplace();
  Scratch& scratch = large ? *large : kept;

  FileStatistics statistics = NoStatistics(paths.size());
  if (json.empty() || Load(json, scratch) ||
      Read(scratch, json.size(), paths, statistics)) {
    return NoStatistics(paths.size());
  }
  return statistics;
}

}  // namespace bayou::protocol
