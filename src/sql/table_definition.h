// SPDX-License-Identifier: Apache-2.0
//
// What a CREATE TABLE says, in the protocol's terms.
#pragma once

#include <duckdb.hpp>
#include <duckdb/parser/parsed_data/create_table_info.hpp>

#include "bayou/result.h"
#include "ops/commands/create_table.h"

namespace bayou::sql {

// Errors: kUnsupported, for what Delta tables do not have; kInvalidArgument;
// those of stored_text.h for the expressions of columns and constraints.
Result<commands::TableDefinition> DefinitionOf(
    duckdb::ClientContext& context, const duckdb::CreateTableInfo& info);

}  // namespace bayou::sql
