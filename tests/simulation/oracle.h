// SPDX-License-Identifier: Apache-2.0
//
// Knows what the table has to hold at each version. It sees each call that
// reaches the store, so it knows of every commit when it happens, whatever its
// writer gets to hear.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/env.h"
#include "kernel/protocol/actions.h"
#include "kernel/store/faulty_store.h"
#include "simulation/table_state.h"
#include "simulation/witness.h"

namespace bayou::simulation {

// The statements that one client means to commit together.
struct Change {
  std::vector<Statement> statements;
  std::vector<Version> commits;  // What became of it; more than one is a fault.

  void ApplyTo(TableState& state) const;
  bool IsBlindAppend() const;
  bool ChangesMetadata() const;
  bool IsVacuum() const;
  bool FindsNothingIn(const TableState& state) const;
};

class Oracle final : public Witness {
 public:
  // `files` is the table's folder, as it is without faults. For `kept_ms` after
  // it was the latest, a version can be read.
  Oracle(std::shared_ptr<store::Store> files, Env& clock, std::int64_t kept_ms,
         bool write_serializable)
      : files_(std::move(files)),
        clock_(clock),
        kept_ms_(kept_ms),
        write_serializable_(write_serializable) {}

  // What a client is about to do; nullptr: nothing that commits.
  void Announce(int client, Change* change);

  void Saw(int client, store::CallKind kind, std::string_view name,
           std::string_view content, const Status& done) override;

  Version latest() const { return static_cast<Version>(history_.size()) - 1; }
  const TableState& At(Version version) const {
    return history_[static_cast<std::size_t>(version)].state;
  }
  std::int64_t CommittedAt(Version version) const {
    return history_[static_cast<std::size_t>(version)].at_ms;
  }
  // Its files, or the log up to it, need not be there any more.
  bool MayBeGone(Version version) const {
    return version < latest() &&
           CommittedAt(version + 1) < clock_.NowMs() - kept_ms_;
  }

  // Whether a conflict that was reported to a change which has read version
  // `read` or a later one can be: a winner since then is in its way.
  bool IsRealConflict(const Change& change, Version read) const;

  // The first rule that was broken.
  const std::optional<std::string>& fault() const { return fault_; }
  void Fault(std::string text);

 private:
  struct Commit {
    TableState state;
    TableState added;  // The rows of a blind append.
    bool is_blind_append = false;
    bool changes_metadata = false;
    std::int64_t at_ms = 0;
    std::int64_t files = 0;
    std::int64_t bytes = 0;
  };

  void SawCommit(int client, Version version, std::string_view content);
  void CheckFiles(Version version,
                  const std::vector<protocol::Action>& actions);
  void SawChecksum(Version version, std::string_view content);
  TableState StateAfter(const Change& change, Version read) const;

  std::shared_ptr<store::Store> files_;
  Env& clock_;
  std::int64_t kept_ms_;
  bool write_serializable_;
  std::vector<Change*> announced_;
  std::vector<Commit> history_;  // By version.
  std::set<std::string> live_;   // Data files and deletion vectors.
  std::map<std::string, std::int64_t> sizes_;  // Of the data files among them.
  std::set<std::string> gone_;  // Data files that were live once.
  std::set<std::string> txn_ids_;
  std::optional<std::string> fault_;
};

}  // namespace bayou::simulation
