// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/scalar_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace bayou::engine {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool Take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// Takes the digits at the front of `text`: at least `least`, at most `most`.
std::optional<int> TakeNumber(std::string_view& text, std::size_t least,
                              std::size_t most) {
  int value = 0;
  std::size_t count = 0;
  while (count < most && count < text.size() && IsDigit(text[count])) {
    value = value * 10 + (text[count++] - '0');
  }
  if (count < least) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

// The digits of a number without its point, and where the point is.
struct Digits {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;  // The value is digits * 10^exponent.
};

std::optional<Digits> SplitDecimal(std::string_view text) {
  Digits number;
  number.negative = Take(text, '-');
  if (!number.negative) Take(text, '+');
  bool point = false;
  while (!text.empty() &&
         (IsDigit(text.front()) || (text.front() == '.' && !point))) {
    if (text.front() == '.') {
      point = true;
    } else {
      number.digits += text.front();
      if (point) --number.exponent;
    }
    text.remove_prefix(1);
  }
  if (number.digits.empty()) return std::nullopt;
  if (!text.empty()) {
    if (!Take(text, 'e') && !Take(text, 'E')) return std::nullopt;
    const bool negative = Take(text, '-');
    if (!negative) Take(text, '+');
    const auto exponent = TakeNumber(text, 1, 6);
    if (!exponent || !text.empty()) return std::nullopt;
    number.exponent += negative ? -*exponent : *exponent;
  }
  return number;
}

template <typename Float>
std::optional<Float> ParseFloating(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<Float>::quiet_NaN();
  if (text == "Infinity" || text == "+Infinity") {
    return std::numeric_limits<Float>::infinity();
  }
  if (text == "-Infinity") return -std::numeric_limits<Float>::infinity();
  // from_chars takes `inf`, `nan(1)` and, behind a plus, another sign.
  const bool plus = Take(text, '+');
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || (!IsDigit(digits.front()) && digits.front() != '.') ||
      (plus && digits.size() != text.size())) {
    return std::nullopt;
  }
  Float value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// Java's Double.toString, with the shortest digits that read back equal.
template <typename Float>
std::string FormatFloating(Float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char buffer[64];
  const Float size = std::fabs(value);
  if (size == 0 ||
      (size >= static_cast<Float>(1e-3) && size < static_cast<Float>(1e7))) {
    const auto end =
        std::to_chars(buffer, std::end(buffer), value, std::chars_format::fixed)
            .ptr;
    std::string text(buffer, end);
    return text.find('.') == std::string::npos ? text + ".0" : text;
  }
  const auto end = std::to_chars(buffer, std::end(buffer), value,
                                 std::chars_format::scientific)
                       .ptr;
  const std::string text(buffer, end);
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  return fmt::format("{}E{}", mantissa, std::atoi(text.c_str() + e + 1));
}

// Takes the date at the front of `text`.
std::optional<duckdb::date_t> TakeDate(std::string_view& text) {
  const bool negative = Take(text, '-');
  if (!negative) Take(text, '+');
  const auto year = TakeNumber(text, 4, 7);
  if (!year || !Take(text, '-')) return std::nullopt;
  const auto month = TakeNumber(text, 2, 2);
  if (!month || !Take(text, '-')) return std::nullopt;
  const auto day = TakeNumber(text, 2, 2);
  duckdb::date_t date;
  if (!day || !duckdb::Date::TryFromDate(negative ? -*year : *year, *month,
                                         *day, date)) {
    return std::nullopt;
  }
  return date;
}

// Takes `+01:00` and the like.
std::optional<int> TakeOffset(std::string_view& text) {
  const bool west = Take(text, '-');
  if (!west && !Take(text, '+')) return std::nullopt;
  const auto hours = TakeNumber(text, 2, 2);
  if (!hours || *hours > 18) return std::nullopt;
  int seconds = *hours * 3600;
  for (const int unit : {60, 1}) {
    if (text.empty()) break;
    Take(text, ':');
    const auto part = TakeNumber(text, 2, 2);
    if (!part || *part > 59) return std::nullopt;
    seconds += *part * unit;
  }
  return west ? -seconds : seconds;
}

// Takes hh:mm[:ss[.fraction]] in microseconds.
std::optional<std::int64_t> TakeTime(std::string_view& text) {
  const auto hour = TakeNumber(text, 2, 2);
  if (!hour || *hour > 23 || !Take(text, ':')) return std::nullopt;
  const auto minute = TakeNumber(text, 2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  std::int64_t micros = (std::int64_t{*hour} * 60 + *minute) * 60'000'000;
  if (!Take(text, ':')) return micros;
  const auto second = TakeNumber(text, 2, 2);
  if (!second || *second > 59) return std::nullopt;
  micros += std::int64_t{*second} * 1'000'000;
  if (!Take(text, '.')) return micros;
  std::int64_t unit = 100'000;
  while (!text.empty() && IsDigit(text.front())) {
    micros += unit * (text.front() - '0');
    unit /= 10;
    text.remove_prefix(1);
  }
  return micros;
}

std::optional<duckdb::timestamp_t> Add(duckdb::timestamp_t timestamp,
                                       std::int64_t micros) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(timestamp.value, micros, &sum))
    return std::nullopt;
  return duckdb::timestamp_t(sum);
}

}  // namespace

std::optional<__int128> ParseDecimal(std::string_view text, int digits,
                                     int scale) {
  // Nearly all are short whole numbers.
  std::int64_t whole = 0;
  if (scale == 0 &&
      text.size() <= static_cast<std::size_t>(std::min(digits, 18))) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, whole);
    if (error == std::errc{} && stop == end) return whole;
  }
  const auto number = SplitDecimal(text);
  if (!number) return std::nullopt;
  std::string_view all = number->digits;
  all.remove_prefix(std::min(all.find_first_not_of('0'), all.size()));
  if (all.empty()) return 0;
  std::int64_t shift = number->exponent + scale;
  for (; shift < 0 && all.back() == '0'; ++shift) all.remove_suffix(1);
  if (shift < 0 || static_cast<std::int64_t>(all.size()) + shift > digits) {
    return std::nullopt;
  }
  __int128 value = 0;
  for (const char c : all) value = value * 10 + (c - '0');
  for (; shift > 0; --shift) value *= 10;
  return number->negative ? -value : value;
}

std::optional<float> ParseFloat(std::string_view text) {
  return ParseFloating<float>(text);
}
std::optional<double> ParseDouble(std::string_view text) {
  return ParseFloating<double>(text);
}

std::optional<duckdb::date_t> ParseDate(std::string_view text) {
  const auto date = TakeDate(text);
  return date && text.empty() ? date : std::nullopt;
}

std::optional<duckdb::timestamp_t> TimestampText::Utc() const {
  return Add(local, -std::int64_t{offset_seconds} * 1'000'000);
}

std::optional<TimestampText> ParseTimestamp(std::string_view text) {
  const auto date = TakeDate(text);
  if (!date) return std::nullopt;
  TimestampText result;
  if (!duckdb::Timestamp::TryFromDatetime(*date, duckdb::dtime_t(0),
                                          result.local)) {
    return std::nullopt;
  }
  if (text.empty()) return result;
  if (!Take(text, 'T') && !Take(text, ' ')) return std::nullopt;
  const auto time = TakeTime(text);
  if (!time) return std::nullopt;
  const auto local = Add(result.local, *time);
  if (!local) return std::nullopt;
  result.local = *local;
  if (text.empty()) return result;
  result.has_offset = true;
  if (!Take(text, 'Z')) {
    const auto offset = TakeOffset(text);
    if (!offset) return std::nullopt;
    result.offset_seconds = *offset;
  }
  return text.empty() ? std::optional(result) : std::nullopt;
}

std::string FormatDate(duckdb::date_t date) {
  int year = 0;
  int month = 0;
  int day = 0;
  duckdb::Date::Convert(date, year, month, day);
  const std::string sign = year > 9999 ? "+" : year < 0 ? "-" : "";
  return fmt::format("{}{:04}-{:02}-{:02}", sign, std::abs(year), month, day);
}

std::string FormatTimestamp(duckdb::timestamp_t timestamp, char separator) {
  const std::int64_t day = 86'400'000'000;
  std::int64_t micros = timestamp.value % day;
  if (micros < 0) micros += day;
  const auto days = static_cast<std::int32_t>((timestamp.value - micros) / day);
  return fmt::format("{}{}{:02}:{:02}:{:02}.{:06}",
                     FormatDate(duckdb::date_t(days)), separator,
                     micros / 3'600'000'000, micros / 60'000'000 % 60,
                     micros / 1'000'000 % 60, micros % 1'000'000);
}

std::string FormatDecimal(const duckdb::Value& decimal) {
  // DuckDB leaves the zero out where the type has no digit for it.
  std::string text = decimal.ToString();
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  if (text[first] == '.') text.insert(first, 1, '0');
  return text;
}

std::string FormatDouble(double value) { return FormatFloating(value); }
std::string FormatFloat(float value) { return FormatFloating(value); }

}  // namespace bayou::engine
