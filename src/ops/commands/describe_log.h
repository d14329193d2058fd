// SPDX-License-Identifier: Apache-2.0
//
// What lies in `_delta_log`, and which of it a version is read from.
#pragma once

#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_file_name.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

struct LogFileRow {
  log::LogFileName file;
  bool in_segment = false;  // This version is read from it.
};

// All files with a version, ascending, then the others.
Result<std::vector<LogFileRow>> DescribeLog(const table::Snapshot& snapshot);

// commit, compacted, checkpoint, checksum or other.
std::string_view KindName(log::LogFileKind kind);

}  // namespace bayou::commands
