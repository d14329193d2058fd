// SPDX-License-Identifier: Apache-2.0
//
// What users may set: CheckUserProperties of table_properties.h.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "kernel/protocol/auto_optimize.h"
#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/property_value.h"
#include "kernel/protocol/table_properties.h"

namespace bayou::protocol {
namespace {

using Accepts = bool (*)(std::string_view);

bool Any(std::string_view) { return true; }
bool Bool(std::string_view text) { return PropertyBool(text).has_value(); }
bool AutoCompact(std::string_view text) {
  return PropertyAutoCompact(text).has_value();
}
template <int kLeast>
bool AtLeast(std::string_view text) {
  return PropertyInteger(text, kLeast).has_value();
}
template <int kMost>
bool UpTo(std::string_view text) {
  const auto value = PropertyInteger(text, 1);
  return value && *value <= kMost;
}
bool Bytes(std::string_view text) { return PropertyBytes(text).has_value(); }
bool Codec(std::string_view text) { return PropertyCodec(text).has_value(); }
bool Interval(std::string_view text) { return ParseInterval(text).has_value(); }
bool MappingMode(std::string_view text) {
  return EqualIgnoringCase(text, "none") || EqualIgnoringCase(text, "name") ||
         EqualIgnoringCase(text, "id");
}
bool CheckpointPolicy(std::string_view text) {
  return EqualIgnoringCase(text, "classic") || EqualIgnoringCase(text, "v2");
}
// delta-spark fails on a table with another level, so WriteSerializable, which
// Databricks has, must be forced.
bool IsolationLevel(std::string_view text) {
  return EqualIgnoringCase(text, "Serializable");
}
bool FormatVersion(std::string_view text) {
  return text == "1.0.0" || text.starts_with("2.");
}

constexpr std::string_view kBool = "true or false";
constexpr std::string_view kInterval =
    "an interval such as 'interval 30 days', in weeks or shorter units";
constexpr std::string_view kPositive = "a whole number above 0";
constexpr std::string_view kText = "any text";

struct Property {
  std::string_view key;
  Accepts accepts;
  std::string_view form;  // What is accepted, for messages.
};

constexpr Property kProperties[] = {
    {"delta.appendOnly", Bool, kBool},
    {"delta.autoOptimize", Bool, kBool},
    {"delta.autoOptimize.autoCompact", AutoCompact,
     "true, false, auto or legacy"},
    {"delta.autoOptimize.optimizeWrite", Bool, kBool},
    {"delta.castIcebergTimeType", Bool, kBool},
    {"delta.checkpoint.partSize", AtLeast<1>, kPositive},
    {"delta.checkpoint.writeStatsAsJson", Bool, kBool},
    {"delta.checkpoint.writeStatsAsStruct", Bool, kBool},
    {"delta.checkpointInterval", AtLeast<1>, kPositive},
    {"delta.checkpointPolicy", CheckpointPolicy, "classic or v2"},
    {"delta.checkpointRetentionDuration", Interval, kInterval},
    {"delta.columnMapping.mode", MappingMode, "none, name or id"},
    {"delta.compatibility.symlinkFormatManifest.enabled", Bool, kBool},
    {"delta.dataSkippingNumIndexedCols", AtLeast<-1>,
     "a whole number, -1 for all columns"},
    {"delta.dataSkippingStatsColumns", Any, kText},
    {"delta.dataSkippingStringPrefixLength", AtLeast<1>, kPositive},
    {"delta.deletedFileRetentionDuration", Interval, kInterval},
    {"delta.dropFeatureTruncateHistory.retentionDuration", Interval, kInterval},
    {"delta.enableChangeDataCapture", Bool, kBool},
    {"delta.enableChangeDataFeed", Bool, kBool},
    {"delta.enableDeletionVectors", Bool, kBool},
    {"delta.enableExpiredLogCleanup", Bool, kBool},
    {"delta.enableFullRetentionRollback", Bool, kBool},
    {"delta.enableIcebergCompatV1", Bool, kBool},
    {"delta.enableIcebergCompatV2", Bool, kBool},
    {"delta.enableIcebergCompatV3", Bool, kBool},
    {"delta.enableInCommitTimestamps", Bool, kBool},
    {"delta.enableMaterializePartitionColumnsFeature", Bool, kBool},
    {"delta.enableRowTracking", Bool, kBool},
    {"delta.enableTypeWidening", Bool, kBool},
    {"delta.enableVariantShredding", Bool, kBool},
    {"delta.ignoreIcebergBucketPartition", Bool, kBool},
    {"delta.ignoreProtocolDefaults", Bool, kBool},
    {"delta.isolationLevel", IsolationLevel, "Serializable"},
    {"delta.logCompaction.interval", AtLeast<0>, "a whole number, 0 for never"},
    {"delta.logRetentionDuration", Interval, kInterval},
    {"delta.minReaderVersion", UpTo<3>, "1, 2 or 3"},
    {"delta.minWriterVersion", UpTo<7>, "a whole number from 1 to 7"},
    {"delta.parquet.compression.codec", Codec,
     "snappy, zstd, gzip, brotli, lz4_raw or uncompressed"},
    {"delta.parquet.format.version", FormatVersion, "1.0.0 or 2.x.y"},
    {"delta.randomPrefixLength", AtLeast<1>, kPositive},
    {"delta.randomizeFilePrefixes", Bool, kBool},
    {"delta.requireCheckpointProtectionBeforeVersion", AtLeast<0>,
     "a whole number"},
    {"delta.rowTrackingSuspended", Bool, kBool},
    {"delta.sampleRetentionDuration", Interval, kInterval},
    {"delta.setTransactionRetentionDuration", Interval, kInterval},
    {"delta.targetFileSize", Bytes,
     "a number of bytes such as 134217728 or 128mb"},
    {"delta.tuneFileSizesForRewrites", Bool, kBool},
    {"delta.universalFormat.enabledFormats", Any, kText},
    {"delta.universalFormat.iceberg.atomicConversion.supported", Bool, kBool},
    {"delta.writePartitionColumnsToParquet", Bool, kBool},
};

// Writers keep these by themselves; a user's value would break the table.
constexpr std::string_view kInternal[] = {
    "delta.columnMapping.maxColumnId",
    "delta.inCommitTimestampEnablementTimestamp",
    "delta.inCommitTimestampEnablementVersion",
    "delta.lastCommitTimestamp",
    "delta.lastUpdateVersion",
    "delta.rowTracking.materializedRowCommitVersionColumnName",
    "delta.rowTracking.materializedRowIdColumnName",
};

tl::unexpected<Error> Invalid(std::string_view key, std::string message) {
  return Fail(
      ErrorCode::kInvalidArgument, "DELTA_INVALID_TABLE_PROPERTY",
      "table property '" + std::string(key) + "' " + std::move(message));
}

bool HasPrefix(std::string_view key, std::string_view prefix) {
  return key.size() > prefix.size() &&
         EqualIgnoringCase(key.substr(0, prefix.size()), prefix);
}

// How many letters differ, are missing or are too many (Levenshtein).
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const bool same = EqualIgnoringCase(a.substr(i, 1), b.substr(j, 1));
      const std::size_t changed = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

tl::unexpected<Error> Unknown(std::string_view key) {
  constexpr std::size_t kMaxKeySize = 200;  // Longer keys are no typos.
  const auto nearest =
      std::ranges::min_element(kProperties, {}, [&](const Property& property) {
        return Distance(key.substr(0, kMaxKeySize), property.key);
      });
  std::string message = "is not known";
  if (Distance(key.substr(0, kMaxKeySize), nearest->key) <= 4) {
    message += "; did you mean '" + std::string(nearest->key) + "'?";
  } else {
    message += "; keys of your own must not begin with 'delta.'";
  }
  return Invalid(key, std::move(message));
}

Status Check(std::string_view key, std::string_view value, bool allow_unknown) {
  if (!HasPrefix(key, "delta.") ||
      HasPrefix(key, "delta.universalformat.config.")) {
    return {};
  }
  if (HasPrefix(key, "delta.feature.")) {
    if (EqualIgnoringCase(value, "supported") ||
        EqualIgnoringCase(value, "enabled")) {
      return {};
    }
    return Invalid(key, "takes the value 'supported' alone");
  }
  if (HasPrefix(key, "delta.constraints.")) {
    return Invalid(key, "cannot be set; use ALTER TABLE ... ADD CONSTRAINT");
  }
  if (IsKeptByWriters(key)) {
    return Invalid(key, "is kept by writers and cannot be set");
  }
  const auto found = std::ranges::find(kProperties, key, &Property::key);
  if (found == std::end(kProperties)) {
    if (allow_unknown) return {};
    return Unknown(key);
  }
  if (found->accepts(value)) return {};
  const bool is_forced = allow_unknown && key == "delta.isolationLevel" &&
                         EqualIgnoringCase(value, "WriteSerializable");
  if (is_forced) return {};
  return Invalid(key, "cannot be '" + std::string(value) + "'; it takes " +
                          std::string(found->form));
}

}  // namespace

Status CheckUserProperties(const StringMap& properties, bool allow_unknown) {
  for (const auto& [key, value] : properties) {
    BAYOU_TRY(Check(key, value, allow_unknown));
  }
  return {};
}

bool IsKeptByWriters(std::string_view key) {
  return std::ranges::find(kInternal, key) != std::end(kInternal) ||
         HasPrefix(key, "delta.constraints.");
}

}  // namespace bayou::protocol
