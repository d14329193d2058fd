// SPDX-License-Identifier: Apache-2.0
//
// CREATE TABLE ... LIKE: a new table with the columns, rules, partitions and
// properties of another, and none of its rows.
#pragma once

#include "bayou/result.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/create_table.h"

namespace bayou::commands {

// What writers have noted in the schema and the properties stays behind: ids
// and physical names, type changes, high-water marks. Errors: kCorruption, for
// a damaged clustering domain.
Result<TableDefinition> DefinitionLike(const table::Snapshot& source);

}  // namespace bayou::commands
