// SPDX-License-Identifier: Apache-2.0
//
// How much of what others committed meanwhile a transaction bears.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernel/protocol/actions.h"
#include "kernel/transaction/staged_actions.h"

namespace bayou::transaction {

enum class IsolationLevel : std::uint8_t {
  // As if the commits had run one after another, in the order of versions.
  kSerializable,
  // The same for what is written; an append of rows that were computed from no
  // table may count as later than it is.
  kWriteSerializable,
  // What was read is of one version; only what is written collides.
  kSnapshotIsolation,
};

std::string_view Name(IsolationLevel level);  // As in commitInfo.

// The level of delta.isolationLevel; snapshot isolation for a commit of nothing
// but files of which none changes data, such as a compaction.
IsolationLevel IsolationLevelOf(const protocol::Metadata& metadata,
                                const StagedActions& staged);

}  // namespace bayou::transaction
