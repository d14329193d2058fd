// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/kept_properties.h"

namespace bayou::commands {

void KeepProperties(const protocol::StringMap& now, protocol::StringMap& next) {
  for (const char* key :
       {kInCommitTimestamps, "delta.inCommitTimestampEnablementVersion",
        "delta.inCommitTimestampEnablementTimestamp",
        "delta.requireCheckpointProtectionBeforeVersion"}) {
    const auto found = now.find(key);
    if (found == now.end()) {
      next.erase(key);
    } else {
      next[key] = found->second;
    }
  }
}

}  // namespace bayou::commands
