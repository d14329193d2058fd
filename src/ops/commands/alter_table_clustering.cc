// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/statistics_columns.h"
#include "kernel/protocol/table_features.h"
#include "ops/commands/alter_table_plan.h"
#include "ops/commands/clustering.h"

namespace bayou::commands {
namespace {

using transaction::TextParameter;

}  // namespace

Result<std::vector<ColumnPath>> ClusteringColumns(
    const table::Snapshot& table) {
  const auto& domains = table.state().domains();
  const auto domain = domains.find(std::string(kClusteringDomain));
  if (domain == domains.end() || domain->second.removed) {
    return std::vector<ColumnPath>();
  }
  return ParseClusteringDomain(domain->second, table.location());
}

Status Alter(AlteredTable& altered, const ClusterBy& cluster) {
  TableChange& change = altered.change;
  BAYOU_ASSIGN(const auto before, ClusteringColumns(altered.table));
  BAYOU_ASSIGN(const auto physical,
               PhysicalClusteringColumns(change.metadata, altered.schema,
                                         cluster.columns));
  if (before == physical) {
    change.changes_metadata = false;
    return {};
  }
  change.domain = ClusteringDomain(physical);
  change.metadata.configuration["delta.feature.clustering"] = "supported";
  BAYOU_TRY(RaiseProtocol(altered));
  change.changes_metadata = change.changes_protocol;
  change.operation = {
      "CLUSTER BY",
      {{"oldClusteringColumns",
        TextParameter(LogicalClusteringText(altered.schema, before))},
       {"newClusteringColumns",
        TextParameter(LogicalClusteringText(altered.schema, physical))}},
      {}};
  return {};
}

}  // namespace bayou::commands
