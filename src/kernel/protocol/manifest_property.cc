// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/manifest_property.h"

#include <fmt/format.h>

#include "kernel/protocol/property_value.h"
#include "kernel/protocol/table_properties.h"

namespace bayou::protocol {
namespace {

constexpr char kEnabled[] = "delta.compatibility.symlinkFormatManifest.enabled";

bool HasVectors(const Metadata& metadata) {
  return TableProperties(metadata.configuration).deletion_vectors();
}

bool IsMapped(const Metadata& metadata) {
  return TableProperties(metadata.configuration).column_mapping_mode() !=
         ColumnMappingMode::kNone;
}

}  // namespace

bool KeepsManifests(const Metadata& metadata) {
  const auto found = metadata.configuration.find(kEnabled);
  return found != metadata.configuration.end() &&
         PropertyBool(found->second).value_or(false);
}

Status CheckManifestProperty(const Metadata* before, const Metadata& after,
                             std::string_view table) {
  if (!KeepsManifests(after)) return {};
  const auto begins = [&](bool (*has)(const Metadata&)) {
    const bool had =
        before != nullptr && KeepsManifests(*before) && has(*before);
    return has(after) && !had;
  };
  if (begins(HasVectors)) {
    return Fail(ErrorCode::kInvalidArgument,
                "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED",
                fmt::format("table {}: '{}' and 'delta.enableDeletionVectors' "
                            "exclude one another, for whoever reads by the "
                            "manifests would see deleted rows; set one of them "
                            "to false",
                            table, kEnabled));
  }
  if (begins(IsMapped)) {
    return Fail(ErrorCode::kUnsupported,
                "DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING",
                fmt::format("table {}: '{}' and 'delta.columnMapping.mode' "
                            "exclude one another, for whoever reads by the "
                            "manifests looks for columns by their names",
                            table, kEnabled));
  }
  return {};
}

}  // namespace bayou::protocol
