// SPDX-License-Identifier: Apache-2.0
//
// What a folder of Parquet files is as a table: which files, in which
// partitions (by the names of Hive's folders, `column=value`), with which
// columns. Reads names and footers, and no data.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/protocol/schema.h"
#include "kernel/store/store.h"

namespace bayou::commands {

struct ConvertRequest {
  std::string location;  // Absolute.
  // The columns that the folders' names give; nullopt: they are inferred from
  // the names, where those leave no doubt.
  std::optional<std::vector<protocol::Field>> partition_columns;
  bool collects_statistics = true;
  std::optional<std::string> user_metadata = {};
};

struct FoundFile {
  store::ObjectMeta file;
  // As in the folders' names, in their order.
  std::vector<std::pair<std::string, std::optional<std::string>>> partition;
};

struct FoundFiles {
  std::vector<FoundFile> files;      // By name.
  std::vector<std::string> ignored;  // Those that are no Parquet files.
};

// Errors: kNotFound, condition DELTA_TABLE_NOT_FOUND, when there is no file;
// kInvalidArgument, DELTA_CONVERT_CONTAINS_TABLE, when a folder in it is a
// table, of whose files the log alone tells which rows count.
Result<FoundFiles> FindParquetFiles(store::Store& store);

// The partition columns of the files: those asked for, or inferred. Errors:
// kInvalidArgument, condition DELTA_CONVERT_PARTITION_MISMATCH, when the
// folders of a file have other columns, when a value is not of its column's
// type, or when names leave doubt about the type.
Result<std::vector<protocol::Field>> PartitionColumnsOf(
    const ConvertRequest& request, const std::vector<FoundFile>& files);

// A schema with the columns of both. Errors: kInvalidArgument, condition
// DELTA_CONVERT_SCHEMA_MISMATCH, naming the column and `file`, where the same
// column has two types, or two names that differ only in letters' case.
Status MergeSchema(const protocol::Schema& more, const std::string& file,
                   protocol::Schema& schema);

}  // namespace bayou::commands
