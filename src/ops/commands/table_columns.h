// SPDX-License-Identifier: Apache-2.0
//
// Which columns a table may have.
#pragma once

#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"

namespace bayou::commands {

// Errors: kInvalidArgument, condition DELTA_INVALID_COLUMNS: none, twice the
// same, unknown or unfit partition columns, all of them partition columns.
Status CheckColumns(const protocol::Schema& schema,
                    const std::vector<std::string>& partition_by);

// Without column mapping Parquet files carry the names themselves, and other
// readers cannot stand some characters in them. Errors: as above.
Status CheckUnmappedNames(const std::vector<protocol::Field>& fields);

// Columns that the schema has, as it spells them.
std::vector<std::string> NamesInSchema(const protocol::Schema& schema,
                                       const std::vector<std::string>& names);

}  // namespace bayou::commands
