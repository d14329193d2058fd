// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/conflict_checker.h"

#include <fmt/format.h>

#include <variant>

namespace bayou::transaction {
namespace {

Status Conflict(std::string_view condition, const WinningCommit& winner,
                std::string_view table, std::string_view reason) {
  const protocol::CommitInfo* info = winner.info();
  const std::string operation = info != nullptr && info->operation
                                    ? *info->operation
                                    : "of an unknown kind";
  return Fail(
      ErrorCode::kConflict, condition,
      fmt::format("table {}: version {} (operation {}) was committed first "
                  "and {}; nothing of this statement was committed: run it "
                  "again",
                  table, winner.version, operation, reason));
}

}  // namespace

const protocol::CommitInfo* WinningCommit::info() const {
  for (const protocol::Action& action : actions) {
    if (const auto* info = std::get_if<protocol::CommitInfo>(&action))
      return info;
  }
  return nullptr;
}

Status CheckConflict(const ReadSet& reads, const WinningCommit& winner,
                     std::string_view table) {
  for (const protocol::Action& action : winner.actions) {
    if (std::holds_alternative<protocol::Protocol>(action)) {
      return Conflict("DELTA_PROTOCOL_CHANGED", winner, table,
                      "changed the table's protocol");
    }
    if (std::holds_alternative<protocol::Metadata>(action)) {
      return Conflict("DELTA_METADATA_CHANGED", winner, table,
                      "changed the table's schema or properties");
    }
    if (!reads.whole_table) continue;
    const auto* add = std::get_if<protocol::AddFile>(&action);
    if (add != nullptr && add->data_change) {
      return Conflict("DELTA_CONCURRENT_APPEND", winner, table,
                      "added rows to the table, which this statement reads");
    }
    const auto* remove = std::get_if<protocol::RemoveFile>(&action);
    if (remove != nullptr && remove->data_change) {
      return Conflict(
          "DELTA_CONCURRENT_DELETE_READ", winner, table,
          "removed rows from the table, which this statement reads");
    }
  }
  return {};
}

}  // namespace bayou::transaction
