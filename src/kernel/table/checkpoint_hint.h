// SPDX-License-Identifier: Apache-2.0
//
// `_last_checkpoint` as it is written. Reading it is kernel/log/log_listing.h.
// Protocol: "Last Checkpoint File Schema".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_replay.h"
#include "kernel/protocol/actions.h"
#include "kernel/store/store.h"

namespace bayou::table {

struct CheckpointHint {
  // A V2 checkpoint, as delta-spark names it here so that its readers need not
  // open the manifest.
  struct V2 {
    store::ObjectMeta manifest;  // Its name in the log folder.
    // As JSON, all that the manifest says, but for its sidecars; or nothing.
    std::vector<std::string> non_file_actions;
    std::vector<protocol::Sidecar> sidecars;
  };

  protocol::Version version = 0;
  std::int64_t actions = 0;
  std::optional<int> parts;  // Of a multi-part checkpoint.
  std::int64_t bytes = 0;    // Of all files.
  log::FileTotals totals;
  std::optional<V2> v2;
};

// The JSON, with its checksum. Lists of V2 that are longer than 30 are left
// out.
std::string HintJson(const CheckpointHint& hint);

// MD5 of the canonical form of a JSON object. Protocol: "JSON checksum".
Result<std::string> JsonChecksum(std::string_view json);

// Replaces the hint unless it names a newer version.
Status PutHint(store::Store& store, const CheckpointHint& hint);

}  // namespace bayou::table
