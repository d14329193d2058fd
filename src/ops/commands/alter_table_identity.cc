// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "kernel/protocol/metadata_number.h"
#include "ops/commands/alter_table_plan.h"

namespace bayou::commands {
namespace {

using protocol::Field;
using protocol::MetadataNumber;

constexpr char kMark[] = "delta.identity.highWaterMark";

// The first value of the column, from `value` on, which is not before the
// start, that is a whole number of steps behind the start; nullopt when there
// is none.
std::optional<std::int64_t> OnAStep(std::int64_t start, std::int64_t step,
                                    std::int64_t value) {
  const __int128 distance = static_cast<__int128>(value) - start;
  __int128 steps = distance / step;
  if (steps * step != distance) ++steps;
  const __int128 reached = start + steps * step;
  if (reached > INT64_MAX || reached < INT64_MIN) return std::nullopt;
  return static_cast<std::int64_t>(reached);
}

}  // namespace

Status Alter(AlteredTable& altered, const SyncIdentity& sync) {
  BAYOU_ASSIGN(const SchemaPlace place, FieldPlace(altered, sync.column));
  Field& field = *place.field;
  const auto start = MetadataNumber(field, "delta.identity.start");
  const auto step = MetadataNumber(field, "delta.identity.step");
  if (!start || !step || *step == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN",
                fmt::format("column {} of table {} is no identity column",
                            field.name, altered.table.location()));
  }
  TableChange& change = altered.change;
  change.reads_table = true;
  change.changes_metadata = false;
  change.operation = {
      "CHANGE COLUMN",
      {{"column", transaction::TextParameter(FieldJson(field, place.names))}},
      {}};
  // Values before the start say nothing about those to come.
  if (!sync.furthest) return {};
  const bool is_before =
      *step > 0 ? *sync.furthest < *start : *sync.furthest > *start;
  if (is_before) return {};
  const auto mark = OnAStep(*start, *step, *sync.furthest);
  if (!mark) {
    return Fail(
        ErrorCode::kResourceExhausted, "DELTA_IDENTITY_OVERFLOW",
        fmt::format("identity column {} has no values left", field.name));
  }
  const auto before = MetadataNumber(field, kMark);
  if (before && (*step > 0 ? *before >= *mark : *before <= *mark)) return {};
  field.metadata[kMark] = std::to_string(*mark);
  change.changes_metadata = true;
  return {};
}

}  // namespace bayou::commands
