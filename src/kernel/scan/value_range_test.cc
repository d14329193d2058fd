// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/value_range.h"

#include <gtest/gtest.h>

#include <limits>

namespace bayou::scan {
namespace {

using duckdb::ExpressionType;
using duckdb::Value;
using protocol::ColumnBounds;
using protocol::DataType;
using protocol::TypeKind;

constexpr auto kEqual = ExpressionType::COMPARE_EQUAL;
constexpr auto kLess = ExpressionType::COMPARE_LESSTHAN;
constexpr auto kGreater = ExpressionType::COMPARE_GREATERTHAN;
constexpr auto kAtLeast = ExpressionType::COMPARE_GREATERTHANOREQUALTO;
constexpr auto kUnequal = ExpressionType::COMPARE_NOTEQUAL;

ValueRange Range(TypeKind kind, const char* min, const char* max,
                 std::optional<std::int64_t> nulls = 0,
                 std::optional<std::int64_t> rows = 10, bool nested = false) {
  ColumnBounds bounds;
  if (min) bounds.min = min;
  if (max) bounds.max = max;
  bounds.null_count = nulls;
  return RangeOf(bounds, rows, DataType::Of(kind), nested);
}

bool May(const ValueRange& range, ExpressionType op, const Value& constant) {
  return Compare(range, op, constant).can_be_true;
}

TEST(ValueRange, IntegersWithinBounds) {
  const auto range = Range(TypeKind::kInteger, "3", "7");
  EXPECT_FALSE(May(range, kEqual, Value::INTEGER(2)));
  EXPECT_TRUE(May(range, kEqual, Value::INTEGER(3)));
  EXPECT_TRUE(May(range, kEqual, Value::INTEGER(7)));
  EXPECT_FALSE(May(range, kEqual, Value::INTEGER(8)));
  EXPECT_FALSE(May(range, kLess, Value::INTEGER(3)));
  EXPECT_FALSE(May(range, kGreater, Value::INTEGER(7)));
  EXPECT_TRUE(May(range, kAtLeast, Value::INTEGER(7)));
  EXPECT_TRUE(May(range, kUnequal, Value::INTEGER(5)));
  EXPECT_FALSE(
      May(Range(TypeKind::kInteger, "5", "5"), kUnequal, Value::INTEGER(5)));
}

TEST(ValueRange, NothingKnownIsNothingSkipped) {
  const auto range = Range(TypeKind::kInteger, nullptr, nullptr, {}, {});
  for (const auto op : {kEqual, kLess, kGreater, kAtLeast, kUnequal}) {
    const Outcomes outcomes = Compare(range, op, Value::INTEGER(1));
    EXPECT_TRUE(outcomes.can_be_true && outcomes.can_be_false &&
                outcomes.can_be_null);
  }
}

TEST(ValueRange, ACutMaximumStandsForAllThatBeginWithIt) {
  const auto range = Range(TypeKind::kString, "a", "abc");
  EXPECT_TRUE(May(range, kGreater, Value("abc")));
  EXPECT_TRUE(May(range, kEqual, Value("abcdef")));
  EXPECT_TRUE(May(range, kGreater, Value("abcdef")));
  EXPECT_FALSE(May(range, kEqual, Value("abd")));
  EXPECT_TRUE(StartsWith(range, "abcd").can_be_true);
  EXPECT_TRUE(StartsWith(range, "ab").can_be_true);
  EXPECT_FALSE(StartsWith(range, "b").can_be_true);
}

TEST(ValueRange, AMaximumInMillisecondsStandsForItsMicroseconds) {
  const auto range = Range(TypeKind::kTimestamp, "2024-01-01T00:00:00.123Z",
                           "2024-01-01T00:00:00.123Z");
  const auto at = [](std::int64_t micros) {
    return Value::TIMESTAMPTZ(
        duckdb::timestamp_tz_t(1704067200000000 + micros));
  };
  EXPECT_TRUE(May(range, kEqual, at(123456)));
  EXPECT_TRUE(May(range, kGreater, at(123400)));
  EXPECT_FALSE(May(range, kAtLeast, at(124000)));
  EXPECT_FALSE(May(range, kLess, at(123000)));
}

TEST(ValueRange, OfAFileWithoutStatisticsLeavesNothingOut) {
  const ValueRange unknown;
  for (const double constant :
       {0.0, std::numeric_limits<double>::quiet_NaN()}) {
    for (const auto op :
         {ExpressionType::COMPARE_EQUAL, ExpressionType::COMPARE_NOTEQUAL,
          ExpressionType::COMPARE_LESSTHAN,
          ExpressionType::COMPARE_GREATERTHANOREQUALTO}) {
      EXPECT_TRUE(Compare(unknown, op, Value::DOUBLE(constant)).can_be_true);
    }
  }
}

TEST(ValueRange, NanIsAboveEveryBound) {
  const auto range = Range(TypeKind::kDouble, "1.0", "3.0");
  EXPECT_TRUE(May(range, kGreater, Value::DOUBLE(5)));
  EXPECT_TRUE(May(range, kUnequal, Value::DOUBLE(3)));
  EXPECT_TRUE(May(range, kEqual,
                  Value::DOUBLE(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_FALSE(May(range, kEqual, Value::DOUBLE(5)));
  EXPECT_FALSE(May(range, kLess, Value::DOUBLE(1)));
  // NOT (d <= 5)
  EXPECT_TRUE(Not(Compare(range, ExpressionType::COMPARE_LESSTHANOREQUALTO,
                          Value::DOUBLE(5)))
                  .can_be_true);
}

// Spark writes a float's bound as the shortest text that reads back as the
// float; the column is a double by now.
TEST(ValueRange, OfAColumnThatWasWidenedFromFloat) {
  const auto range = Range(TypeKind::kDouble, "0.1", "0.1");
  EXPECT_TRUE(May(range, kEqual, Value::DOUBLE(0.1F)));
  EXPECT_TRUE(May(range, kEqual, Value::DOUBLE(0.1)));
  EXPECT_TRUE(May(range, kGreater, Value::DOUBLE(0.1)));
  EXPECT_FALSE(May(range, kLess, Value::DOUBLE(0.1)));
  EXPECT_TRUE(May(Range(TypeKind::kDouble, "-0.1", "-0.1"), kLess,
                  Value::DOUBLE(-0.1)));
  EXPECT_FALSE(May(range, kEqual, Value::DOUBLE(0.1001)));
}

// delta-rs writes the bounds of decimals as doubles.
TEST(ValueRange, OfADecimalThatWasRoundedToADouble) {
  const auto decimal = [](const char* text, int scale) {
    Value value(text);
    EXPECT_TRUE(value.DefaultTryCastAs(
        duckdb::LogicalType::DECIMAL(20, static_cast<std::uint8_t>(scale))));
    return value;
  };
  const auto range = [](const char* bound, int scale) {
    ColumnBounds bounds;
    bounds.min = bounds.max = bound;
    return RangeOf(bounds, 10, DataType::Decimal(20, scale), false);
  };
  EXPECT_TRUE(May(range("86857348367877.38", 2), kEqual,
                  decimal("86857348367877.37", 2)));
  EXPECT_FALSE(May(range("86857348367877.38", 2), kEqual,
                   decimal("86857348367879.00", 2)));
  EXPECT_TRUE(May(range("9223372036854775807", 0), kGreater,
                  decimal("10000000000000000000", 0)));
  EXPECT_FALSE(May(range("1.25", 2), kEqual, decimal("1.26", 2)));
}

TEST(ValueRange, NullCounts) {
  EXPECT_FALSE(IsNull(Range(TypeKind::kInteger, "1", "2", 0)).can_be_true);
  EXPECT_TRUE(IsNull(Range(TypeKind::kInteger, "1", "2", 3)).can_be_true);
  const auto all_null = Range(TypeKind::kInteger, nullptr, nullptr, 10, 10);
  EXPECT_FALSE(May(all_null, kUnequal, Value::INTEGER(1)));
  EXPECT_FALSE(Not(IsNull(all_null)).can_be_true);
  // Writers disagree on what the count of a list counts.
  ColumnBounds of_list;
  of_list.null_count = 2;
  DataType list = DataType::Of(TypeKind::kArray);
  list.children.push_back(DataType::Of(TypeKind::kLong));
  EXPECT_TRUE(IsNull(RangeOf(of_list, 2, list, false)).can_be_false);
  // A field of a NULL struct is NULL, whatever its own count says.
  EXPECT_TRUE(
      IsNull(Range(TypeKind::kInteger, "1", "2", 0, 10, true)).can_be_true);
}

TEST(ValueRange, DistinctFromLooksAtNulls) {
  const auto range = Range(TypeKind::kInteger, "5", "5", 1);
  EXPECT_TRUE(
      May(range, ExpressionType::COMPARE_DISTINCT_FROM, Value::INTEGER(5)));
  EXPECT_FALSE(May(Range(TypeKind::kInteger, "5", "5", 0),
                   ExpressionType::COMPARE_DISTINCT_FROM, Value::INTEGER(5)));
  EXPECT_FALSE(May(Range(TypeKind::kInteger, "5", "5", 0),
                   ExpressionType::COMPARE_NOT_DISTINCT_FROM,
                   Value(duckdb::LogicalType::INTEGER)));
}

TEST(ValueRange, ABoundOfAnotherTypeSaysNothing) {
  const auto range = Range(TypeKind::kInteger, "3", "7");
  EXPECT_TRUE(May(range, kEqual, Value::BIGINT(100)));
  EXPECT_FALSE(May(CastRange(range, duckdb::LogicalType::BIGINT), kEqual,
                   Value::BIGINT(100)));
}

}  // namespace
}  // namespace bayou::scan
