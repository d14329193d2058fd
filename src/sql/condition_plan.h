// SPDX-License-Identifier: Apache-2.0
//
// A condition on the rows of a table, planned as a query and not run: what it
// says about the table's files.
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <string>

#include "kernel/log/log_replay.h"
#include "kernel/table/snapshot.h"

namespace bayou::sql {

// The plan of SELECT * FROM the table WHERE condition. Throws DuckDB
// exceptions.
duckdb::unique_ptr<duckdb::LogicalOperator> PlanCondition(
    duckdb::ClientContext& context, const table::Snapshot& snapshot,
    const std::string& condition);

// The plan's scan of the table; null when the planner saw that no row can
// match, whatever the files hold.
const duckdb::LogicalGet* FindScan(const duckdb::LogicalOperator& plan);

// The files in the partitions that the condition names; null: all of them.
// Throws DuckDB exceptions, also for a condition that partition values do not
// decide: DELTA_NON_PARTITION_COLUMN_REFERENCE.
std::shared_ptr<const log::FilePredicate> FilesOfPartitions(
    duckdb::ClientContext& context, const table::Snapshot& snapshot,
    const std::string& condition);

}  // namespace bayou::sql
