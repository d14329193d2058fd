// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/table_properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(TableProperties, HasDefaults) {
  const StringMap none;
  const TableProperties properties(none);
  EXPECT_FALSE(properties.append_only());
  EXPECT_FALSE(properties.change_data_feed());
  EXPECT_FALSE(properties.deletion_vectors());
  EXPECT_FALSE(properties.in_commit_timestamps());
  EXPECT_EQ(properties.in_commit_timestamp_enablement_version(), std::nullopt);
  EXPECT_EQ(properties.in_commit_timestamp_enablement_ms(), std::nullopt);
  EXPECT_FALSE(properties.row_tracking());
  EXPECT_EQ(properties.materialized_row_id_column(), std::nullopt);
  EXPECT_EQ(properties.column_mapping_mode(), ColumnMappingMode::kNone);
  EXPECT_EQ(properties.checkpoint_interval(), 10);
  EXPECT_TRUE(properties.checkpoint_stats_as_json());
  EXPECT_TRUE(properties.checkpoint_stats_as_struct());
  EXPECT_FALSE(properties.v2_checkpoint_policy());
  EXPECT_EQ(properties.num_indexed_columns(), 32);
  EXPECT_EQ(properties.stats_columns(), std::nullopt);
  EXPECT_EQ(properties.stats_string_prefix_length(), 32);
  EXPECT_EQ(properties.target_file_size(), 268435456);
  EXPECT_EQ(properties.compression_codec(), "snappy");
  EXPECT_EQ(properties.log_retention(), 720h);
  EXPECT_EQ(properties.deleted_file_retention(), 168h);
  EXPECT_TRUE(properties.expired_log_cleanup());
  EXPECT_EQ(properties.set_transaction_retention(), std::nullopt);
}

TEST(TableProperties, ReadsValues) {
  const StringMap configuration = {
      {"delta.appendOnly", "TRUE"},
      {"delta.enableChangeDataCapture", "true"},
      {"delta.inCommitTimestampEnablementVersion", "7"},
      {"delta.columnMapping.mode", "ID"},
      {"delta.checkpointInterval", "3"},
      {"delta.checkpoint.writeStatsAsJson", "false"},
      {"delta.checkpointPolicy", "v2"},
      {"delta.dataSkippingNumIndexedCols", "-1"},
      {"delta.targetFileSize", "128MB"},
      {"delta.parquet.compression.codec", "ZSTD"},
      {"delta.logRetentionDuration", "interval 1 week"},
      {"delta.setTransactionRetentionDuration", "2 hours"},
  };
  const TableProperties properties(configuration);
  EXPECT_TRUE(properties.append_only());
  EXPECT_TRUE(properties.change_data_feed());
  EXPECT_EQ(properties.in_commit_timestamp_enablement_version(), 7);
  EXPECT_EQ(properties.column_mapping_mode(), ColumnMappingMode::kId);
  EXPECT_EQ(properties.checkpoint_interval(), 3);
  EXPECT_FALSE(properties.checkpoint_stats_as_json());
  EXPECT_TRUE(properties.v2_checkpoint_policy());
  EXPECT_EQ(properties.num_indexed_columns(), -1);
  EXPECT_EQ(properties.target_file_size(), 134217728);
  EXPECT_EQ(properties.compression_codec(), "zstd");
  EXPECT_EQ(properties.log_retention(), 168h);
  EXPECT_EQ(properties.set_transaction_retention(), 2h);
}

TEST(TableProperties, TakesTheDefaultForWhatDoesNotParse) {
  const StringMap configuration = {
      {"delta.appendOnly", "yes"},
      {"delta.columnMapping.mode", "none of these"},
      {"delta.checkpointInterval", "0"},
      {"delta.dataSkippingNumIndexedCols", "-2"},
      {"delta.dataSkippingStringPrefixLength", "abc"},
      {"delta.targetFileSize", "9999999999gb"},
      {"delta.parquet.compression.codec", "lzo"},
      {"delta.logRetentionDuration", "1 dayz"},
  };
  const TableProperties properties(configuration);
  EXPECT_FALSE(properties.append_only());
  EXPECT_EQ(properties.column_mapping_mode(), ColumnMappingMode::kNone);
  EXPECT_EQ(properties.checkpoint_interval(), 10);
  EXPECT_EQ(properties.num_indexed_columns(), 32);
  EXPECT_EQ(properties.stats_string_prefix_length(), 32);
  EXPECT_EQ(properties.target_file_size(), 268435456);
  EXPECT_EQ(properties.compression_codec(), "snappy");
  EXPECT_EQ(properties.log_retention(), 720h);
  const StringMap large = {{"delta.checkpointInterval", "99999999999"}};
  EXPECT_EQ(TableProperties(large).checkpoint_interval(), 2147483647);
}

TEST(ParseInterval, AddsUnitsUp) {
  EXPECT_EQ(ParseInterval("interval 30 days"), 720h);
  EXPECT_EQ(ParseInterval("7 days"), 168h);
  EXPECT_EQ(ParseInterval("INTERVAL 1 WEEK"), 168h);
  EXPECT_EQ(ParseInterval("1 days"), 24h);
  EXPECT_EQ(ParseInterval("  interval\t1 day  12 hours "), 36h);
  EXPECT_EQ(ParseInterval(
                "interval 1 minute 2 seconds 3 milliseconds 1999 microseconds"),
            62004ms);
  EXPECT_EQ(ParseInterval("0 hours"), 0ms);
}

TEST(ParseInterval, RefusesWhatHasNoFixedLength) {
  for (std::string_view text :
       {"", " ", "interval", "days", "7", "1 dayz", "interval 2 months",
        "1 year", "-1 days", "1 day -2 hours", "1 day 2", "1.5 days",
        "interval interval 1 day", "1day", "99999999999999999999 days",
        "9999999999 weeks", "9223372036854775807 microseconds 1 day"}) {
    const auto interval = ParseInterval(text);
    ASSERT_FALSE(interval) << text;
    EXPECT_EQ(interval.error().code, ErrorCode::kInvalidArgument);
  }
  const auto message = [](std::string_view text) {
    return ParseInterval(text).error().message;
  };
  EXPECT_NE(message("99999999999999999999 days").find("is too long"),
            std::string::npos);
  EXPECT_NE(message("-99999999999999999999 days").find("is negative"),
            std::string::npos);
}

TEST(CheckUserProperties, TakesWhatIsKnownAndWhatIsFree) {
  const StringMap properties = {
      {"delta.logRetentionDuration", "interval 2 weeks"},
      {"delta.checkpointInterval", "5"},
      {"delta.enableDeletionVectors", "true"},
      {"delta.feature.rowTracking", "supported"},
      {"delta.columnMapping.mode", "name"},
      {"delta.minWriterVersion", "7"},
      {"delta.universalFormat.config.a.b", "c"},
      {"mine", "x"},
      {"deltalike.x", "y"},
      {"delta", "z"}};
  EXPECT_TRUE(CheckUserProperties(properties))
      << CheckUserProperties(properties).error().message;
}

TEST(CheckUserProperties, SaysWhatIsWrong) {
  const std::pair<StringMap, std::string> wrong[] = {
      {{{"delta.logRetentionDuration", "1 dayz"}},
       "'delta.logRetentionDuration' cannot be '1 dayz'"},
      {{{"delta.logRetentionDuration", "interval 2 months"}},
       "interval 30 days"},
      {{{"delta.nonsense", "x"}}, "'delta.nonsense' is not known"},
      {{{"delta.apendOnly", "true"}}, "did you mean 'delta.appendOnly'?"},
      {{{"delta.appendonly", "true"}}, "did you mean 'delta.appendOnly'?"},
      {{{"delta.checkpointInterval", "abc"}}, "above 0"},
      {{{"delta.checkpointInterval", "0"}}, "above 0"},
      {{{"delta.appendOnly", "1"}}, "true or false"},
      {{{"delta.minReaderVersion", "4"}}, "1, 2 or 3"},
      {{{"delta.isolationLevel", "WriteSerializable"}}, "Serializable"},
      {{{"delta.feature.rowTracking", "true"}}, "'supported'"},
      {{{"delta.constraints.c", "a > 1"}}, "ADD CONSTRAINT"},
      {{{"delta.columnMapping.maxColumnId", "1"}}, "cannot be set"},
      {{{"a", "b"}, {"delta." + std::string(100'000, 'x'), "b"}},
       "is not known"},
  };
  for (const auto& [properties, reason] : wrong) {
    const auto status = CheckUserProperties(properties);
    ASSERT_FALSE(status) << reason;
    EXPECT_EQ(status.error().condition, "DELTA_INVALID_TABLE_PROPERTY");
    EXPECT_THAT(status.error().message, HasSubstr(reason));
  }
}

TEST(CheckUserProperties, TheLevelThatOnlySomeEnginesHaveCanBeForced) {
  EXPECT_TRUE(CheckUserProperties(
      {{"delta.isolationLevel", "WriteSerializable"}}, true));
  EXPECT_FALSE(
      CheckUserProperties({{"delta.isolationLevel", "Snapshot"}}, true));
}

}  // namespace
}  // namespace bayou::protocol
