// SPDX-License-Identifier: Apache-2.0
//
// The properties that tell what the log has been: since when its commits carry
// timestamps, which of them a checkpoint has to protect. The commits stay when
// the table becomes another (REPLACE) or an old one (RESTORE), and so do these:
// without them nobody knows how to read the commits.
//
// Protocol: "In-Commit Timestamps", "Checkpoint Protection".
#pragma once

#include "kernel/protocol/actions.h"

namespace bayou::commands {

inline constexpr char kInCommitTimestamps[] = "delta.enableInCommitTimestamps";

// Makes those of `next` what they are in `now`.
void KeepProperties(const protocol::StringMap& now, protocol::StringMap& next);

}  // namespace bayou::commands
