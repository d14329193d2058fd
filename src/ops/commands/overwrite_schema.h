// SPDX-License-Identifier: Apache-2.0
//
// overwriteSchema: other columns in the same table. All else of it stays: its
// identity, properties, constraints, partition and clustering columns.
#pragma once

#include <memory>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/protocol/schema.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/transaction.h"

namespace bayou::commands {

// The table as it will be; see Snapshot::Changed. A column that stays what it
// was keeps its id and its name in files. Errors: kInvalidArgument for columns
// that the table cannot have (see table_columns.h), among them partition and
// clustering columns that are missing; kUnsupported.
Result<std::shared_ptr<const table::Snapshot>> OverwriteSchema(
    const table::Snapshot& table, std::vector<protocol::Field> columns,
    Env& env);

// The domain names clustering columns as files do: stages it anew where the
// schema that the transaction brings gives them other names. Errors:
// kCorruption.
Status KeepClustering(transaction::Transaction& transaction);

}  // namespace bayou::commands
