// SPDX-License-Identifier: Apache-2.0
//
// Scalars as the text in which partition values and statistics store them.
// Strict and exact: text that does not name exactly one value of the type, in
// the type's range, gives nullopt. No clock, no session, no locale.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace bayou::engine {

// Decimal notation with an optional exponent (`-12.50`, `1E+3`) times
// 10^scale, when that is a whole number of at most `digits` digits.
std::optional<__int128> ParseDecimal(std::string_view text, int digits,
                                     int scale);

// Decimal and exponent notation, Java's and JSON's; NaN, Infinity, -Infinity.
std::optional<float> ParseFloat(std::string_view text);
std::optional<double> ParseDouble(std::string_view text);

// yyyy-MM-dd of the proleptic Gregorian calendar, with a sign for years above
// 9999 and below 0.
std::optional<duckdb::date_t> ParseDate(std::string_view text);

struct TimestampText {
  duckdb::timestamp_t local;  // As written, without the zone.
  bool has_offset = false;
  int offset_seconds = 0;  // East of UTC; 0 for Z.

  std::optional<duckdb::timestamp_t> Utc() const;
};
// A date, then optionally `T` or a space, hh:mm[:ss[.fraction]] and Z or
// +hh[[:]mm[[:]ss]]. Digits after the microseconds are dropped.
std::optional<TimestampText> ParseTimestamp(std::string_view text);

std::string FormatDate(duckdb::date_t date);
// yyyy-MM-dd<separator>hh:mm:ss.ffffff
std::string FormatTimestamp(duckdb::timestamp_t timestamp, char separator);
// With a digit in front of the point, as JSON and other readers have it.
std::string FormatDecimal(const duckdb::Value& decimal);
// As Java's toString: `1.0E10`, `0.1`, `NaN`.
std::string FormatDouble(double value);
std::string FormatFloat(float value);

}  // namespace bayou::engine
