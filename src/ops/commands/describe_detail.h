// SPDX-License-Identifier: Apache-2.0
//
// DESCRIBE DETAIL: a table in one row, with delta-spark's columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

struct TableDetail {
  std::string format = "delta";
  std::string id;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::string location;  // As a file: URI.
  std::optional<std::int64_t> created_ms;
  std::int64_t last_modified_ms = 0;
  std::vector<std::string> partition_columns;
  std::vector<std::string> clustering_columns;
  std::int64_t num_files = 0;
  std::int64_t size_in_bytes = 0;
  protocol::StringMap properties;
  int min_reader_version = 0;
  int min_writer_version = 0;
  // Also those that the version numbers imply, by name.
  std::vector<std::string> table_features;
};

// Reads no data file, and of the checkpoint only what counting takes.
Result<TableDetail> DescribeDetail(const table::Snapshot& snapshot);

}  // namespace bayou::commands
