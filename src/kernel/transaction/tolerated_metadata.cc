// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/tolerated_metadata.h"

#include <string_view>

#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/table_features.h"

namespace bayou::transaction {
namespace {

using protocol::StringMap;

struct ToleratedProperty {
  std::string_view key;
  std::string_view feature;
  std::string_view value;    // Empty: any.
  bool only_if_new = false;  // It may be added and not changed.
};

constexpr ToleratedProperty kTolerated[] = {
    {"delta.enableRowTracking", "rowTracking", "true"},
    {"delta.rowTracking.materializedRowIdColumnName", "rowTracking", ""},
    {"delta.rowTracking.materializedRowCommitVersionColumnName", "rowTracking",
     ""},
    {"delta.columnMapping.mode", "columnMapping", "name", true},
    {"delta.columnMapping.maxColumnId", "columnMapping", ""},
    {"delta.enableDeletionVectors", "deletionVectors", "true"},
    {"delta.checkpointPolicy", "v2Checkpoint", "v2"},
    {"delta.enableInCommitTimestamps", "inCommitTimestamp", "true"},
    {"delta.inCommitTimestampEnablementVersion", "inCommitTimestamp", "", true},
    {"delta.inCommitTimestampEnablementTimestamp", "inCommitTimestamp", "",
     true},
};

// `none` is the same as no mode.
bool IsUnset(const StringMap& configuration, const std::string& key) {
  const auto found = configuration.find(key);
  return found == configuration.end() || found->second == "none";
}

bool IsTolerated(const StringMap& before, const std::string& key,
                 const std::string& value, const protocol::Protocol& protocol) {
  for (const ToleratedProperty& property : kTolerated) {
    if (property.key != key) continue;
    return protocol::Supports(protocol, property.feature) &&
           (property.value.empty() ||
            protocol::EqualIgnoringCase(property.value, value)) &&
           (!property.only_if_new || IsUnset(before, key));
  }
  return false;
}

// The fields without the marks of column mapping. Marks inside of nested
// columns stay, as delta-spark compares them.
protocol::Schema WithoutMapping(protocol::Schema schema) {
  for (protocol::Field& field : schema.fields) {
    field.metadata.erase("delta.columnMapping.id");
    field.metadata.erase("delta.columnMapping.physicalName");
  }
  return schema;
}

bool IsSameSchema(const protocol::Metadata& before,
                  const protocol::Metadata& after) {
  if (before.schema_string == after.schema_string) return true;
  const bool mapping_began =
      IsUnset(before.configuration, "delta.columnMapping.mode") &&
      !IsUnset(after.configuration, "delta.columnMapping.mode");
  const auto old_schema = protocol::ParseSchema(before.schema_string);
  const auto new_schema = protocol::ParseSchema(after.schema_string);
  if (!old_schema || !new_schema) return false;
  if (!mapping_began) return *old_schema == *new_schema;
  return WithoutMapping(*old_schema) == WithoutMapping(*new_schema);
}

}  // namespace

std::optional<std::string> FirstHarmfulChange(
    const protocol::Metadata& before, const protocol::Metadata& after,
    const protocol::Protocol& protocol) {
  if (before.id != after.id) return "made it another table";
  if (before.partition_columns != after.partition_columns)
    return "changed its partition columns";
  if (!IsSameSchema(before, after)) return "changed its schema";
  if (before.name != after.name || before.description != after.description ||
      before.created_time != after.created_time ||
      before.format_provider != after.format_provider ||
      before.format_options != after.format_options) {
    return "changed its name, comment or format";
  }
  for (const auto& [key, value] : before.configuration) {
    if (!after.configuration.contains(key))
      return "removed its property " + key;
  }
  for (const auto& [key, value] : after.configuration) {
    const auto old = before.configuration.find(key);
    if (old != before.configuration.end() && old->second == value) continue;
    if (!IsTolerated(before.configuration, key, value, protocol))
      return "set its property " + key;
  }
  return std::nullopt;
}

}  // namespace bayou::transaction
