// SPDX-License-Identifier: Apache-2.0
#include "sql/settings.h"

#include <array>
#include <string>

#include "kernel/engine/engine.h"
#include "kernel/protocol/auto_optimize.h"
#include "ops/commands/auto_compaction.h"
#include "sql/token.h"

namespace bayou::sql {
namespace {

struct Alias {
  const char* spark;
  const char* setting;
};
constexpr std::array kAliases = {
    Alias{"spark.databricks.delta.retentionDurationCheck.enabled",
          kRetentionCheck},
    Alias{"spark.databricks.delta.allowArbitraryProperties.enabled",
          kAllowUnknownProperties},
    Alias{"spark.databricks.delta.autoCompact.enabled", kAutoCompact},
    Alias{"spark.databricks.delta.autoCompact.maxFileSize",
          kAutoCompactMaxFileSize},
    Alias{"spark.databricks.delta.autoCompact.minFileSize",
          kAutoCompactMinFileSize},
    Alias{"spark.databricks.delta.autoCompact.minNumFiles",
          kAutoCompactMinNumFiles},
    Alias{"spark.databricks.delta.commitInfo.userMetadata", kUserMetadata},
    Alias{"spark.databricks.delta.write.txnAppId", kTxnAppId},
    Alias{"spark.databricks.delta.write.txnVersion", kTxnVersion},
    Alias{"spark.databricks.delta.optimize.batchSize", kOptimizeBatchSize},
    Alias{"spark.databricks.delta.optimize.maxFileSize", kOptimizeMaxFileSize},
    Alias{"spark.databricks.delta.optimizeWrite.enabled", kOptimizeWrite},
    Alias{"spark.databricks.delta.optimize.minFileSize", kOptimizeMinFileSize},
    Alias{"spark.sql.files.ignoreMissingFiles", kIgnoreMissingFiles},
    Alias{"spark.sql.session.timeZone", "TimeZone"},
    Alias{"spark.sql.sources.partitionOverwriteMode", kPartitionOverwriteMode},
    Alias{"spark.databricks.delta.schema.autoMerge.enabled", kSchemaAutoMerge},
};

// SET of a setting that is true or false or, by default, neither.
void CheckAutoCompact(duckdb::ClientContext&, duckdb::SetScope,
                      duckdb::Value& value) {
  if (value.IsNull() || protocol::PropertyAutoCompact(value.ToString())) return;
  engine::Throw({ErrorCode::kInvalidArgument, "DELTA_INVALID_AUTO_COMPACT_TYPE",
                 std::string(kAutoCompact) + " is true or false, not " +
                     value.ToString()});
}

// SET of a number, or by default of none.
void CheckPositive(duckdb::ClientContext&, duckdb::SetScope,
                   duckdb::Value& value) {
  if (value.IsNull() || value.GetValue<std::int64_t>() > 0) return;
  engine::Throw(
      {ErrorCode::kInvalidArgument, "DELTA_ILLEGAL_OPTIMIZE_OPTION",
       "the setting is a whole number above 0, not " + value.ToString()});
}

void RegisterAutoCompact(duckdb::DBConfig& config) {
  using duckdb::LogicalType;
  using duckdb::Value;
  const commands::AutoCompaction defaults;
  config.AddExtensionOption(
      kAutoCompact,
      "Put small files together after a write: true or false, whatever the "
      "table's delta.autoOptimize.autoCompact says",
      LogicalType::VARCHAR, Value(LogicalType::VARCHAR), CheckAutoCompact);
  config.AddExtensionOption(
      kAutoCompactMaxFileSize, "Bytes of a file that is made of small ones",
      LogicalType::BIGINT, Value::BIGINT(defaults.max_file_size),
      CheckPositive);
  config.AddExtensionOption(
      kAutoCompactMinFileSize,
      "Files of fewer bytes are small; by default the half of "
      "bayou_auto_compact_max_file_size",
      LogicalType::BIGINT, Value(LogicalType::BIGINT));
  config.AddExtensionOption(
      kAutoCompactMinNumFiles,
      "With fewer small files a partition is left alone after a write",
      LogicalType::BIGINT, Value::BIGINT(defaults.min_files), CheckPositive);
}

}  // namespace

Result<std::string_view> SettingOfSpark(std::string_view name) {
  std::string known;
  for (const Alias& alias : kAliases) {
    if (EqualIgnoringCase(name, alias.spark)) return alias.setting;
    known += std::string(known.empty() ? "" : ", ") + alias.spark;
  }
  return Fail(ErrorCode::kInvalidArgument, "DELTA_UNKNOWN_CONFIGURATION",
              "the setting " + std::string(name) +
                  " is not known; of Spark's, Bayou has " + known);
}

void RegisterSettings(duckdb::DBConfig& config, bool allow_external_paths) {
  using duckdb::LogicalType;
  using duckdb::Value;
  config.AddExtensionOption(
      kRetentionCheck,
      "Refuse retention times shorter than the table's property allows",
      LogicalType::BOOLEAN, Value::BOOLEAN(true));
  config.AddExtensionOption(
      kPartitionOverwriteMode,
      "What INSERT OVERWRITE replaces: static (all rows) or dynamic (the "
      "partitions that new rows are in)",
      LogicalType::VARCHAR, Value("static"));
  config.AddExtensionOption(
      kSchemaAutoMerge, "INSERT and MERGE add the columns that the table lacks",
      LogicalType::BOOLEAN, Value::BOOLEAN(false));
  config.AddExtensionOption(
      kIgnoreMissingFiles,
      "RESTORE leaves out files that are gone, with their rows",
      LogicalType::BOOLEAN, Value::BOOLEAN(false));
  config.AddExtensionOption(
      kOptimizeMaxFileSize,
      "Bytes that a file which OPTIMIZE writes has at most",
      LogicalType::BIGINT, Value(LogicalType::BIGINT), CheckPositive);
  config.AddExtensionOption(kOptimizeMinFileSize,
                            "OPTIMIZE takes files of fewer bytes than this",
                            LogicalType::BIGINT, Value(LogicalType::BIGINT));
  config.AddExtensionOption(
      kOptimizeBatchSize,
      "OPTIMIZE commits each time that it has written so many bytes of old "
      "files anew",
      LogicalType::BIGINT, Value(LogicalType::BIGINT), CheckPositive);
  config.AddExtensionOption(
      kOptimizeWrite,
      "Make few, well-filled files: true or false, whatever the table's "
      "delta.autoOptimize.optimizeWrite says",
      LogicalType::BOOLEAN, Value(LogicalType::BOOLEAN));
  RegisterAutoCompact(config);
  config.AddExtensionOption(
      kAllowUnknownProperties,
      "Set table properties that begin with delta. and that are not known",
      LogicalType::BOOLEAN, Value::BOOLEAN(false));
  config.AddExtensionOption(
      kTxnAppId,
      "The application that writes: a write whose bayou_txn_version its table "
      "has from it already is skipped",
      LogicalType::VARCHAR, Value(LogicalType::VARCHAR));
  config.AddExtensionOption(kTxnVersion,
                            "The application's own number of its next write",
                            LogicalType::BIGINT, Value(LogicalType::BIGINT));
  config.AddExtensionOption(kUserMetadata,
                            "Words for the history of what is committed",
                            LogicalType::VARCHAR, Value(LogicalType::VARCHAR));
  config.AddExtensionOption(
      kAllowExternalPaths,
      "Read data files that a table names outside of its folder",
      LogicalType::BOOLEAN, Value::BOOLEAN(allow_external_paths));
}

bool BoolSetting(duckdb::ClientContext& context, const char* name) {
  duckdb::Value value;
  return context.TryGetCurrentSetting(name, value) && !value.IsNull() &&
         value.GetValue<bool>();
}

std::optional<std::int64_t> IntegerSetting(duckdb::ClientContext& context,
                                           const char* name) {
  duckdb::Value value;
  if (!context.TryGetCurrentSetting(name, value) || value.IsNull())
    return std::nullopt;
  return value.GetValue<std::int64_t>();
}

std::string TextSetting(duckdb::ClientContext& context, const char* name) {
  duckdb::Value value;
  if (!context.TryGetCurrentSetting(name, value) || value.IsNull()) return {};
  return duckdb::StringUtil::Lower(value.ToString());
}

}  // namespace bayou::sql
