// SPDX-License-Identifier: Apache-2.0
//
// Sidecars of the older checkpoint that the next one names again, so that it
// need not write what they say.
//
// A sidecar is kept if
// - the next checkpoint would say each of its actions again: newer commits
//   touched none of its files, and none of its tombstones has expired. So no
//   file is named twice, and none that was removed;
// - its columns are those of the sidecars that are written beside it, for some
//   readers take the columns of one for those of all;
// - it has at least half as many actions as a sidecar is to have. So there are
//   never more than two for each kSidecarActions actions, and one that is
//   smaller, however many checkpoints come one behind the other.
// The actions of all others are written anew, together with what is new.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/checkpoint_query.h"
#include "kernel/table/snapshot.h"

namespace bayou::table {

// As delta-spark's have.
inline constexpr std::int64_t kSidecarActions = 50'000;

struct KeptSidecar {
  protocol::Sidecar sidecar;
  std::string file;  // Native path.
};

// In the order of the older checkpoint. Errors: those of reading it.
Result<std::vector<KeptSidecar>> FindKeptSidecars(
    const Snapshot& snapshot, duckdb::DatabaseInstance& database,
    const CheckpointQuery& query);

}  // namespace bayou::table
