// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/table_features.h"
#include "kernel/transaction/row_ids.h"
#include "ops/commands/alter_table_plan.h"
#include "ops/commands/live_files.h"

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::EqualIgnoringCase;
using protocol::Field;

constexpr std::string_view kNotDropped = "DELTA_FEATURE_DROP_UNSUPPORTED";
constexpr char kProtection[] = "delta.requireCheckpointProtectionBeforeVersion";

tl::unexpected<Error> Invalid(std::string_view condition, std::string message) {
  return Fail(ErrorCode::kInvalidArgument, condition, std::move(message));
}

tl::unexpected<Error> InUse(const AlteredTable& altered,
                            std::string_view feature, std::string_view why) {
  return Invalid(kNotDropped,
                 fmt::format("the feature {} of table {} is in use: {}",
                             feature, altered.table.location(), why));
}

// The first field, at any depth, for which `matches` is true.
template <typename Matches>
const Field* FirstField(const std::vector<Field>& fields,
                        const Matches& matches);

template <typename Matches>
const Field* FirstField(const DataType& type, const Matches& matches) {
  if (const Field* found = FirstField(type.fields, matches)) return found;
  for (const DataType& child : type.children) {
    if (const Field* found = FirstField(child, matches)) return found;
  }
  return nullptr;
}

template <typename Matches>
const Field* FirstField(const std::vector<Field>& fields,
                        const Matches& matches) {
  for (const Field& field : fields) {
    if (matches(field)) return &field;
    if (const Field* found = FirstField(field.type, matches)) return found;
  }
  return nullptr;
}

void ForEachField(std::vector<Field>& fields, void (*change)(Field&));

void ForEachField(DataType& type, void (*change)(Field&)) {
  ForEachField(type.fields, change);
  for (DataType& child : type.children) ForEachField(child, change);
}

void ForEachField(std::vector<Field>& fields, void (*change)(Field&)) {
  for (Field& field : fields) {
    change(field);
    ForEachField(field.type, change);
  }
}

// ------------------------------------------------- what becomes of its use

using StopUsing = Status (*)(AlteredTable& altered);

Status Nothing(AlteredTable&) { return {}; }

template <const char* kProperty>
Status Unset(AlteredTable& altered) {
  altered.change.metadata.configuration.erase(kProperty);
  return {};
}

constexpr char kMaterialize[] =
    "delta.enableMaterializePartitionColumnsFeature";
constexpr char kCheckpointPolicy[] = "delta.checkpointPolicy";

Status StopConstraints(AlteredTable& altered) {
  constexpr std::string_view kPrefix = "delta.constraints.";
  const auto& configuration = altered.change.metadata.configuration;
  const auto found = configuration.lower_bound(std::string(kPrefix));
  if (found == configuration.end() || !found->first.starts_with(kPrefix))
    return {};
  return InUse(
      altered, "checkConstraints",
      "drop the constraint " + found->first.substr(kPrefix.size()) + " first");
}

Status StopInCommitTimestamps(AlteredTable& altered) {
  std::erase_if(altered.change.metadata.configuration, [](const auto& pair) {
    return pair.first == "delta.enableInCommitTimestamps" ||
           pair.first.starts_with("delta.inCommitTimestampEnablement");
  });
  return {};
}

Status StopDefaults(AlteredTable& altered) {
  const Field* field = FirstField(altered.schema.fields, [](const Field& f) {
    return f.metadata.contains("CURRENT_DEFAULT");
  });
  if (field == nullptr) return {};
  return InUse(altered, "allowColumnDefaults",
               "column " + field->name +
                   " has a default; ALTER COLUMN ... DROP DEFAULT first");
}

Status StopDeletionVectors(AlteredTable& altered) {
  altered.change.metadata.configuration.erase("delta.enableDeletionVectors");
  std::int64_t with_vectors = 0;
  BAYOU_TRY(VisitFiles(altered.table, {}, [&](const auto& file) -> Status {
    if (file.deletion_vector) ++with_vectors;
    return {};
  }));
  if (with_vectors == 0) return {};
  return InUse(altered, "deletionVectors",
               fmt::format("{} files have deletion vectors; REORG TABLE ... "
                           "APPLY (PURGE) writes them anew without",
                           with_vectors));
}

bool IsWidened(const Field& field) {
  return field.metadata.contains("delta.typeChanges");
}

Status StopTypeWidening(AlteredTable& altered) {
  altered.change.metadata.configuration.erase("delta.enableTypeWidening");
  const Field* field = FirstField(altered.schema.fields, IsWidened);
  if (field == nullptr) return {};
  return InUse(altered, "typeWidening",
               "files may hold column " + field->name +
                   " with the type that it had; make the table anew with "
                   "CREATE OR REPLACE TABLE ... AS SELECT");
}

// Files keep their columns' names only if no column was ever renamed, or
// dropped: one of the same name that comes later would find its values.
Status StopColumnMapping(AlteredTable& altered) {
  auto& configuration = altered.change.metadata.configuration;
  std::size_t fields = 0;
  const Field* renamed =
      FirstField(altered.schema.fields, [&](const Field& field) {
        ++fields;
        return field.physical_name() != field.name ||
               field.name.find_first_of(" ,;{}()\n\t=") != std::string::npos;
      });
  const auto last_id = configuration.find("delta.columnMapping.maxColumnId");
  const bool any_dropped = last_id == configuration.end() ||
                           last_id->second != std::to_string(fields);
  if (altered.is_mapped() && (renamed != nullptr || any_dropped)) {
    return InUse(altered, "columnMapping",
                 "columns have been renamed or dropped, or have names that "
                 "need it, so that files do not have the columns' names; make "
                 "the table anew with CREATE OR REPLACE TABLE ... AS SELECT");
  }
  configuration.erase("delta.columnMapping.mode");
  configuration.erase("delta.columnMapping.maxColumnId");
  ForEachField(altered.schema.fields, [](Field& field) {
    field.metadata.erase("delta.columnMapping.id");
    field.metadata.erase("delta.columnMapping.physicalName");
    field.metadata.erase("delta.columnMapping.nested.ids");
  });
  return {};
}

Status StopRowTracking(AlteredTable& altered) {
  std::erase_if(altered.change.metadata.configuration, [](const auto& pair) {
    return pair.first == "delta.enableRowTracking" ||
           pair.first.starts_with("delta.rowTracking");
  });
  altered.change.row_ids = RowIdChange::kForget;
  const auto& domains = altered.table.state().domains();
  const auto domain =
      domains.find(std::string(transaction::kRowTrackingDomain));
  if (domain == domains.end()) return {};
  altered.change.domain = domain->second;
  altered.change.domain->removed = true;
  return {};
}

Status StopDomains(AlteredTable& altered) {
  const auto& domains = altered.table.state().domains();
  if (domains.empty()) return {};
  return InUse(
      altered, "domainMetadata",
      "the table has metadata of the domain " + domains.begin()->first);
}

struct Removable {
  std::string_view feature;
  StopUsing stop;
};
constexpr std::array kRemovable = {
    Removable{"allowColumnDefaults", StopDefaults},
    Removable{"checkConstraints", StopConstraints},
    Removable{"columnMapping", StopColumnMapping},
    Removable{"deletionVectors", StopDeletionVectors},
    Removable{"domainMetadata", StopDomains},
    Removable{"inCommitTimestamp", StopInCommitTimestamps},
    Removable{"materializePartitionColumns", Unset<kMaterialize>},
    Removable{"rowTracking", StopRowTracking},
    Removable{"typeWidening", StopTypeWidening},
    Removable{"typeWidening-preview", StopTypeWidening},
    Removable{"v2Checkpoint", Unset<kCheckpointPolicy>},
    Removable{"vacuumProtocolCheck", Nothing},
};

// Features that cannot be without another one.
struct Need {
  std::string_view feature;
  std::string_view needs;
};
constexpr std::array kNeeds = {
    Need{"rowTracking", "domainMetadata"},
    Need{"clustering", "domainMetadata"},
    Need{"icebergCompatV1", "columnMapping"},
    Need{"icebergCompatV2", "columnMapping"},
    Need{"icebergCompatV3", "columnMapping"},
    Need{"icebergCompatV3", "rowTracking"},
};

Status CheckNotNeeded(const AlteredTable& altered, std::string_view feature) {
  for (const Need& need : kNeeds) {
    if (need.needs != feature ||
        !protocol::Supports(altered.change.protocol, need.feature)) {
      continue;
    }
    return InUse(altered, feature,
                 fmt::format("the feature {} needs it", need.feature));
  }
  return {};
}

Result<std::string> SupportedName(const AlteredTable& altered,
                                  const std::string& name) {
  for (const std::string& known :
       protocol::SupportedFeatures(altered.change.protocol)) {
    if (EqualIgnoringCase(known, name)) return known;
  }
  return Invalid("DELTA_FEATURE_NOT_PRESENT",
                 fmt::format("table {} does not have the feature {}",
                             altered.table.location(), name));
}

Result<StopUsing> WayOut(const AlteredTable& altered,
                         const std::string& feature) {
  const auto found =
      std::ranges::find(kRemovable, feature, &Removable::feature);
  if (found != kRemovable.end()) return found->stop;
  return Fail(
      ErrorCode::kUnsupported, kNotDropped,
      fmt::format(
          "the feature {} of table {} stays: what makes use of it is in "
          "its versions and files; make the table anew without it, "
          "with CREATE TABLE ... AS SELECT",
          feature, altered.table.location()));
}

bool IsOfReaders(const protocol::Protocol& protocol,
                 const std::string& feature) {
  return feature == "columnMapping" ||
         (protocol.reader_features &&
          std::ranges::any_of(*protocol.reader_features, [&](const auto& name) {
            return EqualIgnoringCase(name, feature);
          }));
}

// Versions before this one ask readers for the feature. They stay, and whoever
// does not know it starts from a checkpoint: nobody may take that away, or make
// one of an earlier version, before those versions are gone.
void ProtectHistory(AlteredTable& altered) {
  TableChange& change = altered.change;
  change.needs_checkpoint = true;
  auto& features = *change.protocol.writer_features;
  if (std::ranges::find(features, "checkpointProtection") == features.end())
    features.emplace_back("checkpointProtection");
  change.metadata.configuration[kProtection] =
      std::to_string(altered.table.version() + 1);
}

}  // namespace

Status Alter(AlteredTable& altered, const DropFeature& drop) {
  TableChange& change = altered.change;
  BAYOU_ASSIGN(const std::string feature, SupportedName(altered, drop.name));
  const bool of_readers = IsOfReaders(change.protocol, feature);
  if (drop.truncate_history) {
    return Fail(
        ErrorCode::kUnsupported,
        of_readers ? kNotDropped
                   : "DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED",
        fmt::format("table {}: DROP FEATURE {} without TRUNCATE HISTORY {}",
                    altered.table.location(), feature,
                    of_readers
                        ? "keeps the history and protects it; Bayou does "
                          "not take versions away"
                        : "is enough, for readers do not need it"));
  }
  BAYOU_ASSIGN(const StopUsing stop, WayOut(altered, feature));
  BAYOU_TRY(CheckNotNeeded(altered, feature));
  BAYOU_TRY(stop(altered));
  change.reads_table = true;
  change.protocol = protocol::WithoutFeature(change.protocol, feature);
  if (of_readers) ProtectHistory(altered);
  change.changes_protocol = true;
  change.operation = {"DROP FEATURE",
                      {{"featureName", transaction::TextParameter(feature)},
                       {"truncateHistory", "false"}},
                      {}};
  return {};
}

}  // namespace bayou::commands
