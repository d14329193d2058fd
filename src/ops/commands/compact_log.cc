// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/compact_log.h"

#include "kernel/protocol/table_features.h"

namespace bayou::commands {

Result<std::optional<log::CompactedLog>> CompactLog(
    const table::Snapshot& latest, std::optional<log::VersionRange> range) {
  // Actions of a feature that is not known here would be lost.
  BAYOU_TRY(protocol::CheckWritable(latest.protocol(), latest.metadata(),
                                    latest.location()));
  if (!range) {
    const auto& checkpoint = latest.state().segment().checkpoint;
    const protocol::Version first =
        checkpoint.empty() ? 0 : checkpoint.front().version + 1;
    range = log::VersionRange{first, latest.version()};
    if (range->size() < 2) return std::optional<log::CompactedLog>();
  }
  return log::CompactLog(latest.store(), *range);
}

}  // namespace bayou::commands
