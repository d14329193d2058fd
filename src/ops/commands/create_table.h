// SPDX-License-Identifier: Apache-2.0
//
// CREATE TABLE, with or without rows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/protocol/schema.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/transaction.h"

namespace bayou::commands {

struct TableDefinition {
  std::vector<protocol::Field> columns;
  std::vector<std::string> partition_columns;
  protocol::StringMap properties;  // As the user wrote them.
  std::optional<std::string> comment;
  protocol::StringMap constraints;  // Name to condition in Spark SQL.
  std::vector<std::vector<std::string>> cluster_by;  // Paths of columns.
};

// A transaction that makes the table at `location` (absolute path). Nothing is
// written before it commits. Assigns column mapping ids and physical names
// where the properties ask for them. Errors: kAlreadyExists,
// DELTA_TABLE_ALREADY_EXISTS; kInvalidArgument for a place that holds something
// else, for columns (none, twice the same, unknown or unfit partition columns,
// all of them partition columns) and for properties; kUnsupported for features
// that Bayou does not write.
Result<transaction::Transaction> CreateTable(const std::string& location,
                                             const TableDefinition& definition,
                                             Env& env);

// The same around files that are there already: the place is not looked at.
Result<transaction::Transaction> CreateTableAround(
    const std::string& location, const TableDefinition& definition, Env& env);

// A transaction that makes the table of `base` into the one of the definition:
// its rows go, its history stays, its protocol is raised where it must be.
// Errors: as CreateTable.
Result<transaction::Transaction> ReplaceTable(
    const std::shared_ptr<const table::Snapshot>& base,
    const TableDefinition& definition, Env& env);

// Makes the folder of the log, before the first data file: it tells others that
// files in the table's folder are going to be a table.
void MarkPlace(const std::string& location);

// Takes away the folders that a transaction of CreateTable made for files which
// are gone again. Folders that hold anything stay.
void RemoveEmptyFolders(const std::string& location);

// The operation for the history; `as_select`: rows come with it.
transaction::Operation CreateTableOperation(
    const transaction::Transaction& transaction, bool as_select,
    const TableDefinition& definition);

}  // namespace bayou::commands
