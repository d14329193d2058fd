// SPDX-License-Identifier: Apache-2.0
//
// Whether a history of transactions that append to keys, and read which
// appends a key has had, is one that an isolation level allows. The order in
// which they depend on one another is inferred from what they saw alone.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace bayou::simulation {

struct AppendTransaction {
  std::int64_t version = -1;  // That it became.
  int written_key = 0;
  std::optional<int> read_key;  // nullopt: a blind append.
  std::set<int> seen;           // Indexes of transactions, in the history.
};

enum class HistoryLevel : std::uint8_t { kSerializable, kWriteSerializable };

// What is forbidden in it; nullopt: nothing.
//   Both levels: a cycle of dependencies (T saw U: U before T; T read a key and
//   did not see U's append to it: T before U).
//   Serializable: one that goes against the order of the versions.
//   WriteSerializable: the same, unless it is an append that was blind.
std::optional<std::string> FindForbidden(
    const std::vector<AppendTransaction>& history, HistoryLevel level);

}  // namespace bayou::simulation
