// SPDX-License-Identifier: Apache-2.0
//
// Reads the rows of one snapshot: DuckDB's Parquet scan, with the list of files
// taken from the log, columns mapped as the table says, partition values and
// missing columns filled in, deleted rows left out.
//
// The list of files is made when the query's filters are known: files that
// cannot hold a matching row are never opened (see file_pruning.h), and a list
// longer than the scan has got to is not held in memory.
#pragma once

#include <duckdb.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/scan/scan_reads.h"
#include "kernel/table/snapshot.h"

namespace bayou::scan {

struct ScanOptions {
  // See SessionOptions::allow_external_paths.
  bool allow_external_paths = false;

  // The catalog's entry that is scanned, if any; it outlives the scan.
  // function.get_bind_info reports it as BindInfo::table, because DuckDB's
  // binder finds hidden columns and write targets through it.
  duckdb::optional_ptr<duckdb::TableCatalogEntry> entry;

  // Where the scan is noted, if anywhere.
  std::shared_ptr<ScanReads> reads = nullptr;
};

// What a catalog entry or a table function's bind hands to DuckDB.
struct BoundScan {
  duckdb::TableFunction function;
  duckdb::unique_ptr<duckdb::FunctionData> bind_data;
  duckdb::vector<duckdb::LogicalType> types;  // The table's columns, in order.
  duckdb::vector<duckdb::string> names;
};

// Throws DuckDB exceptions (see engine::Throw): DuckDB calls it while binding.
BoundScan BindScan(duckdb::ClientContext& context,
                   std::shared_ptr<const table::Snapshot> snapshot,
                   const ScanOptions& options);

// Tells for every live file of the table whether a scan still reads it, after
// DuckDB pushed a query's filters into it, and what leaves it out. `scan` is
// the bind data of such a scan. Throws DuckDB exceptions.
struct FileVerdict {
  const protocol::AddFile& file;
  bool kept = true;
  bool by_partition = false;  // Left out by partition values or hidden columns,
  std::string_view condition;  // or else by statistics: by this condition.
};
void VisitFiles(const duckdb::FunctionData& scan,
                const std::function<void(const FileVerdict&)>& visit);

// Hidden columns of a Delta table, by the name under which SQL reaches them:
// "_metadata.file_path", "_metadata.file_name", "_metadata.file_size",
// "_metadata.file_modification_time", "_metadata.row_index",
// "_metadata.row_id", "_metadata.row_commit_version".
duckdb::virtual_column_map_t HiddenColumns(const table::Snapshot& snapshot);

}  // namespace bayou::scan
