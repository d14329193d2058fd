// SPDX-License-Identifier: Apache-2.0
//
// The `delta.*` table properties: their defaults, and what values they take.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"

namespace bayou::protocol {

enum class ColumnMappingMode : std::uint8_t { kNone, kName, kId };

// A view on metaData.configuration. Reading tolerates what other writers wrote:
// a value that does not parse counts as the default.
class TableProperties {
 public:
  explicit TableProperties(const StringMap& configuration)
      : configuration_(configuration) {}

  bool append_only() const;
  bool change_data_feed() const;
  bool deletion_vectors() const;
  bool in_commit_timestamps() const;
  std::optional<Version> in_commit_timestamp_enablement_version() const;
  std::optional<std::int64_t> in_commit_timestamp_enablement_ms() const;
  bool row_tracking() const;
  std::optional<std::string> materialized_row_id_column() const;
  std::optional<std::string> materialized_row_commit_version_column() const;
  ColumnMappingMode column_mapping_mode() const;
  int checkpoint_interval() const;  // Default 10.
  // Every so many commits become a compacted file; 0 = none do. Default: 5 when
  // there are 20 commits or more between checkpoints.
  int log_compaction_interval() const;
  bool checkpoint_stats_as_json() const;    // Default true.
  bool checkpoint_stats_as_struct() const;  // Default true.
  bool v2_checkpoint_policy() const;
  int num_indexed_columns() const;  // Default 32; -1 = all.
  std::optional<std::string> stats_columns() const;
  int stats_string_prefix_length() const;           // Default 32.
  std::int64_t target_file_size() const;            // Bytes; default 256 MiB.
  std::string compression_codec() const;            // Default snappy.
  std::chrono::milliseconds log_retention() const;  // 30 days.
  std::chrono::milliseconds deleted_file_retention() const;  // 7 days.
  bool expired_log_cleanup() const;                          // Default true.
  // Versions before it go from the log all at once or not at all; default 0.
  Version checkpoint_protection_before() const;
  // nullopt: entries never expire.
  std::optional<std::chrono::milliseconds> set_transaction_retention() const;

 private:
  std::optional<std::string_view> Find(std::string_view key) const;
  bool Bool(std::string_view key, bool fallback) const;
  std::optional<std::int64_t> Integer(std::string_view key,
                                      std::int64_t least) const;
  int SmallInteger(std::string_view key, int least, int fallback) const;
  std::optional<std::string> Text(std::string_view key) const;
  std::optional<std::chrono::milliseconds> Interval(std::string_view key) const;

  const StringMap& configuration_;
};

// `interval 1 week`, `7 days`: any case, prefix optional, several units.
// Errors: kInvalidArgument for months, years, negative or unknown units.
Result<std::chrono::milliseconds> ParseInterval(std::string_view text);

// Checks properties that a user sets: known `delta.*` keys and their values
// (the message gives the accepted form, and the nearest known key for a typo);
// unknown `delta.*` keys are refused unless `allow_unknown`; keys without that
// prefix are free.
// Errors: kInvalidArgument, condition DELTA_INVALID_TABLE_PROPERTY.
Status CheckUserProperties(const StringMap& properties,
                           bool allow_unknown = false);

// Properties that say what files and schema are like: never a user's to set.
bool IsKeptByWriters(std::string_view key);

}  // namespace bayou::protocol
