// SPDX-License-Identifier: Apache-2.0
//
// Walks through JSON text and looks at no more of it than it is asked for.
//
// For texts of a few hundred bytes of which a million are read, each for a value
// or two: a parser's set-up would cost more than the walk. What is passed over is
// checked for quotes and brackets that match, and for nothing else.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace bayou {

// A string of the text, as it stands between its quotes.
struct RawJsonString {
  std::string_view text;
  bool has_escapes = false;
};

class JsonCursor {
 public:
  // `text` must outlive the cursor, and needs no padding.
  explicit JsonCursor(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  // Once something does not fit, every call fails.
  bool failed() const { return failed_; }

  // The first character of what comes next; NUL at the end.
  char Peek() {
    SkipSpace();
    return at_ == end_ ? '\0' : *at_;
  }
  bool AtEnd() { return Peek() == '\0' && at_ == end_ && !failed_; }

  // Steps into an object. Fields follow by NextField, each with its value, until
  // that returns false.
  void EnterObject() {
    Require(Take('{'));
    fresh_ = true;
  }
  bool NextField(RawJsonString& name) {
    const bool first = fresh_;
    fresh_ = false;
    if (failed_ || Take('}')) return false;
    if (!first) Require(Take(','));
    name = TakeString();
    Require(Take(':'));
    return !failed_;
  }

  RawJsonString TakeString() {
    if (!Require(Take('"'))) return {};
    RawJsonString string;
    const char* first = at_;
    for (FindQuoteOrEscape(); at_ != end_ && *at_ == '\\'; FindQuoteOrEscape()) {
      string.has_escapes = true;
      if (!Require(end_ - at_ >= 2)) return {};
      at_ += 2;
    }
    if (!Require(at_ != end_)) return {};
    string.text = {first, static_cast<std::size_t>(at_ - first)};
    ++at_;
    return string;
  }

  // A number, true, false, null, or whatever stands in their place.
  std::string_view TakeToken() {
    SkipSpace();
    const char* first = at_;
    while (at_ != end_ && !EndsToken(*at_)) ++at_;
    Require(at_ != first);
    return {first, static_cast<std::size_t>(at_ - first)};
  }

  // Passes over one value of any kind, nested 64 deep at most.
  void SkipValue() {
    std::uint64_t objects = 0;  // A bit for each open bracket: 1 for an object.
    int depth = 0;
    do {
      switch (Peek()) {
        case '"':
          TakeString();
          break;
        case '{':
        case '[':
          if (!Require(depth < 64)) return;
          objects = objects << 1 | (*at_ == '{' ? 1 : 0);
          ++depth;
          ++at_;
          break;
        case '}':
        case ']':
          if (!Require(depth > 0 && (objects & 1) == (*at_ == '}' ? 1u : 0u))) {
            return;
          }
          objects >>= 1;
          --depth;
          ++at_;
          break;
        case ',':
        case ':':
          if (!Require(depth > 0)) return;
          ++at_;
          break;
        default:
          TakeToken();
      }
    } while (depth > 0 && !failed_);
  }

 private:
  static bool IsSpace(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
  }
  static bool EndsToken(char c) {
    switch (c) {
      case ',':
      case ':':
      case '{':
      case '}':
      case '[':
      case ']':
      case '"':
        return true;
      default:
        return IsSpace(c);
    }
  }

  void SkipSpace() {
    while (at_ != end_ && IsSpace(*at_)) ++at_;
  }

  bool Take(char c) {
    SkipSpace();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool Require(bool fits) {
    if (!fits) [[unlikely]] {
      failed_ = true;
      at_ = end_;
    }
    return fits;
  }

  // The lowest byte of `word` that equals `c` has its high bit set in the result.
  static std::uint64_t BytesEqual(std::uint64_t word, char c) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    const std::uint64_t difference = word ^ (kOnes * static_cast<std::uint8_t>(c));
    return (difference - kOnes) & ~difference & (kOnes << 7);
  }

  // Moves to the next quote or backslash, eight bytes at a time.
  void FindQuoteOrEscape() {
    static_assert(std::endian::native == std::endian::little);
    while (end_ - at_ >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at_, sizeof word);
      const std::uint64_t found = BytesEqual(word, '"') | BytesEqual(word, '\\');
      if (found != 0) {
        at_ += std::countr_zero(found) / 8;
        return;
      }
      at_ += 8;
    }
    while (at_ != end_ && *at_ != '"' && *at_ != '\\') ++at_;
  }

  const char* at_;
  const char* end_;
  bool fresh_ = false;  // No field of the object entered last has been read.
  bool failed_ = false;
};

}  // namespace bayou
