// SPDX-License-Identifier: Apache-2.0
//
// The rows that changed between two versions. Where a version has `cdc` files
// they alone are read; otherwise its adds are inserts, its removes deletes, and
// a changed deletion vector gives exactly the rows in the difference; files of
// commits that changed no data give nothing. Protocol: "Add CDC File".
#pragma once

#include <memory>
#include <optional>

#include "kernel/scan/table_scan.h"

namespace bayou::scan {

struct ChangeRange {
  table::TimeTravel first;                // A version or a time.
  std::optional<table::TimeTravel> last;  // Inclusive; absent: the latest.
};

// The columns of the table at the last version, then _change_type VARCHAR,
// _commit_version BIGINT, _commit_timestamp TIMESTAMPTZ.
// Errors (thrown): DELTA_MISSING_CHANGE_DATA when the feed was not enabled in a
// version of the range; DELTA_CHANGE_DATA_FILE_NOT_FOUND,
// DELTA_VERSION_NOT_FOUND when a version or file of the range is gone: names
// the first version from which the feed is complete; a time or version range
// that is empty or inverted.
BoundScan BindChangeFeed(duckdb::ClientContext& context,
                         const std::string& location, const ChangeRange& range,
                         const ScanOptions& options);

}  // namespace bayou::scan
