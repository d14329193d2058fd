// SPDX-License-Identifier: Apache-2.0
//
// What a scan's files hold, as far as the log says it exactly: DuckDB answers
// count(*), min and max from it without opening a data file.
#pragma once

#include <duckdb.hpp>
#include <duckdb/function/partition_stats.hpp>

#include "kernel/scan/data_file_list.h"

namespace bayou::scan {

// One entry for each file of the list; none when some file's row count is not
// exact. Deletion vectors are read and checked, so that a damaged one is an
// error here as well. Throws DuckDB exceptions.
//
// Minimum and maximum: of partition columns, and of integers and dates in files
// that lost no row. Statistics of other types are rounded or cut by some
// writers.
duckdb::vector<duckdb::PartitionStatistics> ExactStatistics(
    const DataFileList& list);

}  // namespace bayou::scan
