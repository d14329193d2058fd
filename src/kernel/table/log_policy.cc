// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/log_policy.h"

#include <algorithm>

namespace bayou::table {

Result<LogWork> IntervalLogPolicy::After(
    Version version, const CommitSize& size,
    const protocol::TableProperties& properties,
    const CommitBytes& bytes_of) const {
  LogWork work;
  work.checkpoint =
      (version > 0 && version % properties.checkpoint_interval() == 0) ||
      size.bytes >= kLargeBytes || size.actions >= kLargeActions;
  const int interval = properties.log_compaction_interval();
  if (work.checkpoint || interval < 2 || version == 0 ||
      version % interval != 0) {
    return work;
  }
  // The runs end where a checkpoint would, so that they begin behind it: a
  // reader takes a compacted file only from the version on that it needs.
  const log::VersionRange range{version - interval + 1, version};
  BAYOU_ASSIGN(const std::vector<std::int64_t> bytes, bytes_of(range));
  const bool small =
      std::ranges::all_of(bytes, [](auto size) { return size < kLargeBytes; });
  // A commit that was cleaned up, or never listed, leaves the run as it is.
  if (small && std::ssize(bytes) == range.size()) work.compaction = range;
  return work;
}

}  // namespace bayou::table
