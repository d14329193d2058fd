// SPDX-License-Identifier: Apache-2.0
//
// How INSERT, CREATE TABLE and CREATE TABLE AS SELECT run: what the catalog
// hands over to when DuckDB asks it for a plan. Everything here throws DuckDB
// exceptions (see engine::Throw).
#pragma once

#include <duckdb.hpp>
#include <duckdb/execution/physical_plan_generator.hpp>
#include <duckdb/parser/parsed_data/create_table_info.hpp>
#include <duckdb/planner/operator/logical_create_table.hpp>
#include <duckdb/planner/operator/logical_insert.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel/table/snapshot.h"
#include "sql/pending_write.h"
#include "sql/physical_insert.h"

namespace bayou::sql {

// The pending changes of the SQL transaction in which a plan runs (a prepared
// plan runs in many).
using PendingWriteOf = std::function<PendingWrite&(duckdb::ClientContext&)>;

// The end of every plan that writes: `rows` have the table's columns, of which
// those at `partition_columns` come together, and maybe more behind them.
duckdb::PhysicalOperator& WriteRows(
    duckdb::PhysicalPlanGenerator& planner, const duckdb::LogicalOperator& op,
    duckdb::PhysicalOperator& rows,
    const std::vector<duckdb::idx_t>& partition_columns, RowTarget target);

// The plan of a statement that changes no row, whatever it says.
duckdb::PhysicalOperator& NoRows(duckdb::PhysicalPlanGenerator& planner,
                                 const duckdb::LogicalOperator& op);

// The positions of the partition columns in the schema.
std::vector<duckdb::idx_t> PartitionPositions(const table::Snapshot& snapshot);

// INSERT into an existing table. `plan` gives the rows.
duckdb::PhysicalOperator& PlanInsert(
    duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
    duckdb::LogicalInsert& op, duckdb::PhysicalOperator& plan,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    PendingWriteOf pending);

// CREATE TABLE AS SELECT at `location` (absolute path), in the place of
// `replaced`, if there is one.
duckdb::PhysicalOperator& PlanCreateTableAs(
    duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
    duckdb::LogicalCreateTable& op, duckdb::PhysicalOperator& plan,
    std::string location, std::shared_ptr<const table::Snapshot> replaced,
    PendingWriteOf pending);

// CREATE TABLE without rows: becomes pending. IF NOT EXISTS is the catalog's to
// look at. `replaced`: as above.
void CreateTable(duckdb::ClientContext& context,
                 const duckdb::CreateTableInfo& info,
                 const std::string& location,
                 const std::shared_ptr<const table::Snapshot>& replaced,
                 PendingWrite& pending);

}  // namespace bayou::sql
