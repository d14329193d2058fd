// SPDX-License-Identifier: Apache-2.0
//
// The files that hold the changes of a version, and which of their rows.
// Protocol: "Add CDC File", "Change Data Files".
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/scan/data_file_list.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {

struct ChangedFile {
  // As the scan reads it: a row is a change unless the vector deletes it.
  protocol::AddFile file;
  // If set, of the rows that are left only these are changes.
  std::optional<protocol::DeletionVectorDescriptor> only_rows;
  // `insert` or `delete`; empty: the file says it row by row.
  std::string_view change_type;
  bool lacks_partition_values = false;
};

struct VersionChanges {
  protocol::Version version = 0;
  std::int64_t timestamp_ms = 0;
  std::vector<ChangedFile> files;
};

// The changes of one commit's actions.
std::vector<ChangedFile> ChangesOf(std::span<const protocol::Action> actions);

// Appends _change_type, _commit_version and _commit_timestamp.
void AddChangeColumns(ScannedTable& table);

// Errors: kNotFound, DELTA_CHANGE_DATA_FILE_NOT_FOUND when a file is gone:
// names the first version from which all are there; kUnsupported when a removed
// file's partition values were not recorded.
Status CheckChangedFiles(const ScannedTable& table,
                         std::span<const VersionChanges> changes,
                         duckdb::FileSystem& files);

std::shared_ptr<const DataFileSource> ChangedFiles(
    std::vector<VersionChanges> changes);

}  // namespace bayou::scan
