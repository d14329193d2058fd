// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/file_statistics_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "kernel/engine/scalar_text.h"
#include "kernel/write/string_bounds.h"

namespace bayou::write {

using duckdb::idx_t;
using duckdb::UnifiedVectorFormat;
using duckdb::ValidityMask;
using duckdb::Vector;
using protocol::DataType;
using protocol::TypeKind;

class FileStatisticsWriter::Column {
 public:
  virtual ~Column() = default;

  // `present`: which rows have no null struct around the value; nullptr: all.
  virtual void Update(Vector& values, idx_t count,
                      const ValidityMask* present) = 0;

  // Bounds as raw JSON, or nullopt where there is none to give.
  virtual std::optional<std::string> Minimum() const { return std::nullopt; }
  virtual std::optional<std::string> Maximum() const { return std::nullopt; }
  // nullopt: not known.
  std::optional<std::int64_t> null_count() const {
    if (has_unknown_nulls_) return std::nullopt;
    return null_count_;
  }

  void Take(const FileStatisticsWriter::Summary& summary) {
    if (!summary.min.IsNull() && !summary.max.IsNull()) {
      Vector bounds(summary.min.type(), 2);
      bounds.SetValue(0, summary.min);
      bounds.SetValue(1, summary.max);
      Update(bounds, 2, nullptr);
    }
    has_unknown_nulls_ |= !summary.null_count;
    null_count_ += summary.null_count.value_or(0);
  }

 protected:
  // Calls `visit` with each value that is not null and counts the others.
  template <typename T, typename Visit>
  void ForEach(Vector& values, idx_t count, const ValidityMask* present,
               Visit visit) {
    UnifiedVectorFormat format;
    values.ToUnifiedFormat(count, format);
    const T* data = UnifiedVectorFormat::GetData<T>(format);
    if (present == nullptr && format.validity.AllValid()) {
      if (!format.sel->IsSet()) {
        for (idx_t i = 0; i < count; ++i) visit(data[i]);
      } else {
        for (idx_t i = 0; i < count; ++i) visit(data[format.sel->get_index(i)]);
      }
      return;
    }
    for (idx_t i = 0; i < count; ++i) {
      if (Look(format, i, present)) visit(data[format.sel->get_index(i)]);
    }
  }

  // False, and counted, when row `i` is null.
  bool Look(const UnifiedVectorFormat& format, idx_t i,
            const ValidityMask* present) {
    const bool valid = (present == nullptr || present->RowIsValid(i)) &&
                       format.validity.RowIsValid(format.sel->get_index(i));
    if (!valid) ++null_count_;
    return valid;
  }

 private:
  std::int64_t null_count_ = 0;
  bool has_unknown_nulls_ = false;
};

namespace {

using Column = FileStatisticsWriter::Column;

// Booleans, bytes, arrays, maps, variants: no bounds.
class UnboundedColumn final : public Column {
 public:
  void Update(Vector& values, idx_t count,
              const ValidityMask* present) override {
    UnifiedVectorFormat format;
    values.ToUnifiedFormat(count, format);
    for (idx_t i = 0; i < count; ++i) Look(format, i, present);
  }
};

// Values that compare as C++ numbers do; Format turns one into JSON.
template <typename T, typename Format>
class OrderedColumn final : public Column {
 public:
  explicit OrderedColumn(Format format) : format_(std::move(format)) {}

  void Update(Vector& values, idx_t count,
              const ValidityMask* present) override {
    bool any = any_;
    T low = low_;
    T high = high_;
    ForEach<T>(values, count, present, [&](const T& value) {
      if (!any) {
        low = high = value;
        any = true;
      }
      if (value < low) low = value;
      if (high < value) high = value;
    });
    any_ = any;
    low_ = low;
    high_ = high;
  }
  std::optional<std::string> Minimum() const override {
    return any_ ? format_(low_) : std::nullopt;
  }
  std::optional<std::string> Maximum() const override {
    return any_ ? format_(high_) : std::nullopt;
  }

 private:
  Format format_;
  bool any_ = false;
  T low_{};
  T high_{};
};

template <typename T, typename Format>
std::unique_ptr<Column> Ordered(Format format) {
  return std::make_unique<OrderedColumn<T, Format>>(std::move(format));
}

template <typename T>
class FloatingColumn final : public Column {
 public:
  void Update(Vector& values, idx_t count,
              const ValidityMask* present) override {
    ForEach<T>(values, count, present, [this](T value) {
      if (std::isnan(value)) {
        has_nan_ = true;
        return;
      }
      if (!any_) low_ = high_ = value;
      any_ = true;
      low_ = std::min(low_, value);
      high_ = std::max(high_, value);
    });
  }
  std::optional<std::string> Minimum() const override { return Format(low_); }
  std::optional<std::string> Maximum() const override { return Format(high_); }

 private:
  // A float as the double that it is: shorter digits would denote another
  // number to a reader that compares doubles.
  std::optional<std::string> Format(T bound) const {
    if (!any_ || has_nan_ || !std::isfinite(bound)) return std::nullopt;
    char digits[32];
    const double value = static_cast<double>(bound) + 0.0;  // -0.0 becomes 0.0.
    const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    return std::string(digits, end);
  }

  bool any_ = false;
  bool has_nan_ = false;
  T low_{};
  T high_{};
};

std::string JsonText(std::string_view text) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  WriteString(writer, text);
  return TakeText(buffer);
}

class StringColumn final : public Column {
 public:
  explicit StringColumn(std::size_t prefix) : prefix_(prefix) {}

  void Update(Vector& values, idx_t count,
              const ValidityMask* present) override {
    std::optional<duckdb::string_t> low;
    std::optional<duckdb::string_t> high;
    ForEach<duckdb::string_t>(values, count, present,
                              [&](const duckdb::string_t& value) {
                                if (!low) low = high = value;
                                if (value < *low) low = value;
                                if (value > *high) high = value;
                              });
    if (!low) return;
    const auto view = [](const duckdb::string_t& s) {
      return std::string_view(s.GetData(), s.GetSize());
    };
    if (!low_ || view(*low) < *low_) low_ = std::string(view(*low));
    if (!high_ || view(*high) > *high_) high_ = std::string(view(*high));
  }
  std::optional<std::string> Minimum() const override {
    if (!low_ || prefix_ == 0) return std::nullopt;
    return JsonText(CutMinimum(*low_, prefix_));
  }
  std::optional<std::string> Maximum() const override {
    if (!high_ || prefix_ == 0) return std::nullopt;
    const std::optional<std::string> cut = CutMaximum(*high_, prefix_);
    return cut ? std::optional(JsonText(*cut)) : std::nullopt;
  }

 private:
  std::size_t prefix_;
  std::optional<std::string> low_;
  std::optional<std::string> high_;
};

bool HasFourDigitYear(duckdb::date_t date) {
  if (!duckdb::Date::IsFinite(date)) return false;
  const std::int32_t year = duckdb::Date::ExtractYear(date);
  return year >= 1 && year <= 9999;
}

std::optional<std::string> DateJson(duckdb::date_t date) {
  if (!HasFourDigitYear(date)) return std::nullopt;
  return fmt::format("\"{}\"", duckdb::Date::ToString(date));
}

// Cut down to milliseconds, the maximum too: readers allow for it.
std::optional<std::string> TimestampJson(duckdb::timestamp_t timestamp,
                                         std::string_view zone) {
  if (!duckdb::Timestamp::IsFinite(timestamp)) return std::nullopt;
  duckdb::date_t date;
  duckdb::dtime_t time;
  duckdb::Timestamp::Convert(timestamp, date, time);
  if (!HasFourDigitYear(date)) return std::nullopt;
  const std::int64_t ms = time.micros / 1000;
  return fmt::format("\"{}T{:02}:{:02}:{:02}.{:03}{}\"",
                     duckdb::Date::ToString(date), ms / 3'600'000,
                     ms / 60'000 % 60, ms / 1000 % 60, ms % 1000, zone);
}

template <typename T>
std::unique_ptr<Column> IntegerColumn() {
  return Ordered<T>(
      [](T value) { return std::optional(std::to_string(value)); });
}

std::unique_ptr<Column> TimestampColumn(std::string_view zone) {
  return Ordered<duckdb::timestamp_t>(
      [zone](duckdb::timestamp_t value) { return TimestampJson(value, zone); });
}

template <typename T>
std::unique_ptr<Column> DecimalColumnOf(const DataType& type) {
  const auto precision = static_cast<std::uint8_t>(type.precision);
  const auto scale = static_cast<std::uint8_t>(type.scale);
  return Ordered<T>([=](T value) {
    return std::optional(
        engine::FormatDecimal(duckdb::Value::DECIMAL(value, precision, scale)));
  });
}

std::unique_ptr<Column> DecimalColumn(const DataType& type) {
  if (type.precision <= 4) return DecimalColumnOf<std::int16_t>(type);
  if (type.precision <= 9) return DecimalColumnOf<std::int32_t>(type);
  if (type.precision <= 18) return DecimalColumnOf<std::int64_t>(type);
  return DecimalColumnOf<duckdb::hugeint_t>(type);
}

std::unique_ptr<Column> MakeColumn(const DataType& type,
                                   std::size_t string_prefix) {
  switch (type.kind) {
    case TypeKind::kByte:
      return IntegerColumn<std::int8_t>();
    case TypeKind::kShort:
      return IntegerColumn<std::int16_t>();
    case TypeKind::kInteger:
      return IntegerColumn<std::int32_t>();
    case TypeKind::kLong:
      return IntegerColumn<std::int64_t>();
    case TypeKind::kFloat:
      return std::make_unique<FloatingColumn<float>>();
    case TypeKind::kDouble:
      return std::make_unique<FloatingColumn<double>>();
    case TypeKind::kDecimal:
      return DecimalColumn(type);
    case TypeKind::kDate:
      return Ordered<duckdb::date_t>(DateJson);
    case TypeKind::kTimestamp:
      return TimestampColumn("Z");
    case TypeKind::kTimestampNtz:
      return TimestampColumn("");
    case TypeKind::kString:
      return std::make_unique<StringColumn>(string_prefix);
    default:
      return std::make_unique<UnboundedColumn>();
  }
}

// Hands a leaf to its column. `below`: the way to it from `values`. `present`:
// the rows with no null struct around `values`.
void UpdateLeaf(Column& column, std::span<const std::size_t> below,
                Vector& values, idx_t count, ValidityMask& present) {
  if (below.empty()) {
    column.Update(values, count, present.AllValid() ? nullptr : &present);
    return;
  }
  Vector flat(values);
  flat.Flatten(count);
  present.Combine(duckdb::FlatVector::Validity(flat), count);
  Vector& field = *duckdb::StructVector::GetEntries(flat)[below[0]];
  UpdateLeaf(column, below.subspan(1), field, count, present);
}

// Writes values under the paths of their columns, as objects in objects. What
// is nullopt is left out, and so is an object that would be empty.
template <typename ValueOf>
void WriteNested(JsonWriter& writer,
                 const std::vector<protocol::StatisticsColumn>& columns,
                 ValueOf value_of) {
  std::vector<std::string> open;
  writer.StartObject();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::optional<std::string> value = value_of(i);
    if (!value) continue;
    const protocol::ColumnPath& path = columns[i].path;
    const std::size_t parents = path.size() - 1;
    const auto common = static_cast<std::size_t>(
        std::mismatch(open.begin(), open.end(), path.begin(),
                      path.begin() + static_cast<std::ptrdiff_t>(parents))
            .first -
        open.begin());
    for (; open.size() > common; open.pop_back()) writer.EndObject();
    while (open.size() < parents) {
      WriteKey(writer, path[open.size()]);
      writer.StartObject();
      open.push_back(path[open.size()]);
    }
    WriteKey(writer, path.back());
    writer.RawValue(value->data(), value->size(), rapidjson::kNumberType);
  }
  for (; !open.empty(); open.pop_back()) writer.EndObject();
  writer.EndObject();
}

}  // namespace

FileStatisticsWriter::FileStatisticsWriter(
    std::shared_ptr<const FileLayout> layout)
    : layout_(std::move(layout)) {
  for (const protocol::StatisticsColumn& column : layout_->statistics) {
    columns_.push_back(MakeColumn(column.type, layout_->string_prefix));
  }
}

FileStatisticsWriter::~FileStatisticsWriter() = default;

void FileStatisticsWriter::Update(duckdb::DataChunk& rows) {
  num_records_ += static_cast<std::int64_t>(rows.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::span<const std::size_t> position =
        layout_->statistics[i].position;
    ValidityMask present(rows.size());
    UpdateLeaf(*columns_[i], position.subspan(1), rows.data[position[0]],
               rows.size(), present);
  }
}

void FileStatisticsWriter::Take(std::int64_t rows,
                                const std::vector<Summary>& columns) {
  num_records_ += rows;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i]->Take(columns[i]);
}

std::string FileStatisticsWriter::ToJson() const {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  writer.Key("numRecords");
  writer.Int64(num_records_);
  writer.Key("minValues");
  WriteNested(writer, layout_->statistics,
              [this](std::size_t i) { return columns_[i]->Minimum(); });
  writer.Key("maxValues");
  WriteNested(writer, layout_->statistics,
              [this](std::size_t i) { return columns_[i]->Maximum(); });
  writer.Key("nullCount");
  WriteNested(writer, layout_->statistics,
              [this](std::size_t i) -> std::optional<std::string> {
                const auto count = columns_[i]->null_count();
                if (!count) return std::nullopt;
                return std::to_string(*count);
              });
  if (layout_->tight_bounds) {
    writer.Key("tightBounds");
    writer.Bool(true);
  }
  writer.EndObject();
  return TakeText(buffer);
}

}  // namespace bayou::write
