// SPDX-License-Identifier: Apache-2.0
//
// Conditions on a checkpoint's parsed statistics and partition values, in SQL:
// what makes a query read few row groups of a checkpoint with a million files.
// Each holds wherever the file may matter, and where the checkpoint says
// nothing.
#pragma once

#include <duckdb.hpp>
#include <string>
#include <vector>

#include "kernel/protocol/file_statistics.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {

// The conditions `parts`, of which empty ones say nothing, joined by AND or OR.
// A conjunction goes on without those; a disjunction then says nothing either.
std::string JoinSql(bool is_and, const std::vector<std::string>& parts);

// For `column <op> constant`, by add.stats_parsed; empty = none. Strings may
// be cut in it, at `prefix_length` characters or as other writers do.
std::string BoundsSql(const protocol::ColumnPath& path,
                      duckdb::ExpressionType op, const duckdb::Value& constant,
                      int prefix_length, const duckdb::LogicalType& add);

// For an expression over `inputs`, columns of the table to which it refers by
// position, by add.partitionValues_parsed; empty = none.
std::string PartitionSql(const ScannedTable& table,
                         const duckdb::Expression& expression,
                         const std::vector<duckdb::column_t>& inputs,
                         const duckdb::LogicalType& add);

}  // namespace bayou::scan
