// SPDX-License-Identifier: Apache-2.0
//
// Walks through JSON text and looks at no more of it than it is asked for.
//
// For texts of a few hundred bytes of which a million are read, each for a
// value or two: it needs no buffers, no padding and no set-up. What is passed
// over is checked for quotes and brackets that match, and for nothing else.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace bayou {

// A string of the text, as it stands between its quotes.
struct RawJsonString {
  std::string_view text;
  bool has_escapes = false;
};

class JsonCursor {
 public:
  // `text` must outlive the cursor.
  explicit JsonCursor(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  // The first character of what comes next; NUL at the end and after a failure.
  char Peek() {
    at_ = SkipSpace(at_, end_);
    return at_ == end_ ? '\0' : *at_;
  }

  // Whether nothing is left, and all there was has fitted.
  bool AtEnd() {
    Peek();
    return at_ == end_ && !failed_;
  }

  // Steps into an object. Its fields follow by NextField, each to be taken or
  // skipped, until that returns false. Once something does not fit, it does.
  void EnterObject() {
    if (Peek() != '{') return Fail();
    ++at_;
    fresh_ = true;
  }
  bool NextField(RawJsonString& name) {
    const bool first = fresh_;
    fresh_ = false;
    char c = Peek();
    if (c == '}') {
      ++at_;
      return false;
    }
    if (!first) {
      if (c != ',') return FailedField();
      ++at_;
    }
    name = TakeString();
    if (Peek() != ':') return FailedField();
    ++at_;
    return true;
  }

  RawJsonString TakeString() {
    if (Peek() != '"') return FailedString();
    const char* first = at_ + 1;
    const char* at = FindQuoteOrEscape(first, end_);
    RawJsonString string;
    while (at != end_ && *at == '\\') {
      string.has_escapes = true;
      if (end_ - at < 2) return FailedString();
      at = FindQuoteOrEscape(at + 2, end_);
    }
    if (at == end_) return FailedString();
    string.text = {first, static_cast<std::size_t>(at - first)};
    at_ = at + 1;
    return string;
  }

  // A number, true, false, null, or whatever stands in their place.
  std::string_view TakeToken() {
    Peek();
    const char* first = at_;
    at_ = FindTokenEnd(first, end_);
    if (at_ == first) Fail();
    return {first, static_cast<std::size_t>(at_ - first)};
  }

  // Passes over one value of any kind, nested 64 deep at most.
  void SkipValue() {
    const char c = Peek();
    if (c == '{' || c == '[') {
      ++at_;
      SkipRest(c == '{' ? 1u : 0u);
    } else if (c == '"') {
      TakeString();
    } else {
      TakeToken();
    }
  }

  // Passes over what is left of the object entered last, and out of it.
  void SkipFields() {
    fresh_ = false;
    SkipRest(1u);
  }

 private:
  static bool IsSpace(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
  }
  static const char* SkipSpace(const char* at, const char* end) {
    while (at != end && IsSpace(*at)) ++at;
    return at;
  }

  // `objects` has a bit for each open bracket: 1 for an object.
  void SkipRest(std::uint64_t objects) {
    for (int depth = 1; depth > 0 && !failed_;) {
      at_ = FindQuoteOrBracket(at_, end_);
      if (at_ == end_) return Fail();
      const char c = *at_;
      if (c == '"') {
        TakeString();
        continue;
      }
      const bool is_object = c == '{' || c == '}';
      if (c == '{' || c == '[') {
        if (++depth > 64) return Fail();
        objects = objects << 1 | (is_object ? 1u : 0u);
      } else {
        if ((objects & 1) != (is_object ? 1u : 0u)) return Fail();
        objects >>= 1;
        --depth;
      }
      ++at_;
    }
  }

  // By byte: whether it ends a token.
  static constexpr std::array<bool, 256> kEndsToken = [] {
    std::array<bool, 256> ends{};
    for (char c : std::string_view(",:{}[]\" \n\t\r")) {
      ends[static_cast<std::uint8_t>(c)] = true;
    }
    return ends;
  }();
  static const char* FindTokenEnd(const char* at, const char* end) {
    while (at != end && !kEndsToken[static_cast<std::uint8_t>(*at)]) ++at;
    return at;
  }

  static const char* FindQuoteOrBracket(const char* at, const char* end) {
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
      const __m128i bytes =
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      // `{` and `}` are `[` and `]` with one more bit.
      const __m128i curly = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
      const int found = _mm_movemask_epi8(_mm_or_si128(
          _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
          _mm_or_si128(_mm_cmpeq_epi8(curly, _mm_set1_epi8('{')),
                       _mm_cmpeq_epi8(curly, _mm_set1_epi8('}')))));
      if (found != 0)
        return at + std::countr_zero(static_cast<unsigned>(found));
    }
#endif
    while (at != end && *at != '"' && *at != '{' && *at != '}' && *at != '[' &&
           *at != ']')
      ++at;
    return at;
  }

  static const char* FindQuoteOrEscape(const char* at, const char* end) {
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
      const __m128i bytes =
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const int found = _mm_movemask_epi8(
          _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                       _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
      if (found != 0)
        return at + std::countr_zero(static_cast<unsigned>(found));
    }
#endif
    while (at != end && *at != '"' && *at != '\\') ++at;
    return at;
  }

  void Fail() {
    failed_ = true;
    at_ = end_;
  }
  bool FailedField() {
    Fail();
    return false;
  }
  RawJsonString FailedString() {
    Fail();
    return {};
  }

  const char* at_;
  const char* end_;
  bool fresh_ = false;  // No field of the object entered last has been read.
  bool failed_ = false;
};

}  // namespace bayou
