// SPDX-License-Identifier: Apache-2.0
//
// What never goes back when another state takes the place of a table's own: one
// of its earlier versions (RESTORE), or another table (CLONE). Features of the
// protocol, the values of identity columns, the ids of columns, and what tells
// of the commits that there have been.
#pragma once

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/transaction.h"

namespace bayou::commands {

// A protocol with the features of both; `current` itself where it has them all.
protocol::Protocol MergedProtocol(const protocol::Protocol& current,
                                  const protocol::Protocol& coming);

// The metadata of `coming` for the table `current`. Errors: kCorruption for a
// schema that cannot be parsed.
Result<protocol::Metadata> MetadataInPlaceOf(const table::Snapshot& current,
                                             const table::Snapshot& coming);

// Stages the clustering of `coming`, or that there is none any more. `current`
// may be null: a new table.
void StageClusteringOf(const table::Snapshot* current,
                       const table::Snapshot& coming,
                       transaction::Transaction& transaction);

}  // namespace bayou::commands
