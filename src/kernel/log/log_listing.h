// SPDX-License-Identifier: Apache-2.0
//
// Lists `_delta_log`, from the checkpoint that `_last_checkpoint` hints at when
// that helps. The hint is only where to begin: a stale, damaged or wrong one
// costs a second listing and nothing else. Protocol: "Last Checkpoint File".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_file_name.h"
#include "kernel/store/store.h"

namespace bayou::log {

struct LastCheckpoint {
  Version version = -1;
  std::optional<std::int64_t> num_of_add_files;
  std::optional<std::int64_t> size_in_bytes;
};

// What the file says, or nullopt when it makes no sense.
std::optional<LastCheckpoint> ParseLastCheckpoint(std::string_view json);

// The hint, or nullopt when there is none or it makes no sense.
std::optional<LastCheckpoint> ReadLastCheckpoint(store::Store& store);

// All files of the log folder with a version of at least `first`, ascending.
// Errors: kNotFound, condition DELTA_TABLE_NOT_FOUND, when there is no log
// folder: says what was found at the place instead (nothing, an empty folder,
// Parquet files, a folder whose parent is a table).
Result<std::vector<LogFileName>> ListLog(store::Store& store, Version first);

}  // namespace bayou::log
