// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/table_properties.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <limits>

#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/property_value.h"

namespace bayou::protocol {

using std::chrono::hours;
using std::chrono::milliseconds;

std::optional<std::string_view> TableProperties::Find(
    std::string_view key) const {
  const auto found = configuration_.find(std::string(key));
  if (found == configuration_.end()) return std::nullopt;
  return found->second;
}

bool TableProperties::Bool(std::string_view key, bool fallback) const {
  const auto text = Find(key);
  return text ? PropertyBool(*text).value_or(fallback) : fallback;
}

std::optional<std::int64_t> TableProperties::Integer(std::string_view key,
                                                     std::int64_t least) const {
  const auto text = Find(key);
  return text ? PropertyInteger(*text, least) : std::nullopt;
}

std::optional<std::string> TableProperties::Text(std::string_view key) const {
  const auto text = Find(key);
  if (!text) return std::nullopt;
  return std::string(*text);
}

std::optional<milliseconds> TableProperties::Interval(
    std::string_view key) const {
  const auto text = Find(key);
  if (!text) return std::nullopt;
  const auto interval = ParseInterval(*text);
  if (!interval) return std::nullopt;
  return *interval;
}

bool TableProperties::append_only() const {
  return Bool("delta.appendOnly", false);
}

bool TableProperties::change_data_feed() const {
  return Bool("delta.enableChangeDataFeed",
              Bool("delta.enableChangeDataCapture", false));
}

bool TableProperties::deletion_vectors() const {
  return Bool("delta.enableDeletionVectors", false);
}

bool TableProperties::in_commit_timestamps() const {
  return Bool("delta.enableInCommitTimestamps", false);
}

std::optional<Version> TableProperties::in_commit_timestamp_enablement_version()
    const {
  return Integer("delta.inCommitTimestampEnablementVersion", 0);
}

std::optional<std::int64_t> TableProperties::in_commit_timestamp_enablement_ms()
    const {
  return Integer("delta.inCommitTimestampEnablementTimestamp",
                 std::numeric_limits<std::int64_t>::min());
}

bool TableProperties::row_tracking() const {
  return Bool("delta.enableRowTracking", false);
}

std::optional<std::string> TableProperties::materialized_row_id_column() const {
  return Text("delta.rowTracking.materializedRowIdColumnName");
}

std::optional<std::string>
TableProperties::materialized_row_commit_version_column() const {
  return Text("delta.rowTracking.materializedRowCommitVersionColumnName");
}

ColumnMappingMode TableProperties::column_mapping_mode() const {
  const auto text = Find("delta.columnMapping.mode");
  if (!text) return ColumnMappingMode::kNone;
  if (EqualIgnoringCase(*text, "name")) return ColumnMappingMode::kName;
  if (EqualIgnoringCase(*text, "id")) return ColumnMappingMode::kId;
  return ColumnMappingMode::kNone;
}

int TableProperties::checkpoint_interval() const {
  return SmallInteger("delta.checkpointInterval", 1, 10);
}

int TableProperties::log_compaction_interval() const {
  constexpr int kManyCommits = 20;
  return SmallInteger("delta.logCompaction.interval", 0,
                      checkpoint_interval() < kManyCommits ? 0 : 5);
}

bool TableProperties::checkpoint_stats_as_json() const {
  return Bool("delta.checkpoint.writeStatsAsJson", true);
}

bool TableProperties::checkpoint_stats_as_struct() const {
  return Bool("delta.checkpoint.writeStatsAsStruct", true);
}

bool TableProperties::v2_checkpoint_policy() const {
  const auto text = Find("delta.checkpointPolicy");
  return text && EqualIgnoringCase(*text, "v2");
}

int TableProperties::num_indexed_columns() const {
  return SmallInteger("delta.dataSkippingNumIndexedCols", -1, 32);
}

std::optional<std::string> TableProperties::stats_columns() const {
  return Text("delta.dataSkippingStatsColumns");
}

int TableProperties::stats_string_prefix_length() const {
  return SmallInteger("delta.dataSkippingStringPrefixLength", 1, 32);
}

int TableProperties::SmallInteger(std::string_view key, int least,
                                  int fallback) const {
  const auto value = Integer(key, least);
  return static_cast<int>(std::min<std::int64_t>(
      value.value_or(fallback), std::numeric_limits<int>::max()));
}

std::int64_t TableProperties::target_file_size() const {
  const auto text = Find("delta.targetFileSize");
  return (text ? PropertyBytes(*text) : std::nullopt)
      .value_or(std::int64_t{256} << 20);
}

std::string TableProperties::compression_codec() const {
  const auto text = Find("delta.parquet.compression.codec");
  return (text ? PropertyCodec(*text) : std::nullopt).value_or("snappy");
}

milliseconds TableProperties::log_retention() const {
  return Interval("delta.logRetentionDuration").value_or(hours(30 * 24));
}

milliseconds TableProperties::deleted_file_retention() const {
  return Interval("delta.deletedFileRetentionDuration").value_or(hours(7 * 24));
}

Version TableProperties::checkpoint_protection_before() const {
  return Integer("delta.requireCheckpointProtectionBeforeVersion", 0)
      .value_or(0);
}

bool TableProperties::expired_log_cleanup() const {
  return Bool("delta.enableExpiredLogCleanup", true);
}

std::optional<milliseconds> TableProperties::set_transaction_retention() const {
  return Interval("delta.setTransactionRetentionDuration");
}

}  // namespace bayou::protocol
