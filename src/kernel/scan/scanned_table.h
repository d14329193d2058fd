// SPDX-License-Identifier: Apache-2.0
//
// What a scan reads: the table at one version and the columns of the result.
// Shared by all that takes part in a scan; immutable.
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"
#include "kernel/scan/table_scan.h"
#include "kernel/table/snapshot.h"

namespace bayou::scan {

struct ScannedColumn {
  protocol::Field field;
  duckdb::LogicalType type;
  bool is_partition = false;  // Its values are in the log, not in the files.
  bool is_mapped =
      true;  // False: in files under its name, whatever the mapping.
};

struct ScannedTable {
  std::shared_ptr<const table::Snapshot> snapshot;
  ScanOptions options;
  std::vector<ScannedColumn> columns;

  // `table /lake/t, version 3`, for messages.
  std::string Describe() const;
};

// The columns of the snapshot's schema. Errors: see CheckTypeChanges.
Result<std::shared_ptr<ScannedTable>> DescribeTable(
    std::shared_ptr<const table::Snapshot> snapshot,
    const ScanOptions& options);

}  // namespace bayou::scan
