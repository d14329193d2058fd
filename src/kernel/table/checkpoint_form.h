// SPDX-License-Identifier: Apache-2.0
//
// The forms that a checkpoint may have. All say the same.
// Protocol: "Checkpoint Specs", "Checkpoint Naming Scheme".
#pragma once

#include <cstdint>

#include "bayou/result.h"
#include "kernel/table/snapshot.h"

namespace bayou::table {

struct CheckpointForm {
  enum class Spec : std::uint8_t {
    kClassic,  // One file, which every reader of the protocol knows.
    kV2,       // A manifest, and sidecars with the file actions.
  };
  Spec spec = Spec::kClassic;
  int parts = 1;               // Of kClassic: so many files.
  bool json_manifest = false;  // Of kV2; otherwise it is Parquet.
};

// What the table asks for: V2 where it has the feature v2Checkpoint and
// delta.checkpointPolicy is v2; otherwise a classic one, in so many parts,
// where the protocol allows that, that none has more files than
// delta.checkpoint.partSize. Errors: those of counting the files.
Result<CheckpointForm> FormOf(const Snapshot& snapshot);

// Errors: kInvalidArgument, condition DELTA_CHECKPOINT_FORM_NOT_ALLOWED, for a
// form that readers of the table need not know, or must not meet, and for parts
// without end.
Status CheckForm(const Snapshot& snapshot, const CheckpointForm& form);

}  // namespace bayou::table
