// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/row_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <variant>

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/table_features.h"

namespace bayou::transaction {
namespace {

Result<std::int64_t> RowsOf(const protocol::AddFile& file,
                            std::string_view table) {
  const auto rows =
      protocol::ReadStatistics(file.stats.value_or(""), {}).num_records;
  if (rows) return *rows;
  return Fail(ErrorCode::kInternal, "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS",
              fmt::format("table {}: its rows are tracked, and file {} does "
                          "not say how many it has",
                          table, file.path));
}

tl::unexpected<Error> NoIdsLeft(std::int64_t mark, std::string_view table) {
  return Fail(ErrorCode::kCorruption, "DELTA_ROW_TRACKING_INVALID",
              fmt::format("table {}: above the row id {}, the highest that the "
                          "log says was given, there are not enough left for "
                          "new rows",
                          table, mark));
}

}  // namespace

bool AssignsRowIds(const protocol::Protocol& protocol,
                   const protocol::Metadata& metadata) {
  const auto suspended =
      metadata.configuration.find("delta.rowTrackingSuspended");
  const bool is_suspended =
      suspended != metadata.configuration.end() && suspended->second == "true";
  return !is_suspended && protocol::Supports(protocol, "rowTracking");
}

Result<std::int64_t> RowIdHighWaterMark(
    const protocol::DomainMetadata& row_tracking, std::string_view table) {
  simdjson::dom::parser parser;
  const auto json = ParseJson(parser, row_tracking.configuration);
  std::int64_t mark = -1;
  if (json && (*json)["rowIdHighWaterMark"].get(mark) == simdjson::SUCCESS &&
      mark >= -1) {
    return mark;
  }
  return Fail(
      ErrorCode::kCorruption, "DELTA_ROW_TRACKING_INVALID",
      fmt::format("table {}: the configuration of domain {} has no "
                  "number rowIdHighWaterMark: {}",
                  table, kRowTrackingDomain, row_tracking.configuration));
}

Status AssignRowIds(protocol::Version version, std::int64_t mark,
                    std::string_view table, StagedActions& staged) {
  const std::int64_t before = mark;
  const auto own = std::ranges::find(staged.domains, kRowTrackingDomain,
                                     &protocol::DomainMetadata::domain);
  if (own != staged.domains.end()) {
    BAYOU_ASSIGN(const std::int64_t set, RowIdHighWaterMark(*own, table));
    mark = std::max(mark, set);
    staged.domains.erase(own);
  }
  for (protocol::AddFile& add : staged.adds) {
    if (!add.base_row_id) {
      BAYOU_ASSIGN(const std::int64_t rows, RowsOf(add, table));
      if (rows < 0 || rows >= INT64_MAX - std::max<std::int64_t>(mark, 0))
        return NoIdsLeft(mark, table);
      add.base_row_id = mark + 1;
      mark += rows;
    }
    if (!add.default_row_commit_version)
      add.default_row_commit_version = version;
  }
  if (mark == before) return {};
  staged.domains.insert(
      staged.domains.begin(),
      {std::string(kRowTrackingDomain),
       fmt::format("{{\"rowIdHighWaterMark\":{}}}", mark), false});
  return {};
}

void TakeOverRowIds(std::span<const protocol::Action> commit,
                    StagedActions& staged) {
  std::unordered_map<std::string, const protocol::AddFile*> given;
  for (const protocol::Action& action : commit) {
    const auto* add = std::get_if<protocol::AddFile>(&action);
    if (add != nullptr && add->base_row_id && !add->data_change)
      given[CanonicalPath(add->path)] = add;
  }
  if (given.empty()) return;
  const auto take_over = [&](auto& files) {
    for (auto& file : files) {
      const auto found = given.find(CanonicalPath(file.path));
      if (found == given.end()) continue;
      file.base_row_id = found->second->base_row_id;
      file.default_row_commit_version =
          found->second->default_row_commit_version;
    }
  };
  take_over(staged.adds);
  take_over(staged.removes);
}

}  // namespace bayou::transaction
