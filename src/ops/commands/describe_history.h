// SPDX-License-Identifier: Apache-2.0
//
// DESCRIBE HISTORY: what the commits say about themselves, with delta-spark's
// columns. commitInfo is free-form, so a field that is missing or of an
// unexpected kind is absent here and never an error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

inline constexpr std::int64_t kDefaultHistoryLimit = 1000;

using TextMap = std::map<std::string, std::optional<std::string>>;

struct HistoryRow {
  protocol::Version version = 0;
  std::int64_t timestamp_ms =
      0;  // When the commit happened, see commit_history.h.
  std::optional<std::string> user_id;
  std::optional<std::string> user_name;
  std::optional<std::string> operation;
  // Values that are no text are their JSON.
  std::optional<TextMap> operation_parameters;
  std::optional<TextMap>
      job;  // jobId, jobName, jobRunId, runId, jobOwnerId, triggerType
  std::optional<TextMap> notebook;  // notebookId
  std::optional<std::string> cluster_id;
  std::optional<std::int64_t> read_version;
  std::optional<std::string> isolation_level;
  std::optional<bool> is_blind_append;
  std::optional<TextMap> operation_metrics;
  std::optional<std::string> user_metadata;
  std::optional<std::string> engine_info;
};

// The newest `limit` commits up to the snapshot's version, newest first.
Result<std::vector<HistoryRow>> DescribeHistory(const table::Snapshot& snapshot,
                                                std::int64_t limit);

// The fields of one commitInfo object.
HistoryRow ParseCommitInfo(std::string_view json);

}  // namespace bayou::commands
