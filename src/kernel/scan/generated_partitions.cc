// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/generated_partitions.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "kernel/engine/types.h"
#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/stored_expression.h"

namespace bayou::scan {
namespace {

using duckdb::Value;
using protocol::DataType;
using protocol::EqualIgnoringCase;
using protocol::StoredExpression;
using protocol::TypeKind;

constexpr std::int64_t kSecond = 1'000'000;  // Microseconds.
constexpr std::int64_t kHour = 3600 * kSecond;
constexpr std::int64_t kDay = 24 * kHour;
// More than any place's time is off from UTC.
constexpr std::int64_t kAnyZone = 16 * kHour;

bool IsTime(TypeKind kind) {
  return kind == TypeKind::kDate || kind == TypeKind::kTimestamp ||
         kind == TypeKind::kTimestampNtz;
}

// Microseconds since 1970; `end` is the first behind.
struct Stretch {
  std::int64_t begin;
  std::int64_t end;
};

std::optional<std::int64_t> MicrosOf(std::int64_t year, std::int64_t month,
                                     std::int64_t day) {
  constexpr std::int64_t kMostYears = 9999;
  duckdb::date_t date;
  if (year < -kMostYears || year > kMostYears + 1 ||
      !duckdb::Date::TryFromDate(static_cast<std::int32_t>(year),
                                 static_cast<std::int32_t>(month),
                                 static_cast<std::int32_t>(day), date)) {
    return std::nullopt;
  }
  return date.days * kDay;
}

// So many months behind the month in which `micros` lies.
std::optional<std::int64_t> MonthsLater(std::int64_t micros, int months) {
  constexpr int kMonths = 12;
  const auto date = duckdb::Timestamp::GetDate(duckdb::timestamp_t(micros));
  const std::int64_t month =
      duckdb::Date::ExtractMonth(date) - 1 + std::int64_t{months};
  return MicrosOf(duckdb::Date::ExtractYear(date) + month / kMonths,
                  month % kMonths + 1, 1);
}

std::optional<std::int64_t> WholeNumber(const Value& value) {
  Value number = value;
  if (value.IsNull() || !number.DefaultTryCastAs(duckdb::LogicalType::BIGINT)) {
    return std::nullopt;
  }
  return number.GetValue<std::int64_t>();
}

// `2024`, `2024-03`, `20240305` or `2024-03-05-07`, as a number each.
std::optional<std::int64_t> FormattedMicros(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digits += c;
  }
  const auto part = [&](std::size_t begin, std::size_t size) {
    return digits.size() >= begin + size ? std::stoi(digits.substr(begin, size))
                                         : 1;
  };
  constexpr std::size_t kLongest = 10;
  if (digits.size() < 4 || digits.size() > kLongest) return std::nullopt;
  const auto day = MicrosOf(part(0, 4), part(4, 2), part(6, 2));
  if (!day || digits.size() < kLongest) return day;
  return *day + part(8, 2) * kHour;
}

std::optional<std::int64_t> MicrosOf(const Value& value) {
  switch (value.type().id()) {
    case duckdb::LogicalTypeId::DATE: {
      const auto date = value.GetValue<duckdb::date_t>();
      if (!duckdb::Date::IsFinite(date)) return std::nullopt;
      return date.days * kDay;
    }
    case duckdb::LogicalTypeId::TIMESTAMP:
    case duckdb::LogicalTypeId::TIMESTAMP_TZ: {
      const auto instant = value.GetValueUnsafe<duckdb::timestamp_t>();
      if (!duckdb::Timestamp::IsFinite(instant)) return std::nullopt;
      return instant.value;
    }
    case duckdb::LogicalTypeId::VARCHAR:
      return FormattedMicros(duckdb::StringValue::Get(value));
    default:
      return std::nullopt;
  }
}

Value TimeValue(std::int64_t micros, TypeKind kind) {
  switch (kind) {
    case TypeKind::kDate: {
      const std::int64_t days = micros / kDay - (micros % kDay < 0 ? 1 : 0);
      return Value::DATE(duckdb::date_t(static_cast<std::int32_t>(days)));
    }
    case TypeKind::kTimestamp:
      return Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(micros));
    default:
      return Value::TIMESTAMP(duckdb::timestamp_t(micros));
  }
}

void RaiseMin(const Value& value, ValueRange& range) {
  if (!range.min || *range.min < value) range.min = value;
}

void LowerMax(const Value& value, bool is_prefix, ValueRange& range) {
  if (range.max && !(value < *range.max)) return;
  // A cut maximum that begins like `value` says more than that.
  if (range.max && is_prefix &&
      std::string_view(duckdb::StringValue::Get(*range.max))
          .starts_with(duckdb::StringValue::Get(value))) {
    return;
  }
  range.max = value;
  range.max_is_prefix = is_prefix;
}

// nullopt: NULL, which the empty text stands for too.
std::optional<std::string> PartitionText(const log::FileView& file,
                                         const std::string& column) {
  for (const auto& [name, text] : file.partition_values) {
    if (name == column && text.data() != nullptr && !text.empty())
      return std::string(text);
  }
  return std::nullopt;
}

bool IsPartitionKnown(const log::FileView& file, const std::string& column) {
  return std::ranges::any_of(file.partition_values, [&](const auto& pair) {
    return pair.first == column;
  });
}

}  // namespace

// ------------------------------------------------------ what the schema says

// Reads the expression of one generated column.
class GenerationReader {
 public:
  using Form = GeneratedPartitions::Form;
  using Unit = GeneratedPartitions::Unit;
  using Generated = GeneratedPartitions::Generated;

  explicit GenerationReader(const ScannedTable& table) : table_(table) {}

  // Fills the form and the base; false when it is not one that is known.
  bool Read(const StoredExpression& expression, Generated& generated) const {
    if (SetBase(expression, generated)) {
      generated.form = Form::kSame;
      return IsComparable(generated);
    }
    if (expression.kind == StoredExpression::Kind::kCast)
      return ReadCast(expression, generated);
    if (expression.kind != StoredExpression::Kind::kCall ||
        expression.arguments.empty()) {
      return false;
    }
    return ReadCall(expression, generated);
  }

 private:
  bool SetBase(const StoredExpression& expression, Generated& generated) const {
    if (expression.kind != StoredExpression::Kind::kColumn ||
        expression.path.size() != 1) {
      return false;
    }
    for (const ScannedColumn& column : table_.columns) {
      if (!EqualIgnoringCase(column.field.name, expression.path[0])) continue;
      generated.base = column.field.physical_name();
      generated.base_type = column.field.type;
      return true;
    }
    return false;
  }

  bool SetTimeBase(const StoredExpression& expression,
                   Generated& generated) const {
    return SetBase(expression, generated) && IsTime(generated.base_type.kind);
  }

  // A column, or the date of one.
  bool SetDateBase(const StoredExpression& expression,
                   Generated& generated) const {
    if (IsDateOf(expression))
      return SetTimeBase(expression.arguments[0], generated);
    return SetTimeBase(expression, generated);
  }

  static bool IsDateOf(const StoredExpression& expression) {
    const bool is_cast = expression.kind == StoredExpression::Kind::kCast &&
                         expression.type.kind == TypeKind::kDate;
    const bool is_call =
        expression.arguments.size() == 1 &&
        (expression.IsCall("date") || expression.IsCall("to_date"));
    return is_cast || is_call;
  }

  static bool IsComparable(const Generated& generated) {
    const DataType& type = generated.base_type;
    return type == generated.partition_type && !type.IsNested() &&
           type.kind != TypeKind::kFloat && type.kind != TypeKind::kDouble &&
           type.kind != TypeKind::kBinary && type.kind != TypeKind::kVariant;
  }

  static bool SetBegin(Unit unit, Generated& generated) {
    generated.form = Form::kBegin;
    generated.unit = unit;
    const TypeKind kind = generated.partition_type.kind;
    return IsTime(kind) || kind == TypeKind::kString;
  }

  bool ReadCast(const StoredExpression& cast, Generated& generated) const {
    const StoredExpression& operand = cast.arguments[0];
    if (IsDateOf(cast))
      return SetTimeBase(operand, generated) && SetBegin(Unit::kDay, generated);
    // The text of a date; a number of another width.
    const bool is_text = cast.type.kind == TypeKind::kString;
    const bool is_number = cast.type.kind <= TypeKind::kLong &&
                           cast.type.kind != TypeKind::kBoolean;
    if (is_text && IsDateOf(operand)) {
      return SetTimeBase(operand.arguments[0], generated) &&
             SetBegin(Unit::kDay, generated);
    }
    return (is_text || is_number) &&
           operand.kind == StoredExpression::Kind::kCall &&
           !operand.arguments.empty() && ReadCall(operand, generated) &&
           (generated.form == Form::kYear || generated.form == Form::kMonth ||
            generated.form == Form::kDay || generated.form == Form::kHour);
  }

  bool ReadCall(const StoredExpression& call, Generated& generated) const {
    struct Part {
      const char* name;
      Form form;
    };
    static constexpr std::array kParts = {
        Part{"year", Form::kYear}, Part{"month", Form::kMonth},
        Part{"day", Form::kDay}, Part{"dayofmonth", Form::kDay},
        Part{"hour", Form::kHour}};
    for (const Part& part : kParts) {
      if (!call.IsCall(part.name)) continue;
      generated.form = part.form;
      return part.form == Form::kHour
                 ? SetTimeBase(call.arguments[0], generated)
                 : SetDateBase(call.arguments[0], generated);
    }
    if (IsDateOf(call)) {
      return SetTimeBase(call.arguments[0], generated) &&
             SetBegin(Unit::kDay, generated);
    }
    if (call.IsCall("trunc")) return Truncation(call, 0, 1, generated);
    if (call.IsCall("date_trunc")) return Truncation(call, 1, 0, generated);
    if (call.IsCall("date_format")) return Formatted(call, generated);
    return Prefix(call, generated);
  }

  bool Truncation(const StoredExpression& call, std::size_t time,
                  std::size_t unit, Generated& generated) const {
    struct Name {
      const char* name;
      Unit unit;
    };
    static constexpr std::array kNames = {
        Name{"year", Unit::kYear},     Name{"yyyy", Unit::kYear},
        Name{"yy", Unit::kYear},       Name{"quarter", Unit::kQuarter},
        Name{"month", Unit::kMonth},   Name{"mon", Unit::kMonth},
        Name{"mm", Unit::kMonth},      Name{"week", Unit::kWeek},
        Name{"day", Unit::kDay},       Name{"dd", Unit::kDay},
        Name{"hour", Unit::kHour},     Name{"minute", Unit::kMinute},
        Name{"second", Unit::kSecond},
    };
    if (call.arguments.size() != 2 ||
        !call.arguments[unit].IsLiteral(TypeKind::kString) ||
        !SetDateBase(call.arguments[time], generated) ||
        !IsTime(generated.partition_type.kind)) {
      return false;
    }
    for (const Name& known : kNames) {
      if (EqualIgnoringCase(known.name, call.arguments[unit].text))
        return SetBegin(known.unit, generated);
    }
    return false;
  }

  bool Formatted(const StoredExpression& call, Generated& generated) const {
    struct Format {
      const char* text;
      Unit unit;
    };
    static constexpr std::array kFormats = {
        Format{"yyyy", Unit::kYear},       Format{"yyyy-MM", Unit::kMonth},
        Format{"yyyyMM", Unit::kMonth},    Format{"yyyy-MM-dd", Unit::kDay},
        Format{"yyyyMMdd", Unit::kDay},    Format{"yyyy-MM-dd-HH", Unit::kHour},
        Format{"yyyyMMddHH", Unit::kHour},
    };
    if (call.arguments.size() != 2 ||
        !call.arguments[1].IsLiteral(TypeKind::kString) ||
        !SetDateBase(call.arguments[0], generated) ||
        generated.partition_type.kind != TypeKind::kString) {
      return false;
    }
    for (const Format& known : kFormats) {
      if (known.text == call.arguments[1].text)
        return SetBegin(known.unit, generated);
    }
    return false;
  }

  bool Prefix(const StoredExpression& call, Generated& generated) const {
    const bool is_substring =
        (call.IsCall("substring") || call.IsCall("substr")) &&
        call.arguments.size() == 3 &&
        call.arguments[1].kind == StoredExpression::Kind::kLiteral &&
        (call.arguments[1].text == "0" || call.arguments[1].text == "1");
    const bool is_left = call.IsCall("left") && call.arguments.size() == 2;
    generated.form = Form::kPrefix;
    return (is_substring || is_left) && SetBase(call.arguments[0], generated) &&
           generated.base_type.kind == TypeKind::kString &&
           generated.partition_type.kind == TypeKind::kString;
  }

  const ScannedTable& table_;
};

GeneratedPartitions::GeneratedPartitions(const ScannedTable& table) {
  const GenerationReader reader(table);
  for (const ScannedColumn& column : table.columns) {
    if (!column.is_partition) continue;
    const auto text = column.field.MetadataText("delta.generationExpression");
    if (!text) continue;
    const auto expression =
        protocol::ParseStoredExpression(*text, protocol::Spelling::kSpark);
    Generated generated;
    generated.partition = column.field.physical_name();
    generated.partition_type = column.field.type;
    if (expression && reader.Read(*expression, generated))
      generated_.push_back(std::move(generated));
  }
}

// ------------------------------------------------------- what a file says

// The parts of a time, of which those behind an unknown one say nothing.
struct GeneratedPartitions::Calendar {
  std::optional<std::int64_t> year;
  std::optional<std::int64_t> month;
  std::optional<std::int64_t> day;
  std::optional<std::int64_t> hour;

  void Set(Form form, std::optional<std::int64_t> value) {
    if (form == Form::kYear) year = value;
    if (form == Form::kMonth) month = value;
    if (form == Form::kDay) day = value;
    if (form == Form::kHour) hour = value;
  }

  std::optional<Stretch> Covers() const {
    if (!year) return std::nullopt;
    const auto begin =
        MicrosOf(*year, month.value_or(1), month ? day.value_or(1) : 1);
    if (!begin) return std::nullopt;
    if (!month) return Until(*begin, MonthsLater(*begin, 12));
    if (!day) return Until(*begin, MonthsLater(*begin, 1));
    if (!hour || *hour < 0 || *hour > 23) return Stretch{*begin, *begin + kDay};
    return Stretch{*begin + *hour * kHour, *begin + (*hour + 1) * kHour};
  }

  static std::optional<Stretch> Until(std::int64_t begin,
                                      std::optional<std::int64_t> end) {
    if (!end) return std::nullopt;
    return Stretch{begin, *end};
  }

  static std::optional<Stretch> From(std::int64_t begin, Unit unit) {
    switch (unit) {
      case Unit::kMicrosecond:
        return Stretch{begin, begin + 1};
      case Unit::kSecond:
        return Stretch{begin, begin + kSecond};
      case Unit::kMinute:
        return Stretch{begin, begin + 60 * kSecond};
      case Unit::kHour:
        return Stretch{begin, begin + kHour};
      case Unit::kDay:
        return Stretch{begin, begin + kDay};
      case Unit::kWeek:
        return Stretch{begin, begin + 7 * kDay};
      case Unit::kMonth:
        return Until(begin, MonthsLater(begin, 1));
      case Unit::kQuarter:
        return Until(begin, MonthsLater(begin, 3));
      case Unit::kYear:
        return Until(begin, MonthsLater(begin, 12));
    }
    return std::nullopt;
  }
};

namespace {

void NarrowToStretch(const Stretch& stretch, TypeKind kind, ValueRange& range) {
  // Nor beyond what a timestamp can be.
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 2;
  if (stretch.begin < -kFar || stretch.end > kFar) return;
  const std::int64_t more = kind == TypeKind::kTimestamp ? kAnyZone : 0;
  RaiseMin(TimeValue(stretch.begin - more, kind), range);
  LowerMax(TimeValue(stretch.end - 1 + more, kind), false, range);
}

}  // namespace

void GeneratedPartitions::Narrow(const StatisticsColumn& column,
                                 const log::FileView& file,
                                 ValueRange& range) const {
  if (column.path.size() != 1) return;
  Calendar calendar;
  for (const Generated& generated : generated_) {
    if (generated.base != column.path[0] ||
        !IsPartitionKnown(file, generated.partition)) {
      continue;
    }
    const auto text = PartitionText(file, generated.partition);
    // Of a text the empty one is NULL there, too.
    if (!text && column.type.kind != TypeKind::kString)
      range.can_be_value = false;
    const auto value =
        engine::ParsePartitionValue(text, generated.partition_type);
    if (!value || value->IsNull()) continue;
    range.can_be_null = false;
    if (IsPart(generated.form)) {
      calendar.Set(generated.form, WholeNumber(*value));
    } else if (IsTime(column.type.kind)) {
      const auto begin = MicrosOf(*value);
      const Unit unit = generated.form == Form::kSame ? UnitOf(column.type.kind)
                                                      : generated.unit;
      const auto stretch = begin ? Calendar::From(*begin, unit) : std::nullopt;
      if (stretch) NarrowToStretch(*stretch, column.type.kind, range);
    } else {
      RaiseMin(*value, range);
      LowerMax(*value, generated.form == Form::kPrefix, range);
    }
  }
  if (const auto stretch = calendar.Covers())
    NarrowToStretch(*stretch, column.type.kind, range);
}

}  // namespace bayou::scan
