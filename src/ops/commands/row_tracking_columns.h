// SPDX-License-Identifier: Apache-2.0
//
// The names under which files keep row ids that have to outlive a rewrite.
//
// Protocol: "Row Tracking".
#pragma once

#include "base/env.h"
#include "kernel/protocol/actions.h"

namespace bayou::commands {

// Where the table does not have them yet.
inline void NameRowTrackingColumns(protocol::StringMap& configuration,
                                   Env& env) {
  configuration.try_emplace("delta.rowTracking.materializedRowIdColumnName",
                            "_row-id-col-" + NewUuid(env));
  configuration.try_emplace(
      "delta.rowTracking.materializedRowCommitVersionColumnName",
      "_row-commit-version-col-" + NewUuid(env));
}

}  // namespace bayou::commands
