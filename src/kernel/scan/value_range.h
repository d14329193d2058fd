// SPDX-License-Identifier: Apache-2.0
//
// What a file's statistics tell about the values of one column, and what that
// tells about a condition on it. Never more than is certain whoever wrote the
// statistics. Protocol: "Per-file Statistics".
//
// Three-valued: a condition can be true, false or NULL on a row, and the
// question is which of these it can be on any row of the file.
#pragma once

#include <duckdb.hpp>
#include <optional>
#include <string_view>

#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/schema.h"

namespace bayou::scan {

// The outcomes that a condition may have on the rows of a file.
struct Outcomes {
  bool can_be_true = true;
  bool can_be_false = true;
  bool can_be_null = true;
};

Outcomes And(const Outcomes& a, const Outcomes& b);
Outcomes Or(const Outcomes& a, const Outcomes& b);
Outcomes Not(const Outcomes& a);

struct ValueRange {
  std::optional<duckdb::Value> min;  // No value is less.
  std::optional<duckdb::Value>
      max;                     // No value is greater, but for the next two.
  bool max_is_prefix = false;  // Strings: values that begin with `max` are.
  bool can_be_nan = true;      // Floats: NaN is greater than any number.
  bool can_be_null = true;
  bool can_be_value = true;  // False: NULL in every row.
};

// Statistics hold milliseconds cut off: a maximum stands for up to so many
// microseconds more.
inline constexpr std::int64_t kLostMicros = 999;

// Decimals of more digits may have been rounded to a double by their writer.
inline constexpr int kExactDigits = 15;

bool IsFloat(const duckdb::LogicalType& type);  // FLOAT or DOUBLE.
bool IsNan(const duckdb::Value& value);

// The range of a column of type `type`. `num_records` as in the statistics;
// `nested`: the column is a field of a struct.
ValueRange RangeOf(const protocol::ColumnBounds& bounds,
                   std::optional<std::int64_t> num_records,
                   const protocol::DataType& type, bool nested);

// The range of cast(column as type). The cast must keep the order of values.
ValueRange CastRange(ValueRange range, const duckdb::LogicalType& type);

// `column <op> constant`, for the six comparisons, IS [NOT] DISTINCT FROM.
Outcomes Compare(const ValueRange& range, duckdb::ExpressionType op,
                 const duckdb::Value& constant);
Outcomes StartsWith(const ValueRange& range, std::string_view prefix);
Outcomes IsNull(const ValueRange& range);

}  // namespace bayou::scan
