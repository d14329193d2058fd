// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "kernel/protocol/iceberg_compat.h"
#include "kernel/protocol/manifest_property.h"
#include "kernel/protocol/property_value.h"
#include "kernel/protocol/table_features.h"
#include "kernel/protocol/table_properties.h"
#include "ops/commands/alter_table_plan.h"
#include "ops/commands/column_mapper.h"
#include "ops/commands/row_tracking_columns.h"

namespace bayou::commands {
namespace {

using protocol::ColumnMappingMode;
using protocol::DataType;
using protocol::Field;
using protocol::StringMap;
using protocol::TableProperties;

constexpr char kComment[] = "comment";
constexpr char kMappingMode[] = "delta.columnMapping.mode";
constexpr char kMaxColumnId[] = "delta.columnMapping.maxColumnId";

tl::unexpected<Error> Invalid(std::string_view condition, std::string message) {
  return Fail(ErrorCode::kInvalidArgument, condition, std::move(message));
}
tl::unexpected<Error> Unsupported(std::string_view condition,
                                  std::string message) {
  return Fail(ErrorCode::kUnsupported, condition, std::move(message));
}

void StripMapping(std::vector<Field>& fields);

void StripMapping(DataType& type) {
  StripMapping(type.fields);
  for (DataType& child : type.children) StripMapping(child);
}

void StripMapping(std::vector<Field>& fields) {
  for (Field& field : fields) {
    field.metadata.erase("delta.columnMapping.id");
    field.metadata.erase("delta.columnMapping.physicalName");
    StripMapping(field.type);
  }
}

// Files of the table have the columns' names, which become the physical ones.
Status ChangeMapping(AlteredTable& altered) {
  auto& configuration = altered.change.metadata.configuration;
  const ColumnMappingMode before = altered.table.column_mapping();
  const ColumnMappingMode after =
      TableProperties(configuration).column_mapping_mode();
  if (before == after) return {};
  if (before != ColumnMappingMode::kNone || after != ColumnMappingMode::kName) {
    return Unsupported(
        "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
        fmt::format("table {}: '{}' can change from none to name alone; id is "
                    "for new tables, and the way back would have to write "
                    "every file anew",
                    altered.table.location(), kMappingMode));
  }
  StripMapping(altered.schema.fields);
  ColumnMapper mapper(altered.env, ColumnMapper::Names::kOld);
  BAYOU_TRY(mapper.Map(altered.schema.fields));
  configuration[kMaxColumnId] = std::to_string(mapper.last_id());
  return {};
}

// Rows that are there get ids in the same commit.
Status ChangeRowTracking(AlteredTable& altered) {
  auto& configuration = altered.change.metadata.configuration;
  if (!TableProperties(configuration).row_tracking() ||
      altered.table.properties().row_tracking()) {
    return {};
  }
  const auto suspended = configuration.find("delta.rowTrackingSuspended");
  if (suspended != configuration.end() && suspended->second == "true") {
    return Invalid(
        "DELTA_INVALID_TABLE_PROPERTY",
        fmt::format("table {}: 'delta.enableRowTracking' and "
                    "'delta.rowTrackingSuspended' exclude one another",
                    altered.table.location()));
  }
  altered.change.reads_table = true;
  altered.change.row_ids = RowIdChange::kAssign;
  NameRowTrackingColumns(configuration, altered.env);
  return {};
}

// Files that are there lack what Iceberg wants of them.
Status CheckIcebergBegins(const AlteredTable& altered,
                          const protocol::Metadata& before) {
  const auto version = [&](const protocol::Metadata& metadata) {
    return protocol::IcebergCompatVersion(altered.change.protocol, metadata);
  };
  const int after = version(altered.change.metadata);
  if (after == 0 || after == version(before)) return {};
  BAYOU_ASSIGN(const auto totals, altered.table.state().Totals());
  if (totals.files == 0) return {};
  return Unsupported(
      "DELTA_ICEBERG_COMPAT_VIOLATION",
      fmt::format("table {} has files that were not written for "
                  "'delta.enableIcebergCompatV{}'; make it anew with CREATE OR "
                  "REPLACE TABLE ... TBLPROPERTIES (...) AS SELECT",
                  altered.table.location(), after));
}

class FilesWithVectors final : public log::FilePredicate {
 public:
  bool Keep(const log::FileView& file) const override {
    return file.has_deletion_vector;
  }
  bool NeedsStats() const override { return false; }
};

// Whoever reads by manifests does not know of vectors that are there.
Status CheckManifestsBegin(const AlteredTable& altered,
                           const protocol::Metadata& before) {
  const protocol::Metadata& after = altered.change.metadata;
  BAYOU_TRY(protocol::CheckManifestProperty(&before, after,
                                            altered.table.location()));
  if (!protocol::KeepsManifests(after) || protocol::KeepsManifests(before))
    return {};
  BAYOU_ASSIGN(const auto files,
               altered.table.state().Files(
                   {}, std::make_shared<const FilesWithVectors>()));
  std::vector<protocol::AddFile> batch;
  BAYOU_ASSIGN(const bool any, files->Next(batch));
  if (!any) return {};
  return Invalid(
      "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED",
      fmt::format("table {}: rows of its file {} are deleted by a vector, and "
                  "whoever reads by symlink manifests would see them; REORG "
                  "TABLE ... APPLY (PURGE) first",
                  altered.table.location(), batch.front().path));
}

}  // namespace

Status Alter(AlteredTable& altered, const SetProperties& set) {
  BAYOU_TRY(protocol::CheckUserProperties(set.properties, set.allow_unknown));
  TableChange& change = altered.change;
  const protocol::Metadata before = change.metadata;
  for (const auto& [key, value] : set.properties) {
    if (key == kComment) {
      change.metadata.description = value;
    } else {
      change.metadata.configuration[key] = value;
    }
  }
  BAYOU_TRY(ChangeMapping(altered));
  BAYOU_TRY(ChangeRowTracking(altered));
  BAYOU_TRY(RaiseProtocol(altered));
  BAYOU_TRY(CheckIcebergBegins(altered, before));
  BAYOU_TRY(CheckManifestsBegin(altered, before));
  change.changes_metadata =
      change.metadata.configuration != before.configuration ||
      change.metadata.description != before.description ||
      altered.schema != altered.table.schema();
  change.operation = {
      "SET TBLPROPERTIES",
      {{"properties", transaction::MapParameter(set.properties)}},
      {}};
  return {};
}

Status Alter(AlteredTable& altered, const UnsetProperties& unset) {
  TableChange& change = altered.change;
  auto& configuration = change.metadata.configuration;
  change.changes_metadata = false;
  for (const std::string& key : unset.keys) {
    if (key == kComment) {
      change.changes_metadata |= change.metadata.description.has_value();
      change.metadata.description.reset();
      continue;
    }
    const auto found = configuration.find(key);
    if (found == configuration.end()) {
      if (unset.if_exists) continue;
      return Invalid("DELTA_UNSET_NON_EXISTENT_PROPERTY",
                     fmt::format("table {} has no property '{}'; UNSET "
                                 "TBLPROPERTIES IF EXISTS passes over it",
                                 altered.table.location(), key));
    }
    if (key == kMappingMode || protocol::IsKeptByWriters(key)) {
      return Invalid("DELTA_INVALID_TABLE_PROPERTY",
                     fmt::format("table property '{}' is kept by writers and "
                                 "cannot be taken away",
                                 key));
    }
    configuration.erase(found);
    change.changes_metadata = true;
  }
  change.operation = {"UNSET TBLPROPERTIES",
                      {{"properties", transaction::ListParameter(unset.keys)},
                       {"ifExists", unset.if_exists ? "true" : "false"}},
                      {}};
  return {};
}

}  // namespace bayou::commands
