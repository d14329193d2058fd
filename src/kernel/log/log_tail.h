// SPDX-License-Identifier: Apache-2.0
//
// The newest part of a log segment, reconciled: what its commits and compacted
// files say, as values. Protocol: "Action Reconciliation".
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/file_key_set.h"
#include "kernel/log/log_file_name.h"
#include "kernel/protocol/actions.h"
#include "kernel/store/store.h"

namespace bayou::log {

// Takes actions newest first; the first word on a subject is the last.
struct LogTail {
  std::optional<protocol::Protocol> protocol;
  std::optional<protocol::Metadata> metadata;
  std::map<std::string, protocol::SetTransaction> transactions;
  std::map<std::string, protocol::DomainMetadata> domains;  // Removed ones too.
  // Deques: a commit may hold a million files, and they grow without copying.
  std::deque<protocol::AddFile> adds;        // Live.
  std::deque<protocol::RemoveFile> removes;  // Not live any more.
  FileKeySet touched;  // The files that `adds` and `removes` speak of.

  // Actions of one commit, in its order: of two that contradict each other the
  // later one holds.
  void Take(std::vector<protocol::Action> older);
  void Take(protocol::Action older);
};

// Reads `deltas`, newest first; long tails with a second thread, if there may
// be one. Errors: those of ParseActions, naming table and file; kCorruption,
// DELTA_LOG_EMPTY_COMMIT for a commit without content. `unreadable` gets the
// name of a compacted file at fault: its commits can stand in for it.
Status ReadDeltas(store::Store& store, std::span<const LogFileName> deltas,
                  LogTail& tail, std::string* unreadable,
                  bool with_second_thread = false);

}  // namespace bayou::log
