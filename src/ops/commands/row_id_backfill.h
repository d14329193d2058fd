// SPDX-License-Identifier: Apache-2.0
//
// Row tracking on a table that has rows already: its files are described anew,
// with row ids or without. No file is written. Protocol: "Row Tracking".
#pragma once

#include "bayou/result.h"
#include "kernel/transaction/transaction.h"
#include "ops/commands/alter_table.h"

namespace bayou::commands {

// Stages it. Errors: kUnsupported, condition
// DELTA_UNSUPPORTED_ROW_TRACKING_CHANGE, for a file that does not say how many
// rows it has.
Status ChangeRowIds(transaction::Transaction& transaction, RowIdChange change);

}  // namespace bayou::commands
