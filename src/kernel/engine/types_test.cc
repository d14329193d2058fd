// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::engine {
namespace {

using duckdb::LogicalType;
using protocol::DataType;
using protocol::TypeKind;

DataType Of(TypeKind kind) { return DataType::Of(kind); }

// The value as SQL prints it, "NULL", or "invalid".
std::string Partition(const std::optional<std::string>& text,
                      const DataType& type) {
  const auto value = ParsePartitionValue(text, type);
  if (!value) {
    EXPECT_EQ(value.error().condition, "DELTA_PARTITION_VALUE_INVALID");
    return "invalid";
  }
  EXPECT_EQ(value->type(), ToLogicalType(type));
  return value->ToString();
}

std::string Bound(std::string_view text, const DataType& type) {
  const auto value = ParseBound(text, type);
  if (!value) return "none";
  EXPECT_EQ(value->type(), ToLogicalType(type));
  return value->ToString();
}

TEST(ParsePartitionValue, TakesNullAndEmptyForNull) {
  for (const TypeKind kind :
       {TypeKind::kString, TypeKind::kLong, TypeKind::kTimestamp,
        TypeKind::kBinary, TypeKind::kVoid}) {
    EXPECT_EQ(Partition(std::nullopt, Of(kind)), "NULL");
    EXPECT_EQ(Partition("", Of(kind)), "NULL");
  }
}

TEST(ParsePartitionValue, ReadsEveryType) {
  EXPECT_EQ(Partition("true", Of(TypeKind::kBoolean)), "true");
  EXPECT_EQ(Partition("-128", Of(TypeKind::kByte)), "-128");
  EXPECT_EQ(Partition("32767", Of(TypeKind::kShort)), "32767");
  EXPECT_EQ(Partition("-2147483648", Of(TypeKind::kInteger)), "-2147483648");
  EXPECT_EQ(Partition("9223372036854775807", Of(TypeKind::kLong)),
            "9223372036854775807");
  EXPECT_EQ(Partition("1.0E10", Of(TypeKind::kDouble)), "10000000000.0");
  EXPECT_EQ(Partition("-Infinity", Of(TypeKind::kFloat)), "-inf");
  EXPECT_EQ(Partition("NaN", Of(TypeKind::kDouble)), "nan");
  EXPECT_EQ(Partition("a'b", Of(TypeKind::kString)), "a'b");
  EXPECT_EQ(Partition("ab", Of(TypeKind::kBinary)), "ab");
  EXPECT_EQ(Partition("12.5", DataType::Decimal(10, 2)), "12.50");
  EXPECT_EQ(Partition("-99999999999999999999999999999999999999",
                      DataType::Decimal(38, 0)),
            "-99999999999999999999999999999999999999");
  EXPECT_EQ(Partition("2024-02-29", Of(TypeKind::kDate)), "2024-02-29");
  EXPECT_EQ(Partition("+10000-01-01", Of(TypeKind::kDate)), "10000-01-01");
}

TEST(ParsePartitionValue, TakesEverySpellingOfAnInstant) {
  for (const char* text :
       {"2024-01-01 10:00:00", "2024-01-01 10:00:00.000000",
        "2024-01-01T10:00:00Z", "2024-01-01T10:00:00.000000Z",
        "2024-01-01T12:00:00+02:00", "2024-01-01 09:00:00-01",
        "2024-01-01 10:00:00+00", "2024-01-01 10:00"}) {
    EXPECT_EQ(Partition(text, Of(TypeKind::kTimestamp)),
              "2024-01-01 10:00:00+00")
        << text;
  }
  EXPECT_EQ(Partition("9999-12-31T23:59:59.999999Z", Of(TypeKind::kTimestamp)),
            "9999-12-31 23:59:59.999999+00");
  EXPECT_EQ(Partition("2024-01-01 10:00:00.5", Of(TypeKind::kTimestampNtz)),
            "2024-01-01 10:00:00.5");
  // A date column that was widened.
  EXPECT_EQ(Partition("2024-01-01", Of(TypeKind::kTimestampNtz)),
            "2024-01-01 00:00:00");
}

TEST(ParsePartitionValue, RefusesWhatIsNoValueOfTheType) {
  EXPECT_EQ(Partition("abc", Of(TypeKind::kInteger)), "invalid");
  EXPECT_EQ(Partition("2147483648", Of(TypeKind::kInteger)), "invalid");
  EXPECT_EQ(Partition("1.5", Of(TypeKind::kLong)), "invalid");
  EXPECT_EQ(Partition(" 1", Of(TypeKind::kLong)), "invalid");
  EXPECT_EQ(Partition("yes", Of(TypeKind::kBoolean)), "invalid");
  EXPECT_EQ(Partition("inf", Of(TypeKind::kDouble)), "invalid");
  EXPECT_EQ(Partition("0x10", Of(TypeKind::kDouble)), "invalid");
  EXPECT_EQ(Partition("1.234", DataType::Decimal(10, 2)), "invalid");
  EXPECT_EQ(Partition("1000", DataType::Decimal(4, 2)), "invalid");
  EXPECT_EQ(Partition("2023-02-29", Of(TypeKind::kDate)), "invalid");
  EXPECT_EQ(Partition("2024-1-1", Of(TypeKind::kDate)), "invalid");
  EXPECT_EQ(Partition("2024-01-01 25:00:00", Of(TypeKind::kTimestamp)),
            "invalid");
  EXPECT_EQ(Partition("2024-01-01 10:00:00 CET", Of(TypeKind::kTimestamp)),
            "invalid");
  EXPECT_EQ(Partition("9999999-01-01 00:00:00", Of(TypeKind::kTimestamp)),
            "invalid");
}

TEST(ParseBound, IsExactOrNothing) {
  EXPECT_EQ(Bound("1E+3", DataType::Decimal(10, 2)), "1000.00");
  EXPECT_EQ(Bound("1.0", Of(TypeKind::kInteger)), "1");
  EXPECT_EQ(Bound("12345678901234567890123456789012345.678",
                  DataType::Decimal(38, 3)),
            "12345678901234567890123456789012345.678");
  EXPECT_EQ(Bound("1.005", DataType::Decimal(10, 2)), "none");
  EXPECT_EQ(Bound("1.5", Of(TypeKind::kLong)), "none");
  EXPECT_EQ(Bound("1e999999", DataType::Decimal(38, 0)), "none");
  EXPECT_EQ(Bound("", Of(TypeKind::kLong)), "none");
  EXPECT_EQ(Bound("", Of(TypeKind::kString)), "");
  EXPECT_EQ(Bound("NaN", Of(TypeKind::kDouble)), "none");
  EXPECT_EQ(Bound("Infinity", Of(TypeKind::kDouble)), "inf");
  EXPECT_EQ(Bound("1e400", Of(TypeKind::kDouble)), "none");
  EXPECT_EQ(Bound("\xff", Of(TypeKind::kString)), "none");
  EXPECT_EQ(Bound("abc", Of(TypeKind::kBinary)), "none");
}

TEST(ParseBound, TakesTimestampsThatNameOneInstant) {
  const DataType instant = Of(TypeKind::kTimestamp);
  EXPECT_EQ(Bound("2024-01-01T00:00:00.123Z", instant),
            "2024-01-01 00:00:00.123+00");
  EXPECT_EQ(Bound("2024-01-01T02:00:00.123+02:00", instant),
            "2024-01-01 00:00:00.123+00");
  EXPECT_EQ(Bound("2024-01-01 00:00:00+00", instant), "2024-01-01 00:00:00+00");
  EXPECT_EQ(Bound("2024-01-01T00:00:00", instant), "none");
  // Local mean time: the seconds of the offset are lost.
  EXPECT_EQ(Bound("1850-01-01T01:01:01.000+00:53", instant), "none");
  EXPECT_EQ(Bound("1850-01-01T00:07:33Z", instant), "1850-01-01 00:07:33+00");
  EXPECT_EQ(Bound("2024-01-01T00:00:00.000", Of(TypeKind::kTimestampNtz)),
            "2024-01-01 00:00:00");
  EXPECT_EQ(Bound("2024-01-01T00:00:00+01:00", Of(TypeKind::kTimestampNtz)),
            "none");
}

TEST(FormatPartitionValue, WritesWhatReadsBack) {
  const std::vector<std::pair<DataType, std::string>> values = {
      {Of(TypeKind::kBoolean), "true"},
      {Of(TypeKind::kByte), "-1"},
      {Of(TypeKind::kLong), "9223372036854775807"},
      {Of(TypeKind::kFloat), "1.5"},
      {Of(TypeKind::kDouble), "1.0E10"},
      {Of(TypeKind::kDouble), "0.001"},
      {Of(TypeKind::kDouble), "1.5E-4"},
      {Of(TypeKind::kDouble), "NaN"},
      {Of(TypeKind::kDouble), "-Infinity"},
      {DataType::Decimal(10, 2), "12.50"},
      {DataType::Decimal(2, 2), "0.25"},
      {DataType::Decimal(38, 38), "-0.0" + std::string(37, '1')},
      {Of(TypeKind::kString), "a b"},
      {Of(TypeKind::kBinary), "bytes"},
      {Of(TypeKind::kDate), "2024-02-29"},
      {Of(TypeKind::kDate), "0001-01-01"},
      {Of(TypeKind::kTimestamp), "2024-01-01T10:00:00.000001Z"},
      {Of(TypeKind::kTimestamp), "0001-01-01T00:00:00.000000Z"},
      {Of(TypeKind::kTimestampNtz), "1969-12-31 23:59:59.999999"}};
  for (const auto& [type, text] : values) {
    EXPECT_EQ(
        FormatPartitionValue(*ParsePartitionValue(text, type), type).value(),
        text);
  }
  EXPECT_EQ(FormatPartitionValue(duckdb::Value(LogicalType::BIGINT),
                                 Of(TypeKind::kLong))
                .value(),
            std::nullopt);
  EXPECT_EQ(
      FormatPartitionValue(duckdb::Value(""), Of(TypeKind::kString)).value(),
      std::nullopt);
}

// Values that other readers, or we ourselves, would not read back.
TEST(FormatPartitionValue, RefusesWhatHasNoText) {
  using duckdb::Value;
  const auto date = [](int year) {
    return Value::DATE(duckdb::Date::FromDate(year, 1, 1));
  };
  const auto at = [](int year) {
    return duckdb::Timestamp::FromDatetime(duckdb::Date::FromDate(year, 1, 1),
                                           duckdb::dtime_t(0));
  };
  const auto infinity = duckdb::timestamp_t::infinity();
  const std::vector<std::pair<DataType, Value>> refused = {
      {Of(TypeKind::kBinary), Value::BLOB_RAW("\xff")},
      {Of(TypeKind::kBinary), Value::BLOB_RAW("a\xc3")},
      {Of(TypeKind::kDate), Value::DATE(duckdb::date_t::infinity())},
      {Of(TypeKind::kDate), Value::DATE(duckdb::date_t::ninfinity())},
      {Of(TypeKind::kDate), date(0)},
      {Of(TypeKind::kDate), date(10000)},
      {Of(TypeKind::kTimestampNtz), Value::TIMESTAMP(infinity)},
      {Of(TypeKind::kTimestampNtz), Value::TIMESTAMP(at(10000))},
      {Of(TypeKind::kTimestamp),
       Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(infinity.value))},
      {Of(TypeKind::kTimestamp),
       Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(at(-43).value))},
  };
  for (const auto& [type, value] : refused) {
    const auto text = FormatPartitionValue(value, type);
    ASSERT_FALSE(text) << value.ToString();
    EXPECT_EQ(text.error().condition, "DELTA_UNSUPPORTED_PARTITION_VALUE");
  }
  EXPECT_EQ(FormatPartitionValue(date(1), Of(TypeKind::kDate)).value(),
            "0001-01-01");
  EXPECT_EQ(FormatPartitionValue(date(9999), Of(TypeKind::kDate)).value(),
            "9999-01-01");
}

TEST(ToLogicalType, NestsAsTheSchemaDoes) {
  DataType map = Of(TypeKind::kMap);
  map.children = {Of(TypeKind::kString), DataType::Decimal(4, 2)};
  DataType array = Of(TypeKind::kArray);
  array.children = {map};
  EXPECT_EQ(ToLogicalType(array).ToString(), "MAP(VARCHAR, DECIMAL(4,2))[]");
}

TEST(FromLogicalType, KeepsWhatDeltaCanHold) {
  const std::vector<std::pair<LogicalType, std::string>> types = {
      {LogicalType::UTINYINT, "smallint"},
      {LogicalType::UINTEGER, "bigint"},
      {LogicalType::UBIGINT, "decimal(20,0)"},
      {LogicalType::UUID, "string"},
      {LogicalType::TIMESTAMP_S, "timestamp_ntz"},
      {LogicalType::TIMESTAMP_TZ, "timestamp"},
      {LogicalType::ARRAY(LogicalType::FLOAT, 3), "array<float>"},
      {LogicalType::STRUCT(
           {{"a", LogicalType::MAP(LogicalType::VARCHAR, LogicalType::BLOB)}}),
       "struct<a:map<string,binary>>"}};
  for (const auto& [type, name] : types) {
    const auto converted = FromLogicalType(type);
    ASSERT_TRUE(converted) << type.ToString();
    EXPECT_EQ(protocol::TypeName(*converted), name);
  }
}

TEST(FromLogicalType, RefusesWhatDeltaWouldLose) {
  const std::vector<LogicalType> types = {
      LogicalType::HUGEINT,
      LogicalType::UHUGEINT,
      LogicalType::TIME,
      LogicalType::BIT,
      LogicalType::TIMESTAMP_NS,
      LogicalType::INTERVAL,
      LogicalType::LIST(LogicalType::TIME_TZ)};
  for (const LogicalType& type : types) {
    const auto converted = FromLogicalType(type);
    ASSERT_FALSE(converted) << type.ToString();
    EXPECT_EQ(converted.error().condition, "DELTA_UNSUPPORTED_TYPE");
  }
}

}  // namespace
}  // namespace bayou::engine
