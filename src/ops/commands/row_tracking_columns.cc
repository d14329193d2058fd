// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/row_tracking_columns.h"

#include "kernel/protocol/table_features.h"

namespace bayou::commands {

using duckdb::LogicalType;

void NameRowTrackingColumns(protocol::StringMap& configuration, Env& env) {
  configuration.try_emplace("delta.rowTracking.materializedRowIdColumnName",
                            "_row-id-col-" + NewUuid(env));
  configuration.try_emplace(
      "delta.rowTracking.materializedRowCommitVersionColumnName",
      "_row-commit-version-col-" + NewUuid(env));
}

bool TracksRows(const table::Snapshot& snapshot) {
  return snapshot.properties().row_tracking() &&
         protocol::Supports(snapshot.protocol(), "rowTracking");
}

Result<std::vector<write::ExtraColumn>> RowTrackingColumns(
    const table::Snapshot& snapshot) {
  std::vector<write::ExtraColumn> columns;
  if (!TracksRows(snapshot)) return columns;
  const auto properties = snapshot.properties();
  const auto id = properties.materialized_row_id_column();
  const auto version = properties.materialized_row_commit_version_column();
  if (!id || !version) {
    return Fail(ErrorCode::kCorruption, "DELTA_ROW_TRACKING_INVALID",
                "table " + snapshot.location() +
                    " tracks rows, but does not name the columns in which "
                    "files keep row ids; nothing was changed");
  }
  const std::size_t behind = snapshot.schema().fields.size();
  columns.push_back({behind, *id, LogicalType::BIGINT});
  columns.push_back({behind + 1, *version, LogicalType::BIGINT});
  return columns;
}

}  // namespace bayou::commands
