// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/vacuum_decision.h"

#include <optional>
#include <utility>

#include "base/json.h"
#include "kernel/log/commit_history.h"
#include "ops/commands/describe_history.h"
#include "ops/commands/kept_files.h"
#include "ops/commands/vacuum_record.h"

namespace bayou::commands {
namespace {

using protocol::Version;

VacuumDecision Full(std::string reason) {
  return {VacuumDecision::Kind::kFull, std::move(reason)};
}

// What the history says of a full run that was completed.
struct FullRun {
  std::int64_t ended_ms = 0;
  std::int64_t retention_ms = 0;
};

// nullopt: that version is no such run.
Result<std::optional<FullRun>> ReadFullRun(const table::Snapshot& snapshot,
                                           Version version) {
  const auto entries = log::ReadHistory(snapshot.store(), version, 1,
                                        snapshot.in_commit_timestamps());
  if (!entries) return tl::unexpected<Error>(entries.error());
  if (entries->empty() || entries->front().version != version ||
      !entries->front().info) {
    return std::nullopt;
  }
  const HistoryRow row = ParseCommitInfo(entries->front().info->json);
  if (row.operation != "VACUUM END" || !row.operation_parameters)
    return std::nullopt;
  const auto parameter = [&](const char* name) -> std::string {
    const auto found = row.operation_parameters->find(name);
    if (found == row.operation_parameters->end()) return {};
    return found->second.value_or("");
  };
  const std::string retention = parameter("retentionMillis");
  if (parameter("status") != "COMPLETED" ||
      parameter("typeOfVacuum") != "FULL" || retention.empty() ||
      retention.find_first_not_of("0123456789") != std::string::npos ||
      retention.size() > 18) {
    return std::nullopt;
  }
  return FullRun{entries->front().timestamp_ms, std::stoll(retention)};
}

}  // namespace

Result<VacuumDecision> DecideVacuum(const table::Snapshot& snapshot,
                                    std::int64_t retention_ms,
                                    std::int64_t now_ms) {
  const VacuumRecord record =
      ReadVacuumRecord(snapshot.store(), snapshot.version());
  if (!record.last_full) return Full("no full run is known");
  BAYOU_ASSIGN(const auto last, ReadFullRun(snapshot, *record.last_full));
  if (!last) return Full("the last full run is not in the history");
  if (last->retention_ms > retention_ms)
    return Full("the last full run kept more");
  const std::int64_t cutoff_ms = now_ms - retention_ms;
  if (last->ended_ms < cutoff_ms)
    return Full("the last full run is older than the retention time");

  BAYOU_ASSIGN(const auto expired, LatestVersionBefore(snapshot, cutoff_ms));
  const Version first = record.done_until ? *record.done_until + 1 : 0;
  if (!expired || *expired < first) {
    return VacuumDecision{
        VacuumDecision::Kind::kSkip,
        "nothing went out of the table that has become too old since the last "
        "run"};
  }
  for (Version version = first; version <= *expired; ++version) {
    BAYOU_ASSIGN(const auto removals, FindRemovals(snapshot, version));
    if (!removals) return Full("the log has lost commits since the last run");
    if (!removals->empty()) {
      return VacuumDecision{VacuumDecision::Kind::kLite,
                            "a full run was completed within the retention "
                            "time, and the log tells what went since"};
    }
  }
  return VacuumDecision{
      VacuumDecision::Kind::kSkip,
      "the commits that have become too old since the last run took nothing "
      "out of the table"};
}

}  // namespace bayou::commands
