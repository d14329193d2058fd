// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/checkpoint_form.h"

#include <fmt/format.h>

#include "kernel/protocol/table_features.h"

namespace bayou::table {
namespace {

bool HasV2(const Snapshot& snapshot) {
  return protocol::Supports(snapshot.protocol(), "v2Checkpoint");
}

}  // namespace

CheckpointForm FormOf(const Snapshot& snapshot) {
  const bool v2 =
      HasV2(snapshot) && snapshot.properties().v2_checkpoint_policy();
  return {.spec =
              v2 ? CheckpointForm::Spec::kV2 : CheckpointForm::Spec::kClassic};
}

Status CheckForm(const Snapshot& snapshot, const CheckpointForm& form) {
  if (form.spec != CheckpointForm::Spec::kV2 || HasV2(snapshot)) return {};
  return Fail(
      ErrorCode::kInvalidArgument, "DELTA_CHECKPOINT_FORM_NOT_ALLOWED",
      fmt::format("table {} does not have the feature v2Checkpoint, without "
                  "which nobody has to know V2 checkpoints; ALTER TABLE ... "
                  "SET TBLPROPERTIES ('delta.checkpointPolicy' = 'v2') gives "
                  "it the feature",
                  snapshot.location()));
}

}  // namespace bayou::table
