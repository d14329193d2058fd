// SPDX-License-Identifier: Apache-2.0
//
// The part of an examination that looks at `_delta_log` alone: commits and
// their actions, checkpoints, the hint. It needs no version that can be read.
#pragma once

#include <duckdb.hpp>
#include <memory>

#include "bayou/result.h"
#include "kernel/store/store.h"
#include "ops/commands/finding.h"

namespace bayou::commands {

struct LogVerdict {
  // `_last_checkpoint` leads nowhere, and may be deleted and written anew.
  bool has_bad_hint = false;
};

// Errors: kNotFound, condition DELTA_TABLE_NOT_FOUND, where there is no log;
// kCancelled.
Result<LogVerdict> ValidateLog(duckdb::ClientContext& context,
                               const std::shared_ptr<store::Store>& store,
                               Findings& findings);

}  // namespace bayou::commands
