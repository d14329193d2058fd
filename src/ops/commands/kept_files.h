// SPDX-License-Identifier: Apache-2.0
//
// The files of a table's folder that VACUUM must leave: those that the table
// has, and those that a version younger than the retention time had. All that
// the log names counts, also where the log has it only in commits that a
// checkpoint has replaced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

// A set of names. It holds their hashes: of a million files, sixteen
// megabytes. That two names may share one is harmless as long as what is in
// the set is kept.
class NameSet {
 public:
  void Add(std::string_view name) { hashes_.insert(HashOf(name)); }
  bool Contains(std::string_view name) const {
    return hashes_.contains(HashOf(name));
  }

 private:
  static std::size_t HashOf(std::string_view name) {
    return std::hash<std::string_view>{}(name);
  }
  std::unordered_set<std::size_t> hashes_;
};

// The name below the table's folder of a path in the log, decoded; nullopt for
// what lies elsewhere or is no path.
std::optional<std::string> NameInTable(const table::Snapshot& snapshot,
                                       std::string_view log_path);

// Likewise of the file with a deletion vector; nullopt also when the log itself
// holds the vector. Errors: for a vector whose file cannot be told.
Result<std::optional<std::string>> NameInTable(
    const table::Snapshot& snapshot,
    const std::optional<protocol::DeletionVectorDescriptor>& vector);

class KeptFiles {
 public:
  // What is kept when all that went before `cutoff_ms` may go. `expired_until`
  // is the latest version whose commit is older; commits behind it are looked
  // at. Errors: what reading the log gives.
  static Result<KeptFiles> Of(const table::Snapshot& snapshot,
                              std::int64_t cutoff_ms,
                              std::optional<protocol::Version> expired_until);

  bool Contains(std::string_view name) const { return kept_.Contains(name); }
  // Whether the log still knows that the table had the file.
  bool WasRemoved(std::string_view name) const {
    return removed_.Contains(name);
  }

  // Whether some of what went out of the table in commits up to `expired_until`
  // is kept all the same: the log says that it went later.
  bool keeps_expired() const { return keeps_expired_; }

  // What a commit that came later names.
  Status Add(const table::Snapshot& snapshot, const protocol::Action& action);

 private:
  Status AddLiveFiles(const table::Snapshot& snapshot);
  Status AddTombstones(const table::Snapshot& snapshot, std::int64_t cutoff_ms);
  Status AddCommits(const table::Snapshot& snapshot, protocol::Version first);

  NameSet kept_;
  NameSet removed_;
  bool keeps_expired_ = false;
};

// The actions of a commit that name files which the table no longer has, or
// never counted as its own: removes and change data. nullopt: the commit is not
// there.
Result<std::optional<std::vector<protocol::Action>>> FindRemovals(
    const table::Snapshot& snapshot, protocol::Version version);

// The same, empty for a commit that is not there.
Result<std::vector<protocol::Action>> ReadRemovals(
    const table::Snapshot& snapshot, protocol::Version version);

// The latest version whose commit is at least as old as `cutoff_ms`; nullopt
// when none is that the log still has.
Result<std::optional<protocol::Version>> LatestVersionBefore(
    const table::Snapshot& snapshot, std::int64_t cutoff_ms);

}  // namespace bayou::commands
