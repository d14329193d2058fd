// SPDX-License-Identifier: Apache-2.0
//
// Which files OPTIMIZE ... ZORDER BY, and OPTIMIZE of a table with CLUSTER BY,
// write anew so that rows lie together that have near values. Opens no data
// file.
//
// Files that were written together carry the same ZCUBE_ID and the columns by
// which they were ordered (tags of delta-spark). What is one cube already is
// left alone, as are cubes so large that adding to them would cost more than it
// brings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_replay.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/clustering.h"
#include "ops/commands/clustering_order.h"
#include "ops/commands/optimize_plan.h"

namespace bayou::commands {

// By what files are ordered.
struct Clustering {
  ClusteringPaths columns;  // Logical paths.
  Curve curve = Curve::kZOrder;
  bool is_tables_own = false;  // CLUSTER BY.
  bool is_full = false;        // Cubes of other columns are taken too.

  // A column as it is named in tags and in the history: `a.b`.
  std::vector<std::string> names() const;
  // Of the files of a new cube.
  void Tag(const std::string& cube, protocol::AddFile& file) const;
};

// Whether the file is one of those that were ordered together.
bool IsInCube(const protocol::AddFile& file);

// That of CLUSTER BY; nullopt: the table has none. Errors: kCorruption,
// DELTA_LOG_INVALID.
Result<std::optional<Clustering>> ClusteringOf(const table::Snapshot& snapshot);

// Where the columns stand in rows of the table. Errors: kInvalidArgument,
// conditions DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST,
// DELTA_ZORDERING_ON_PARTITION_COLUMN, and
// DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS.
Result<std::vector<ClusteringColumn>> ResolveClustering(
    const table::Snapshot& snapshot, const Clustering& clustering);

// `partitions` may be null: all. Each task is one new cube.
Result<OptimizePlan> PlanClustering(
    const table::Snapshot& snapshot,
    std::shared_ptr<const log::FilePredicate> partitions,
    const Clustering& clustering, const BinPacking& packing);

}  // namespace bayou::commands
