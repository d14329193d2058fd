// SPDX-License-Identifier: Apache-2.0
//
// Row ids and row commit versions of the files in a commit. Protocol: "Row
// Tracking".
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/transaction/staged_actions.h"

namespace bayou::transaction {

inline constexpr std::string_view kRowTrackingDomain = "delta.rowTracking";

// False also where delta.rowTrackingSuspended says to stop.
bool AssignsRowIds(const protocol::Protocol& protocol,
                   const protocol::Metadata& metadata);

// -1: no row has an id yet. Errors: kCorruption, DELTA_ROW_TRACKING_INVALID.
Result<std::int64_t> RowIdHighWaterMark(
    const protocol::DomainMetadata& row_tracking, std::string_view table);

// Gives the added files that have none a base row id above `mark`, and the
// commit version `version`; others keep theirs. Puts the new high-water mark in
// front of the domains where it moved; a mark that is staged already counts
// when it is higher. Errors: kInternal, DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS,
// for a file that does not say how many rows it has; kCorruption,
// DELTA_ROW_TRACKING_INVALID, when no more ids are left.
Status AssignRowIds(protocol::Version version, std::int64_t mark,
                    std::string_view table, StagedActions& staged);

// Files that another's commit has described anew, with the row ids that they
// had not had (a backfill): those of the same path that are staged take them
// over.
void TakeOverRowIds(std::span<const protocol::Action> commit,
                    StagedActions& staged);

}  // namespace bayou::transaction
