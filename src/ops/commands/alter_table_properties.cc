// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/protocol/letter_case.h"
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
using protocol::EqualIgnoringCase;
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
  mapper.Map(altered.schema.fields);
  configuration[kMaxColumnId] = std::to_string(mapper.last_id());
  return {};
}

// Rows that are there would need ids.
Status ChangeRowTracking(AlteredTable& altered) {
  auto& configuration = altered.change.metadata.configuration;
  if (!TableProperties(configuration).row_tracking() ||
      altered.table.properties().row_tracking()) {
    return {};
  }
  altered.change.reads_table = true;
  BAYOU_ASSIGN(const auto totals, altered.table.state().Totals());
  if (totals.files > 0) {
    return Unsupported(
        "DELTA_UNSUPPORTED_ROW_TRACKING_CHANGE",
        fmt::format("table {} has rows, which would need ids before "
                    "'delta.enableRowTracking' can be true; switch it on "
                    "before the first rows, or make the table anew with CREATE "
                    "TABLE ... AS SELECT",
                    altered.table.location()));
  }
  NameRowTrackingColumns(configuration, altered.env);
  return {};
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

// ------------------------------------------------------------- DROP FEATURE

namespace {

constexpr std::string_view kNotDropped = "DELTA_FEATURE_DROP_UNSUPPORTED";

// Takes away what makes use of the feature, or says why it is still in use.
Status StopUsing(AlteredTable& altered, std::string_view feature) {
  auto& configuration = altered.change.metadata.configuration;
  if (feature == "checkConstraints") {
    const auto found = configuration.lower_bound("delta.constraints.");
    if (found == configuration.end() ||
        !found->first.starts_with("delta.constraints.")) {
      return {};
    }
    return Invalid(
        kNotDropped,
        fmt::format("table {} has the constraint {}; drop it first",
                    altered.table.location(), found->first.substr(18)));
  }
  if (feature == "inCommitTimestamp") {
    std::erase_if(configuration, [](const auto& property) {
      return property.first == "delta.enableInCommitTimestamps" ||
             property.first.starts_with("delta.inCommitTimestampEnablement");
    });
    return {};
  }
  return Unsupported(
      kNotDropped,
      fmt::format("the feature {} of table {} stays: older versions or files "
                  "of the table make use of it, and Bayou does not rewrite "
                  "them; make the table anew without it, with CREATE TABLE ... "
                  "AS SELECT",
                  feature, altered.table.location()));
}

}  // namespace

Status Alter(AlteredTable& altered, const DropFeature& drop) {
  TableChange& change = altered.change;
  const auto supported = protocol::SupportedFeatures(change.protocol);
  const auto found = std::ranges::find_if(supported, [&](const auto& name) {
    return EqualIgnoringCase(name, drop.name);
  });
  if (found == supported.end()) {
    return Invalid("DELTA_FEATURE_NOT_PRESENT",
                   fmt::format("table {} does not have the feature {}",
                               altered.table.location(), drop.name));
  }
  BAYOU_TRY(StopUsing(altered, *found));
  change.protocol = protocol::WithoutFeature(change.protocol, *found);
  change.changes_protocol = true;
  change.operation = {"DROP FEATURE",
                      {{"featureName", transaction::TextParameter(*found)},
                       {"truncateHistory", "false"}},
                      {}};
  return {};
}

}  // namespace bayou::commands
