// SPDX-License-Identifier: Apache-2.0
//
// The manifests of symlink_format_manifest: lists of a table's data files, one
// for each partition, by which Presto, Athena and Hive read the table as plain
// Parquet. They are files beside the table, and no part of it: who reads by
// them sees the version of the last run.
#pragma once

#include <cstdint>
#include <string_view>

#include "bayou/result.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/staged_actions.h"

namespace bayou::commands {

inline constexpr std::string_view kManifestFolder = "_symlink_format_manifest";

struct ManifestResult {
  std::int64_t written = 0;
  std::int64_t deleted = 0;  // Of partitions that are gone.
  std::int64_t files = 0;    // That they list.
};

// Errors: kUnsupported, for what a reader of plain Parquet would read wrongly:
// DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS, when rows of files are
// deleted; DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING. Then
// nothing was written. Those of the store.
Result<ManifestResult> GenerateSymlinkManifest(const table::Snapshot& snapshot);

// The manifests of the partitions that a commit before `snapshot` has touched;
// all of them where there are none yet. Errors: as above, of those partitions.
Result<ManifestResult> UpdateSymlinkManifest(
    const table::Snapshot& snapshot,
    const transaction::StagedActions& committed);

}  // namespace bayou::commands
