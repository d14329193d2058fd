// SPDX-License-Identifier: Apache-2.0
//
// The columns by which a table's rows are clustered (CLUSTER BY): a list of
// paths, by physical names, in the domain delta.clustering.
//
// Protocol: "Clustered Table".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/protocol/schema.h"

namespace bayou::commands {

inline constexpr std::string_view kClusteringDomain = "delta.clustering";

using ClusteringPaths = std::vector<std::vector<std::string>>;

protocol::DomainMetadata ClusteringDomain(const ClusteringPaths& physical);

// Errors: kCorruption, condition DELTA_LOG_INVALID.
Result<ClusteringPaths> ParseClusteringDomain(
    const protocol::DomainMetadata& domain, std::string_view table);

// The physical paths of columns that the user names.
// Errors: kInvalidArgument, condition DELTA_CLUSTERING_COLUMNS_INVALID, for
// columns that are not there, that have no statistics, for more than four, and
// for a table that is partitioned.
Result<ClusteringPaths> PhysicalClusteringColumns(
    const protocol::Metadata& metadata, const protocol::Schema& schema,
    const ClusteringPaths& columns);

// By the names of the schema.
ClusteringPaths LogicalClusteringPaths(const protocol::Schema& schema,
                                       const ClusteringPaths& physical);

// The same as the history has them: `a,c.d`.
std::string LogicalClusteringText(const protocol::Schema& schema,
                                  const ClusteringPaths& physical);

}  // namespace bayou::commands
