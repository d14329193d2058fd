// SPDX-License-Identifier: Apache-2.0
//
// Decides whether a transaction that lost the race for a version can take the
// next one, or is out of date because of what the winner did.
//
// Protocol: "Writer Requirements"; delta-spark's rules for a table under the
// isolation level Serializable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"

namespace bayou::transaction {

// What a transaction's outcome depends on, besides schema, properties and
// protocol, on which every one depends.
struct ReadSet {
  bool whole_table = false;  // Every file; false: none.
};

// A commit that landed first.
struct WinningCommit {
  protocol::Version version = 0;
  std::vector<protocol::Action> actions;

  const protocol::CommitInfo* info() const;  // nullptr when it has none.
};

// Errors: kConflict, with a condition that names the reason, and a message that
// names the winner's version and operation:
//   DELTA_PROTOCOL_CHANGED, DELTA_METADATA_CHANGED
//   DELTA_CONCURRENT_APPEND, DELTA_CONCURRENT_DELETE_READ  it changed files
//   that
//                          this transaction has read
Status CheckConflict(const ReadSet& reads, const WinningCommit& winner,
                     std::string_view table);

}  // namespace bayou::transaction
