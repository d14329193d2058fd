// SPDX-License-Identifier: Apache-2.0
//
// The columns in which files keep row ids that have to outlive a rewrite.
//
// Protocol: "Row Tracking".
#pragma once

#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"
#include "kernel/write/file_layout.h"

namespace bayou::commands {

// Where the table does not have names for them yet.
void NameRowTrackingColumns(protocol::StringMap& configuration, Env& env);

// Whether rows keep their ids when they move to another file.
bool TracksRows(const table::Snapshot& snapshot);

// The row id and the commit version, behind the table's columns; none where
// rows are not tracked. Errors: kCorruption, condition
// DELTA_ROW_TRACKING_INVALID, when the table has no names for them: rows that
// move would get other ids.
Result<std::vector<write::ExtraColumn>> RowTrackingColumns(
    const table::Snapshot& snapshot);

}  // namespace bayou::commands
