// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/types.h"

#include <fmt/format.h>

#include <duckdb/common/types/blob.hpp>
#include <limits>

#include "kernel/engine/scalar_text.h"

namespace bayou::engine {
namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;
using protocol::DataType;
using protocol::TypeKind;

LogicalType ToStruct(const DataType& type) {
  duckdb::child_list_t<LogicalType> children;
  for (const protocol::Field& field : type.fields) {
    children.emplace_back(field.name, ToLogicalType(field.type));
  }
  return LogicalType::STRUCT(std::move(children));
}

DataType ArrayOf(DataType element) {
  DataType type = DataType::Of(TypeKind::kArray);
  type.children.push_back(std::move(element));
  return type;
}

Result<DataType> FromStruct(const LogicalType& type) {
  DataType result = DataType::Of(TypeKind::kStruct);
  for (const auto& [name, child] : duckdb::StructType::GetChildTypes(type)) {
    BAYOU_ASSIGN(DataType field, FromLogicalType(child));
    result.fields.push_back(
        {.name = name, .type = std::move(field), .metadata = {}});
  }
  return result;
}

Result<DataType> FromMap(const LogicalType& type) {
  BAYOU_ASSIGN(DataType key, FromLogicalType(duckdb::MapType::KeyType(type)));
  BAYOU_ASSIGN(DataType value,
               FromLogicalType(duckdb::MapType::ValueType(type)));
  DataType result = DataType::Of(TypeKind::kMap);
  result.children.push_back(std::move(key));
  result.children.push_back(std::move(value));
  return result;
}

duckdb::hugeint_t ToHugeint(__int128 value) {
  duckdb::hugeint_t huge;
  huge.lower = static_cast<std::uint64_t>(value);
  huge.upper = static_cast<std::int64_t>(value >> 64);
  return huge;
}

Value DecimalValue(__int128 unscaled, int precision, int scale) {
  const auto width = static_cast<std::uint8_t>(precision);
  const auto digits = static_cast<std::uint8_t>(scale);
  if (precision <= 18) {
    return Value::DECIMAL(static_cast<std::int64_t>(unscaled), width, digits);
  }
  return Value::DECIMAL(ToHugeint(unscaled), width, digits);
}

// A whole number of the C++ type Integer, or nullopt when it is out of range.
template <typename Integer>
std::optional<Value> IntegerValue(std::string_view text) {
  const auto value = ParseDecimal(text, 19, 0);
  if (!value || *value < std::numeric_limits<Integer>::min() ||
      *value > std::numeric_limits<Integer>::max()) {
    return std::nullopt;
  }
  return Value::CreateValue(static_cast<Integer>(*value));
}

std::optional<Value> BooleanValue(std::string_view text) {
  if (duckdb::StringUtil::CIEquals(std::string(text), "true"))
    return Value::BOOLEAN(true);
  if (duckdb::StringUtil::CIEquals(std::string(text), "false"))
    return Value::BOOLEAN(false);
  return std::nullopt;
}

// A zone's offset of odd seconds (local mean time, in places until 1972) loses
// them when it is written as +hh:mm: such text names no instant.
bool IsExact(const TimestampText& text) {
  constexpr std::int64_t kMicrosIn1972 = 63'072'000'000'000;
  return text.offset_seconds == 0 || text.local.value > kMicrosIn1972;
}

std::optional<Value> TimestampBound(std::string_view text) {
  const auto parsed = ParseTimestamp(text);
  if (!parsed || !parsed->has_offset || !IsExact(*parsed)) return std::nullopt;
  const auto utc = parsed->Utc();
  if (!utc) return std::nullopt;
  return Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(utc->value));
}

// A timestamp_ntz has no zone. Some writers put a Z behind it all the same.
std::optional<Value> TimestampNtz(std::string_view text) {
  const auto parsed = ParseTimestamp(text);
  if (!parsed || parsed->offset_seconds != 0) return std::nullopt;
  return Value::TIMESTAMP(parsed->local);
}

// What partition values and bounds have in common.
std::optional<Value> ParseScalar(std::string_view text, const DataType& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return BooleanValue(text);
    case TypeKind::kByte:
      return IntegerValue<std::int8_t>(text);
    case TypeKind::kShort:
      return IntegerValue<std::int16_t>(text);
    case TypeKind::kInteger:
      return IntegerValue<std::int32_t>(text);
    case TypeKind::kLong:
      return IntegerValue<std::int64_t>(text);
    case TypeKind::kFloat:
      if (const auto value = ParseFloat(text)) return Value::FLOAT(*value);
      return std::nullopt;
    case TypeKind::kDouble:
      if (const auto value = ParseDouble(text)) return Value::DOUBLE(*value);
      return std::nullopt;
    case TypeKind::kDecimal:
      if (const auto value = ParseDecimal(text, type.precision, type.scale)) {
        return DecimalValue(*value, type.precision, type.scale);
      }
      return std::nullopt;
    case TypeKind::kString:
      if (!Value::StringIsValid(text.data(), text.size())) return std::nullopt;
      return Value(std::string(text));
    case TypeKind::kDate:
      if (const auto date = ParseDate(text)) return Value::DATE(*date);
      return std::nullopt;
    case TypeKind::kTimestampNtz:
      return TimestampNtz(text);
    default:
      return std::nullopt;
  }
}

std::optional<Value> PartitionTimestamp(std::string_view text) {
  const auto parsed = ParseTimestamp(text);
  const auto utc = parsed ? parsed->Utc() : std::nullopt;
  if (!utc) return std::nullopt;
  return Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(utc->value));
}

std::optional<Value> ParsePresent(std::string_view text, const DataType& type) {
  if (type.kind == TypeKind::kTimestamp) return PartitionTimestamp(text);
  if (type.kind == TypeKind::kBinary) {
    return Value::BLOB_RAW(std::string(text));
  }
  return ParseScalar(text, type);
}

tl::unexpected<Error> NoPartitionValue(const std::string& shown,
                                       const std::string& why) {
  return Fail(ErrorCode::kInvalidArgument, "DELTA_UNSUPPORTED_PARTITION_VALUE",
              fmt::format("{} cannot be the value of a partition column: {}",
                          shown, why));
}

Result<std::optional<std::string>> PartitionText(const Value& value) {
  const std::string& text = duckdb::StringValue::Get(value);
  if (text.empty()) return std::nullopt;
  if (Value::StringIsValid(text.data(), text.size())) return text;
  return NoPartitionValue(
      duckdb::Blob::ToString(text),
      "the log holds it as text, and these bytes are no UTF-8; change the "
      "rows, or partition by another column");
}

// The text of dates and times has room for years of four digits. `date` is
// nullopt when it is infinite.
Status CheckYear(std::optional<duckdb::date_t> date, const Value& value) {
  if (date) {
    const std::int32_t year = duckdb::Date::ExtractYear(*date);
    if (year >= 1 && year <= 9999) return {};
  }
  return NoPartitionValue(
      value.ToString(),
      "the log holds dates and times of the years 1 to 9999; change the rows, "
      "or partition by another column");
}

Result<std::string> PartitionDate(const Value& value) {
  const auto date = value.GetValue<duckdb::date_t>();
  BAYOU_TRY(CheckYear(
      duckdb::Date::IsFinite(date) ? std::optional(date) : std::nullopt,
      value));
  return FormatDate(date);
}

Result<std::string> PartitionTime(duckdb::timestamp_t time, char separator,
                                  const Value& value) {
  BAYOU_TRY(CheckYear(duckdb::Timestamp::IsFinite(time)
                          ? std::optional(duckdb::Timestamp::GetDate(time))
                          : std::nullopt,
                      value));
  return FormatTimestamp(time, separator);
}

}  // namespace

LogicalType ToLogicalType(const DataType& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return LogicalType::BOOLEAN;
    case TypeKind::kByte:
      return LogicalType::TINYINT;
    case TypeKind::kShort:
      return LogicalType::SMALLINT;
    case TypeKind::kInteger:
    case TypeKind::kVoid:
      return LogicalType::INTEGER;
    case TypeKind::kLong:
      return LogicalType::BIGINT;
    case TypeKind::kFloat:
      return LogicalType::FLOAT;
    case TypeKind::kDouble:
      return LogicalType::DOUBLE;
    case TypeKind::kDecimal:
      return LogicalType::DECIMAL(static_cast<std::uint8_t>(type.precision),
                                  static_cast<std::uint8_t>(type.scale));
    case TypeKind::kString:
      return LogicalType::VARCHAR;
    case TypeKind::kBinary:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return LogicalType::BLOB;
    case TypeKind::kDate:
      return LogicalType::DATE;
    case TypeKind::kTimestamp:
      return LogicalType::TIMESTAMP_TZ;
    case TypeKind::kTimestampNtz:
      return LogicalType::TIMESTAMP;
    case TypeKind::kVariant:
      return LogicalType::VARIANT();
    case TypeKind::kStruct:
      return ToStruct(type);
    case TypeKind::kArray:
      return LogicalType::LIST(ToLogicalType(type.children[0]));
    case TypeKind::kMap:
      return LogicalType::MAP(ToLogicalType(type.children[0]),
                              ToLogicalType(type.children[1]));
  }
  return LogicalType::INVALID;
}

Result<DataType> FromLogicalType(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
      return DataType::Of(TypeKind::kBoolean);
    case LogicalTypeId::TINYINT:
      return DataType::Of(TypeKind::kByte);
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::UTINYINT:
      return DataType::Of(TypeKind::kShort);
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::USMALLINT:
      return DataType::Of(TypeKind::kInteger);
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::UINTEGER:
      return DataType::Of(TypeKind::kLong);
    case LogicalTypeId::UBIGINT:
      return DataType::Decimal(20, 0);
    case LogicalTypeId::FLOAT:
      return DataType::Of(TypeKind::kFloat);
    case LogicalTypeId::DOUBLE:
      return DataType::Of(TypeKind::kDouble);
    case LogicalTypeId::DECIMAL:
      return DataType::Decimal(duckdb::DecimalType::GetWidth(type),
                               duckdb::DecimalType::GetScale(type));
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::ENUM:
    case LogicalTypeId::UUID:
      return DataType::Of(TypeKind::kString);
    case LogicalTypeId::BLOB:
      return DataType::Of(TypeKind::kBinary);
    case LogicalTypeId::DATE:
      return DataType::Of(TypeKind::kDate);
    case LogicalTypeId::TIMESTAMP_TZ:
      return DataType::Of(TypeKind::kTimestamp);
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_SEC:
    case LogicalTypeId::TIMESTAMP_MS:
      return DataType::Of(TypeKind::kTimestampNtz);
    case LogicalTypeId::VARIANT:
      return DataType::Of(TypeKind::kVariant);
    case LogicalTypeId::SQLNULL:
      return DataType::Of(TypeKind::kVoid);
    case LogicalTypeId::STRUCT:
      return FromStruct(type);
    case LogicalTypeId::MAP:
      return FromMap(type);
    case LogicalTypeId::LIST: {
      BAYOU_ASSIGN(DataType element,
                   FromLogicalType(duckdb::ListType::GetChildType(type)));
      return ArrayOf(std::move(element));
    }
    case LogicalTypeId::ARRAY: {
      BAYOU_ASSIGN(DataType element,
                   FromLogicalType(duckdb::ArrayType::GetChildType(type)));
      return ArrayOf(std::move(element));
    }
    default:
      return Fail(
          ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_TYPE",
          fmt::format("Delta has no type that holds {} without loss; cast the "
                      "column to another type",
                      type.ToString()));
  }
}

Result<Value> ParsePartitionValue(const std::optional<std::string>& text,
                                  const DataType& type) {
  if (!text || text->empty()) return Value(ToLogicalType(type));
  if (auto value = ParsePresent(*text, type)) return *std::move(value);
  return Fail(ErrorCode::kCorruption, "DELTA_PARTITION_VALUE_INVALID",
              fmt::format("'{}' is not a partition value of type {}", *text,
                          protocol::TypeName(type)));
}

Result<std::optional<std::string>> FormatPartitionValue(const Value& value,
                                                        const DataType& type) {
  if (value.IsNull()) return std::nullopt;
  switch (type.kind) {
    case TypeKind::kString:
    case TypeKind::kBinary:
      return PartitionText(value);
    case TypeKind::kFloat:
      return FormatFloat(value.GetValue<float>());
    case TypeKind::kDouble:
      return FormatDouble(value.GetValue<double>());
    case TypeKind::kDecimal:
      return FormatDecimal(value);
    case TypeKind::kDate:
      return PartitionDate(value);
    case TypeKind::kTimestamp: {
      const duckdb::timestamp_t utc(
          value.GetValueUnsafe<duckdb::timestamp_tz_t>().value);
      BAYOU_ASSIGN(const std::string text, PartitionTime(utc, 'T', value));
      return text + "Z";
    }
    case TypeKind::kTimestampNtz:
      return PartitionTime(value.GetValue<duckdb::timestamp_t>(), ' ', value);
    default:
      return value.ToString();
  }
}

std::optional<Value> ParseBound(std::string_view text, const DataType& type) {
  if (type.kind == TypeKind::kTimestamp) return TimestampBound(text);
  // Writers do not agree what NaN as a bound says about the other values.
  if (text == "NaN" &&
      (type.kind == TypeKind::kFloat || type.kind == TypeKind::kDouble)) {
    return std::nullopt;
  }
  return ParseScalar(text, type);
}

}  // namespace bayou::engine
