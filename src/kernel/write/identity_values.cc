// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/identity_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/protocol/metadata_number.h"

namespace bayou::write {
namespace {

using protocol::Field;
using protocol::MetadataNumber;
using protocol::Schema;

constexpr std::string_view kStart = "delta.identity.start";
constexpr std::string_view kStep = "delta.identity.step";
constexpr std::string_view kMark = "delta.identity.highWaterMark";
constexpr std::string_view kExplicit = "delta.identity.allowExplicitInsert";

// The value behind the mark: a whole number of steps from the start, never
// before it.
__int128 Next(std::int64_t start, std::int64_t step,
              const std::optional<std::int64_t>& mark) {
  if (!mark) return start;
  const __int128 passed = static_cast<__int128>(*mark) - start;
  if ((step > 0) != (passed >= 0) && passed != 0) return start;
  return start + (passed / step + 1) * static_cast<__int128>(step);
}

}  // namespace

std::vector<std::size_t> IdentityValues::ColumnsOf(const Schema& schema) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < schema.fields.size(); ++i) {
    if (schema.fields[i].metadata.contains(std::string(kStart))) {
      positions.push_back(i);
    }
  }
  return positions;
}

bool IdentityValues::TakesValues(const Field& field) {
  return field.MetadataText(kExplicit) == "true";
}

Status IdentityValues::Begin(const Schema& schema) {
  const std::lock_guard lock(mutex_);
  columns_.clear();
  for (const std::size_t position : ColumnsOf(schema)) {
    const Field& field = schema.fields[position];
    const auto start = MetadataNumber(field, kStart);
    const auto step = MetadataNumber(field, kStep);
    const auto mark = MetadataNumber(field, kMark);
    const bool bad_mark = field.MetadataText(kMark) && !mark;
    if (!start || !step || *step == 0 || bad_mark ||
        field.type.kind != protocol::TypeKind::kLong) {
      return Fail(ErrorCode::kCorruption, "DELTA_SCHEMA_INVALID",
                  fmt::format("identity column {} has no start and step, or is "
                              "no long",
                              field.name));
    }
    columns_.push_back({position, field.name, *start, *step, mark, false});
  }
  return {};
}

Result<IdentityValues::Range> IdentityValues::Take(std::size_t column,
                                                   std::int64_t count) {
  const std::lock_guard lock(mutex_);
  Column& of = *std::ranges::find(columns_, column, &Column::position);
  const __int128 first = Next(of.start, of.step, of.mark);
  const __int128 last = first + static_cast<__int128>(count - 1) * of.step;
  if (last > INT64_MAX || last < INT64_MIN) {
    return Fail(ErrorCode::kResourceExhausted, "DELTA_IDENTITY_OVERFLOW",
                fmt::format("identity column {} has no values left", of.name));
  }
  of.mark = static_cast<std::int64_t>(last);
  of.moved = true;
  return Range{static_cast<std::int64_t>(first), of.step};
}

bool IdentityValues::MoveMarks(Schema& schema) const {
  const std::lock_guard lock(mutex_);
  bool moved = false;
  for (const Column& column : columns_) {
    if (!column.moved) continue;
    schema.fields[column.position].metadata[std::string(kMark)] =
        std::to_string(*column.mark);
    moved = true;
  }
  return moved;
}

}  // namespace bayou::write
