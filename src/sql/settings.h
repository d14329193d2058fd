// SPDX-License-Identifier: Apache-2.0
//
// Bayou's settings, and the names under which Spark users know them.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <optional>
#include <string_view>

#include "bayou/result.h"

namespace bayou::sql {

// SET bayou_retention_check = false allows retention times so short that files
// go which a running reader or writer may still need.
inline constexpr const char* kRetentionCheck = "bayou_retention_check";
// See SessionOptions::allow_external_paths.
// `static`: INSERT OVERWRITE replaces all rows; `dynamic`: those of the
// partitions that new rows are in.
inline constexpr const char* kPartitionOverwriteMode =
    "bayou_partition_overwrite_mode";
// INSERT and MERGE add the columns that the table lacks, as if they said WITH
// SCHEMA EVOLUTION.
inline constexpr const char* kSchemaAutoMerge = "bayou_schema_auto_merge";
inline constexpr const char* kAllowExternalPaths = "bayou_allow_external_paths";

// RESTORE leaves out files that are gone, with their rows.
inline constexpr const char* kIgnoreMissingFiles = "bayou_ignore_missing_files";

// Sizes in bytes, in the place of the table's delta.targetFileSize and of 1
// GiB: OPTIMIZE makes files of at most the one, of those below the other.
inline constexpr const char* kOptimizeMaxFileSize =
    "bayou_optimize_max_file_size";
inline constexpr const char* kOptimizeMinFileSize =
    "bayou_optimize_min_file_size";
// OPTIMIZE commits each time that it has written so many bytes of old files
// anew. NULL: once, when all is done.
inline constexpr const char* kOptimizeBatchSize = "bayou_optimize_batch_size";

// Whether writes make few, well-filled files: `true`, `false`; NULL: what the
// table's delta.autoOptimize.optimizeWrite says.
inline constexpr const char* kOptimizeWrite = "bayou_optimize_write";

// Whether small files are put together after a write: `true`, `false`; NULL:
// what the table's delta.autoOptimize.autoCompact says. See auto_compaction.h
// for the numbers; NULL: the half of the one above.
inline constexpr const char* kAutoCompact = "bayou_auto_compact";
inline constexpr const char* kAutoCompactMaxFileSize =
    "bayou_auto_compact_max_file_size";
inline constexpr const char* kAutoCompactMinFileSize =
    "bayou_auto_compact_min_file_size";
inline constexpr const char* kAutoCompactMinNumFiles =
    "bayou_auto_compact_min_num_files";

// Table properties that begin with `delta.` and that nobody knows may be set.
inline constexpr const char* kAllowUnknownProperties =
    "bayou_allow_unknown_properties";

// An application's own number for what it writes, and words for the history:
// see write_options.h.
inline constexpr const char* kTxnAppId = "bayou_txn_app_id";
inline constexpr const char* kTxnVersion = "bayou_txn_version";
inline constexpr const char* kUserMetadata = "bayou_user_metadata";

// The setting that a name such as
// spark.databricks.delta.retentionDurationCheck.enabled stands for.
// Errors: kInvalidArgument, condition DELTA_UNKNOWN_CONFIGURATION, with the
// names that are known.
Result<std::string_view> SettingOfSpark(std::string_view name);

void RegisterSettings(duckdb::DBConfig& config, bool allow_external_paths);

bool BoolSetting(duckdb::ClientContext& context, const char* name);
// nullopt: NULL.
std::optional<std::int64_t> IntegerSetting(duckdb::ClientContext& context,
                                           const char* name);
// In small letters; empty when it is NULL.
std::string TextSetting(duckdb::ClientContext& context, const char* name);

}  // namespace bayou::sql
