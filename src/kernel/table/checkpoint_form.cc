// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/checkpoint_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernel/protocol/property_value.h"
#include "kernel/protocol/table_features.h"

namespace bayou::table {
namespace {

bool HasV2(const Snapshot& snapshot) {
  return protocol::Supports(snapshot.protocol(), "v2Checkpoint");
}

// More would only be slow: V2 checkpoints are for such tables.
constexpr int kMostParts = 1'000;

tl::unexpected<Error> NotAllowed(const Snapshot& snapshot,
                                 std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, "DELTA_CHECKPOINT_FORM_NOT_ALLOWED",
              fmt::format("table {} {}", snapshot.location(), why));
}

// Files for each part; nullopt: all in one.
std::optional<std::int64_t> PartSize(const Snapshot& snapshot) {
  const auto& configuration = snapshot.metadata().configuration;
  const auto found = configuration.find("delta.checkpoint.partSize");
  if (found == configuration.end()) return std::nullopt;
  return protocol::PropertyInteger(found->second, 1);
}

}  // namespace

Result<CheckpointForm> FormOf(const Snapshot& snapshot) {
  CheckpointForm form;
  if (HasV2(snapshot)) {
    if (snapshot.properties().v2_checkpoint_policy())
      form.spec = CheckpointForm::Spec::kV2;
    return form;
  }
  if (const auto size = PartSize(snapshot)) {
    BAYOU_ASSIGN(const log::FileTotals totals, snapshot.state().Totals());
    const std::int64_t parts =
        totals.files / *size + (totals.files % *size == 0 ? 0 : 1);
    form.parts =
        static_cast<int>(std::clamp<std::int64_t>(parts, 1, kMostParts));
  }
  return form;
}

Status CheckForm(const Snapshot& snapshot, const CheckpointForm& form) {
  if (form.parts < 1 || form.parts > kMostParts) {
    return NotAllowed(snapshot, fmt::format("can have a checkpoint of 1 to {} "
                                            "parts, not of {}",
                                            kMostParts, form.parts));
  }
  if (form.parts > 1 && HasV2(snapshot)) {
    return NotAllowed(snapshot,
                      "has the feature v2Checkpoint, with which the protocol "
                      "forbids checkpoints in parts; write a V2 checkpoint, "
                      "whose sidecars are what parts were for");
  }
  if (form.spec == CheckpointForm::Spec::kV2 && !HasV2(snapshot)) {
    return NotAllowed(
        snapshot,
        "does not have the feature v2Checkpoint, without which nobody has to "
        "know V2 checkpoints; ALTER TABLE ... SET TBLPROPERTIES "
        "('delta.checkpointPolicy' = 'v2') gives it the feature");
  }
  if (form.json_manifest && form.spec != CheckpointForm::Spec::kV2) {
    return NotAllowed(snapshot,
                      "can have a JSON manifest of a V2 checkpoint only; ask "
                      "for one");
  }
  return {};
}

}  // namespace bayou::table
