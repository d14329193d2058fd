// SPDX-License-Identifier: Apache-2.0
//
// The part of an examination that looks at the live files of a version, as the
// log names them, and, deeply, at what is in them.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/scan/table_scan.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/finding.h"

namespace bayou::commands {

struct FilesVerdict {
  std::int64_t files = 0;
  // Of the table's folder, and certainly not there.
  std::vector<protocol::AddFile> missing;
};

// Errors: kCancelled; what reading the log gives.
Result<FilesVerdict> ValidateFiles(
    duckdb::ClientContext& context,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const scan::ScanOptions& options, bool is_deep, Findings& findings);

}  // namespace bayou::commands
