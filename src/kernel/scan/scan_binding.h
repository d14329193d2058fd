// SPDX-License-Identifier: Apache-2.0
//
// DuckDB's Parquet scan, made to read a list of data files as rows of a table.
#pragma once

#include <duckdb.hpp>
#include <memory>

#include "kernel/scan/data_file_list.h"
#include "kernel/scan/opened_files.h"
#include "kernel/scan/scanned_table.h"
#include "kernel/scan/table_scan.h"

namespace bayou::scan {

// Opens no data file. Throws DuckDB exceptions.
BoundScan BindFiles(duckdb::ClientContext& context,
                    std::shared_ptr<const ScannedTable> table,
                    std::shared_ptr<const DataFileSource> source);

// Whether BindFiles made it.
bool IsTableScan(const duckdb::TableFunction& function);

// The files of a scan that BindFiles bound.
const DataFileList& FilesOf(const duckdb::FunctionData& scan);

// Those of them that it has opened while HiddenColumn::kFileNumber was read.
std::shared_ptr<const OpenedFiles> OpenedFilesOf(
    const duckdb::FunctionData& scan);

}  // namespace bayou::scan
