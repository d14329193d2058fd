// SPDX-License-Identifier: Apache-2.0
//
// The columns of a table as its protocol and properties put them in force.
#pragma once

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/table_properties.h"

namespace bayou::protocol {

// delta.columnMapping.mode, when the protocol supports it too.
ColumnMappingMode ColumnMappingInForce(const Protocol& protocol,
                                       const Metadata& metadata);

// Without column mapping, physical names and ids that are left over in the
// schema mean nothing: they are left out, so that physical_name() is the name
// under which files, partition values and statistics have the column.
// Protocol: "Column Mapping". Errors: as ParseSchema.
Result<Schema> TableSchema(const Protocol& protocol, const Metadata& metadata);

}  // namespace bayou::protocol
