// SPDX-License-Identifier: Apache-2.0
//
// How DELETE, UPDATE and MERGE run: what the catalog hands over to when DuckDB
// asks it for a plan. DuckDB plans the query that finds the rows; behind it
// come
//
//   a projection       each row in the form of physical_row_changes.h
//   DELTA_CHANGE_ROWS  what becomes of the files; which rows to write
//   a sort             by partition, where there are partitions
//   DELTA_INSERT       writes them, and stages the change
//
// Everything here throws DuckDB exceptions (see engine::Throw).
#pragma once

#include <duckdb.hpp>
#include <duckdb/execution/physical_plan_generator.hpp>
#include <duckdb/planner/operator/logical_delete.hpp>
#include <duckdb/planner/operator/logical_get.hpp>
#include <duckdb/planner/operator/logical_merge_into.hpp>
#include <duckdb/planner/operator/logical_projection.hpp>
#include <duckdb/planner/operator/logical_update.hpp>

#include "kernel/table/snapshot.h"
#include "sql/delta_table.h"
#include "sql/write_plans.h"

namespace bayou::sql {

// The columns that DuckDB reads to find a row of the table again.
duckdb::vector<duckdb::column_t> RowIdColumns(const table::Snapshot& snapshot);

// Lets an UPDATE hand on all columns of the rows that it changes, but for
// generated ones that it does not set: a changed row is a new row. Errors:
// kInvalidArgument, DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED.
void AddAllColumns(const DeltaTable& table, duckdb::LogicalGet& get,
                   duckdb::LogicalProjection& projection,
                   duckdb::LogicalUpdate& update);

duckdb::PhysicalOperator& PlanDelete(duckdb::ClientContext& context,
                                     duckdb::PhysicalPlanGenerator& planner,
                                     duckdb::LogicalDelete& op,
                                     duckdb::PhysicalOperator& plan,
                                     PendingWriteOf pending);

duckdb::PhysicalOperator& PlanUpdate(duckdb::ClientContext& context,
                                     duckdb::PhysicalPlanGenerator& planner,
                                     duckdb::LogicalUpdate& op,
                                     duckdb::PhysicalOperator& plan,
                                     PendingWriteOf pending);

duckdb::PhysicalOperator& PlanMergeInto(duckdb::ClientContext& context,
                                        duckdb::PhysicalPlanGenerator& planner,
                                        duckdb::LogicalMergeInto& op,
                                        duckdb::PhysicalOperator& plan,
                                        PendingWriteOf pending);

}  // namespace bayou::sql
