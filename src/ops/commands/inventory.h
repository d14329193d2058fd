// SPDX-License-Identifier: Apache-2.0
//
// A list of what lies in a table's folder that somebody else has made, such as
// the inventory of an object store, in the place of a listing. It may be old,
// incomplete or wrong: what it names is looked at again before it is believed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bayou/result.h"
#include "kernel/store/store.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/other_tables.h"

namespace bayou::commands {

struct InventoryEntry {
  std::string path;  // Absolute, or a `file:` URI; not percent-encoded.
  std::int64_t length = 0;
  bool is_folder = false;
  std::int64_t modified_ms = 0;  // Milliseconds since 1970, UTC.
};

// Calls `visit` with each entry, in no particular order. Errors: its own, and
// those of `visit`.
using Inventory = std::function<Status(
    const std::function<Status(const InventoryEntry&)>& visit)>;

// The entry as a listing would have it; nullopt for what lies elsewhere, and
// for paths such as no listing gives.
std::optional<store::ObjectMeta> EntryInTable(const table::Snapshot& snapshot,
                                              const InventoryEntry& entry);

// Looks at files that an inventory names.
class InventoryCheck {
 public:
  InventoryCheck(const table::Snapshot& snapshot, std::int64_t cutoff_ms);

  enum class Finding : std::uint8_t {
    kOld,   // A file of the table's own folder, older than the cutoff.
    kGone,  // There is none.
    kKeep,  // Young, another table's, or reached by a link.
  };
  // Errors: what the store says.
  Result<Finding> Look(const std::string& name);

 private:
  bool IsReachedByLinks(const std::string& name) const;

  store::Store& store_;
  std::int64_t cutoff_ms_;
  OtherTables others_;
  std::string folder_;  // Without links; empty: the store has none.
};

}  // namespace bayou::commands
