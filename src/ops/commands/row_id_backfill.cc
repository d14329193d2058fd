// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/row_id_backfill.h"

#include <fmt/format.h>

#include <utility>

#include "kernel/protocol/file_statistics.h"
#include "ops/commands/live_files.h"

namespace bayou::commands {
namespace {

Status CheckCounted(const protocol::AddFile& file, std::string_view table) {
  if (protocol::ReadStatistics(file.stats.value_or(""), {}).num_records)
    return {};
  return Fail(
      ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_ROW_TRACKING_CHANGE",
      fmt::format("table {}: rows cannot get ids, for file {} does not say how "
                  "many it has; write it anew first, with UPDATE or OPTIMIZE",
                  table, file.path));
}

}  // namespace

Status ChangeRowIds(transaction::Transaction& transaction, RowIdChange change) {
  if (change == RowIdChange::kNone) return {};
  const bool assign = change == RowIdChange::kAssign;
  return VisitFiles(*transaction.base(), kAllFields,
                    [&](const protocol::AddFile& file) -> Status {
                      if (assign == file.base_row_id.has_value()) return {};
                      if (assign)
                        BAYOU_TRY(CheckCounted(file, transaction.location()));
                      protocol::AddFile described = file;
                      described.data_change = false;
                      described.base_row_id.reset();
                      described.default_row_commit_version.reset();
                      transaction.ReplaceFile(file, std::move(described));
                      return {};
                    });
}

}  // namespace bayou::commands
