// SPDX-License-Identifier: Apache-2.0
//
// One data file as a scan sees it, from the log to the Parquet reader.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/protocol/actions.h"
#include "kernel/protocol/deletion_vector_descriptor.h"

namespace bayou::scan {

// Travels through DuckDB as the extended info of an OpenFileInfo: whoever gets
// the file to open, gets what the log says about it.
struct DataFile : public duckdb::ExtendedOpenFileInfo {
  protocol::AddFile add;
  std::optional<std::int64_t> num_records;  // From the statistics; physical.

  // For the change feed: of the rows that add.deletion_vector leaves, only
  // those in this vector.
  std::optional<protocol::DeletionVectorDescriptor> only_rows;
  // For the change feed: columns behind the table's that have one value in the
  // whole file.
  std::vector<std::pair<std::string, duckdb::Value>> constants;
};

// `file` must come from a scan's list.
inline const DataFile& DataFileOf(const duckdb::OpenFileInfo& file) {
  return static_cast<const DataFile&>(*file.extended_info);
}

}  // namespace bayou::scan
