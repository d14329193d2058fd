// SPDX-License-Identifier: Apache-2.0
//
// What a table's log needs after a commit, so that opening the table stays
// cheap: nothing, most often; a compacted file for a run of small commits; a
// checkpoint. Decides and does nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_compaction.h"
#include "kernel/protocol/table_properties.h"

namespace bayou::table {

using protocol::Version;

struct LogWork {
  bool checkpoint = false;
  std::optional<log::VersionRange> compaction;
};

struct CommitSize {
  std::int64_t bytes = 0;
  std::int64_t actions = 0;
};

// The bytes of the commits of a range, for a policy that wants to know: it
// costs a listing.
using CommitBytes =
    std::function<Result<std::vector<std::int64_t>>(log::VersionRange)>;

class LogPolicy {
 public:
  virtual ~LogPolicy() = default;

  // After the commit of `version`. Errors: those of `bytes_of`.
  virtual Result<LogWork> After(Version version, const CommitSize& size,
                                const protocol::TableProperties& properties,
                                const CommitBytes& bytes_of) const = 0;
};

// The policy of the table properties: a checkpoint every
// delta.checkpointInterval commits, and at once after a large commit, which is
// a fraction of its size in Parquet; a compacted file for every
// delta.logCompaction.interval commits if all of them are small.
class IntervalLogPolicy final : public LogPolicy {
 public:
  // From either on a commit is large.
  static constexpr std::int64_t kLargeBytes = std::int64_t{8} << 20;
  static constexpr std::int64_t kLargeActions = 20'000;

  Result<LogWork> After(Version version, const CommitSize& size,
                        const protocol::TableProperties& properties,
                        const CommitBytes& bytes_of) const override;
};

}  // namespace bayou::table
