// SPDX-License-Identifier: Apache-2.0
//
// Decides whether a transaction that lost the race for a version can take the
// next one, or is out of date because of what the winner did. The rules are
// delta-spark's, in its order, with its names; finer where that is provably
// right: files that the winner added are held against the predicates by their
// statistics too, and a commit that moved rows without changing them
// (dataChange = false) collides only with who removes the same files.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_replay.h"
#include "kernel/protocol/actions.h"
#include "kernel/transaction/isolation_level.h"
#include "kernel/transaction/staged_actions.h"

namespace bayou::transaction {

// What a transaction's outcome depends on, besides schema, properties and
// protocol, on which every one depends.
struct ReadSet {
  bool whole_table = false;
  // Each stands for a scan, which read the files that it keeps.
  std::vector<std::shared_ptr<const log::FilePredicate>> scans;
  // The same, of scans whose rows are judged each by itself: what becomes of
  // one depends on no other, so that rows which go elsewhere do not matter.
  std::vector<std::shared_ptr<const log::FilePredicate>> row_scans;
  std::set<std::string> app_ids;  // Whose version it looked up.

  bool HasFiles() const {
    return whole_table || !scans.empty() || !row_scans.empty();
  }
};

// A commit that landed first.
struct WinningCommit {
  protocol::Version version = 0;
  std::vector<protocol::Action> actions;

  const protocol::CommitInfo* info() const;  // nullptr when it has none.
  bool IsRowTrackingBackfill() const;
};

// The transaction that lost.
struct LosingTransaction {
  std::string_view table;      // For messages.
  std::string_view operation;  // The same: `DELETE`.
  const ReadSet& reads;
  // Canonical paths of the files of which it matters that rows went: what its
  // scans read, but for row scans under kWriteSerializable. May be left empty
  // when the winner removed none with dataChange.
  const std::set<std::string>& files_read;
  // Those of the files that both change for which that is settled: see
  // row_level_merge.h.
  const std::set<std::string>& settled;
  const StagedActions& staged;
  IsolationLevel isolation = IsolationLevel::kSerializable;
  // As read, or as adopted from earlier winners.
  const protocol::Protocol& protocol;
  const protocol::Metadata& metadata;
  // The first earlier winner that counts as later: see CountsAsLater().
  std::optional<protocol::Version> comes_before = {};
};

// Errors: kConflict, with a condition that names the reason, and a message that
// names both operations and the winner's version, in this order:
//   DELTA_PROTOCOL_CHANGED          both change the protocol, or the winner
//   took
//                                   a feature away
//   DELTA_METADATA_CHANGED          see tolerated_metadata.h for what passes
//   DELTA_CONCURRENT_TRANSACTION    the same metadata domain, or an application
//                                   whose version was looked up
//   DELTA_CONCURRENT_APPEND         rows were added that it should have read;
//                                   or it counts as earlier than an append that
//                                   the winner may have seen
//   DELTA_CONCURRENT_DELETE_READ    rows were removed that it has read
//   DELTA_CONCURRENT_DELETE_DELETE  both remove the same file
// Also those of protocol::CheckWritable for the protocol that the winner left.
Status CheckConflict(const LosingTransaction& loser,
                     const WinningCommit& winner);

// Under WriteSerializable, whether the winner is a blind append of rows that
// the loser would have read: then the loser counts as if it had come first. So
// no later winner may come between the two, which delta-spark does not look at:
// one that has seen the append, but not the loser.
bool CountsAsLater(const LosingTransaction& loser, const WinningCommit& winner);

}  // namespace bayou::transaction
