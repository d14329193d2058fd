// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/table_scan.h"

#include <utility>

#include "kernel/scan/data_file_list.h"
#include "kernel/scan/data_file_reader.h"
#include "kernel/scan/hidden_columns.h"
#include "kernel/scan/scan_binding.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {

BoundScan BindScan(duckdb::ClientContext& context,
                   std::shared_ptr<const table::Snapshot> snapshot,
                   const ScanOptions& options) {
  std::shared_ptr<const ScannedTable> table =
      DescribeTable(std::move(snapshot), options);
  return BindFiles(context, table, SnapshotFiles(table));
}

}  // namespace bayou::scan
