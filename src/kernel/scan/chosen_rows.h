// SPDX-License-Identifier: Apache-2.0
//
// Reads chosen rows of chosen files of a table: what is left of files that are
// rewritten, or what goes from them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/deletion_vector.h"
#include "kernel/scan/data_file.h"
#include "kernel/scan/table_scan.h"

namespace bayou::scan {

struct ChosenRows {
  protocol::AddFile file;  // Of the snapshot, but with any deletion vector.
  // If set, of the rows that its vector leaves, those in this one.
  std::optional<protocol::DeletionVectorDescriptor> only;
  std::string change_type;  // Where the scan has a column for it; or NULL.
};

// The name of the column with ChosenRows::change_type.
inline constexpr const char* kChangeTypeColumn = "_change_type";

// The table's columns, and behind them the change type when asked for. Throws
// DuckDB exceptions.
BoundScan BindChosenRows(duckdb::ClientContext& context,
                         std::shared_ptr<const table::Snapshot> snapshot,
                         const ScanOptions& options,
                         std::vector<ChosenRows> rows, bool with_change_type);

// The number of rows that the file stores, deleted ones included: as its footer
// says. Throws DuckDB exceptions.
std::int64_t CountStoredRows(
    duckdb::ClientContext& context,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const ScanOptions& options, const protocol::AddFile& file);

// The vector of a file of the snapshot; empty when it has none. Errors: see
// deleted_rows.h.
Result<protocol::DeletionVector> DeletedRowsOf(
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const ScanOptions& options, const protocol::AddFile& file);

}  // namespace bayou::scan
