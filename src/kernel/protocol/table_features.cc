// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/table_features.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "kernel/protocol/iceberg_compat.h"
#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/property_value.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/table_properties.h"

namespace bayou::protocol {
namespace {

// ------------------------------------------------------ what makes use of one

// A table as far as it says which of its features are in use.
struct Use {
  const Metadata& metadata;
  const Schema& schema;
  TableProperties properties;

  bool Enabled(std::string_view property) const {
    const auto found = metadata.configuration.find(std::string(property));
    return found != metadata.configuration.end() &&
           PropertyBool(found->second).value_or(false);
  }
  bool HasPropertyWithPrefix(std::string_view prefix) const {
    const auto found = metadata.configuration.lower_bound(std::string(prefix));
    return found != metadata.configuration.end() &&
           found->first.starts_with(prefix);
  }
  bool HasFieldWith(std::string_view metadata_prefix) const {
    return AnyField(schema.fields, [&](const Field& field) {
      const auto found =
          field.metadata.lower_bound(std::string(metadata_prefix));
      return found != field.metadata.end() &&
             found->first.starts_with(metadata_prefix);
    });
  }
  bool HasType(TypeKind kind) const {
    return AnyField(schema.fields, [&](const Field& field) {
      return ContainsOutsideStructs(field.type, kind);
    });
  }

 private:
  using Matches = std::function<bool(const Field&)>;

  // Whether any field at any depth matches.
  static bool AnyField(const std::vector<Field>& fields,
                       const Matches& matches) {
    return std::ranges::any_of(fields, [&](const Field& field) {
      return matches(field) || AnyFieldOf(field.type, matches);
    });
  }
  static bool AnyFieldOf(const DataType& type, const Matches& matches) {
    return AnyField(type.fields, matches) ||
           std::ranges::any_of(type.children, [&](const DataType& child) {
             return AnyFieldOf(child, matches);
           });
  }
  // The fields of structs are visited by AnyField.
  static bool ContainsOutsideStructs(const DataType& type, TypeKind kind) {
    return type.kind == kind ||
           std::ranges::any_of(type.children, [&](const DataType& child) {
             return ContainsOutsideStructs(child, kind);
           });
  }
};

// ------------------------------------------------------------------ the matrix

enum class Kind : std::uint8_t { kWriter, kReaderWriter };

enum class Appends : std::uint8_t {
  kFollow,      // Appends follow the feature's rules, used or not.
  kUnlessUsed,  // As long as the table makes no use of it.
  kNever,
};

struct Feature {
  std::string_view name;
  Kind kind;
  int reader_since;  // Legacy versions that imply it; 0: only by name.
  int writer_since;
  bool readable;
  Appends appends;
  bool (*used)(const Use&);     // A new table with this use gets the feature.
  std::string_view needs = {};  // Another feature that must come with it.
};

constexpr Kind kW = Kind::kWriter;
constexpr Kind kRW = Kind::kReaderWriter;
constexpr auto kFollow = Appends::kFollow;
constexpr auto kUnlessUsed = Appends::kUnlessUsed;
constexpr auto kNever = Appends::kNever;

bool ByNameOnly(const Use&) { return false; }

constexpr Feature kFeatures[] = {
    // clang-format off
    {"appendOnly", kW, 1, 2, true, kFollow,
     [](const Use& t) { return t.properties.append_only(); }},
    {"invariants", kW, 1, 2, true, kFollow,
     [](const Use& t) { return t.HasFieldWith("delta.invariants"); }},
    {"checkConstraints", kW, 1, 3, true, kFollow,
     [](const Use& t) { return t.HasPropertyWithPrefix("delta.constraints."); }},
    {"changeDataFeed", kW, 1, 4, true, kFollow,
     [](const Use& t) { return t.properties.change_data_feed(); }},
    {"generatedColumns", kW, 1, 4, true, kFollow,
     [](const Use& t) { return t.HasFieldWith("delta.generationExpression"); }},
    {"columnMapping", kRW, 2, 5, true, kFollow,
     [](const Use& t) { return t.properties.column_mapping_mode() != ColumnMappingMode::kNone; }},
    {"identityColumns", kW, 1, 6, true, kFollow,
     [](const Use& t) { return t.HasFieldWith("delta.identity."); }},

    {"deletionVectors", kRW, 0, 0, true, kFollow,
     [](const Use& t) { return t.properties.deletion_vectors(); }},
    {"timestampNtz", kRW, 0, 0, true, kFollow,
     [](const Use& t) { return t.HasType(TypeKind::kTimestampNtz); }},
    {"timestampWithoutTimezone", kRW, 0, 0, true, kFollow, ByNameOnly},
    {"v2Checkpoint", kRW, 0, 0, true, kFollow,
     [](const Use& t) { return t.properties.v2_checkpoint_policy(); }},
    {"vacuumProtocolCheck", kRW, 0, 0, true, kFollow, ByNameOnly},
    {"typeWidening", kRW, 0, 0, true, kFollow,
     [](const Use& t) { return t.Enabled("delta.enableTypeWidening"); }},
    {"typeWidening-preview", kRW, 0, 0, true, kFollow, ByNameOnly},
    {"variantType", kRW, 0, 0, true, kFollow,
     [](const Use& t) { return t.HasType(TypeKind::kVariant); }},
    {"variantType-preview", kRW, 0, 0, true, kFollow, ByNameOnly},
    // Files may mix shredded and whole variants, and appends write whole ones.
    {"variantShredding", kRW, 0, 0, true, kFollow,
     [](const Use& t) { return t.Enabled("delta.enableVariantShredding"); }, "variantType"},
    {"variantShredding-preview", kRW, 0, 0, true, kFollow, ByNameOnly, "variantType"},
    {"geospatial", kRW, 0, 0, true, kNever,
     [](const Use& t) { return t.HasType(TypeKind::kGeometry) || t.HasType(TypeKind::kGeography); }},
    {"geospatial-dev", kRW, 0, 0, true, kNever, ByNameOnly},
    {"catalogManaged", kRW, 0, 0, true, kNever, ByNameOnly, "inCommitTimestamp"},
    {"catalogOwned", kRW, 0, 0, true, kNever, ByNameOnly, "inCommitTimestamp"},
    {"catalogOwned-preview", kRW, 0, 0, true, kNever, ByNameOnly, "inCommitTimestamp"},
    {"adaptiveMetadata", kRW, 0, 0, false, kNever, ByNameOnly},
    {"adaptiveMetadata-preview", kRW, 0, 0, false, kNever, ByNameOnly},
    {"timestampNanos", kRW, 0, 0, false, kNever, ByNameOnly},
    {"redirectReaderWriter-preview", kRW, 0, 0, false, kNever, ByNameOnly},

    {"domainMetadata", kW, 0, 0, true, kFollow, ByNameOnly},
    {"rowTracking", kW, 0, 0, true, kFollow,
     [](const Use& t) { return t.properties.row_tracking(); }, "domainMetadata"},
    {"clustering", kW, 0, 0, true, kFollow, ByNameOnly, "domainMetadata"},
    {"inCommitTimestamp", kW, 0, 0, true, kFollow,
     [](const Use& t) { return t.properties.in_commit_timestamps(); }},
    // It guards the log's early versions; appends leave those alone.
    {"checkpointProtection", kW, 0, 0, true, kFollow, ByNameOnly},
    {"allowColumnDefaults", kW, 0, 0, true, kFollow,
     [](const Use& t) { return t.HasFieldWith("CURRENT_DEFAULT"); }},
    {"icebergCompatV1", kW, 0, 0, true, kFollow,
     [](const Use& t) { return t.Enabled("delta.enableIcebergCompatV1"); }, "columnMapping"},
    {"icebergCompatV2", kW, 0, 0, true, kFollow,
     [](const Use& t) { return t.Enabled("delta.enableIcebergCompatV2"); }, "columnMapping"},
    {"icebergCompatV3", kW, 0, 0, true, kFollow,
     [](const Use& t) { return t.Enabled("delta.enableIcebergCompatV3"); }, "columnMapping"},
    {"icebergWriterCompatV1", kW, 0, 0, true, kUnlessUsed,
     [](const Use& t) { return t.Enabled("delta.enableIcebergWriterCompatV1"); }, "icebergCompatV2"},
    {"icebergWriterCompatV3", kW, 0, 0, true, kUnlessUsed,
     [](const Use& t) { return t.Enabled("delta.enableIcebergWriterCompatV3"); }, "icebergCompatV3"},
    {"materializePartitionColumns", kW, 0, 0, true, kFollow,
     [](const Use& t) { return t.Enabled("delta.enableMaterializePartitionColumnsFeature"); }},
    {"collations", kW, 0, 0, true, kNever, ByNameOnly, "domainMetadata"},
    {"collations-preview", kW, 0, 0, true, kNever, ByNameOnly, "domainMetadata"},
    {"columnMappingUsageTracking", kW, 0, 0, true, kNever, ByNameOnly},
    {"coordinatedCommits-preview", kW, 0, 0, true, kNever, ByNameOnly},
    {"redirectWriterOnly-preview", kW, 0, 0, true, kNever, ByNameOnly},
    {"liquid", kW, 0, 0, true, kNever, ByNameOnly},
    // clang-format on
};

const Feature* FindFeature(std::string_view name) {
  const auto found =
      std::ranges::find_if(kFeatures, [&](const Feature& feature) {
        return EqualIgnoringCase(feature.name, name);
      });
  return found == std::end(kFeatures) ? nullptr : found;
}

// --------------------------------------------------------------- the protocol

constexpr int kFeatureReader = 3;  // Versions from which features have names.
constexpr int kFeatureWriter = 7;

bool IsImplied(const Feature& feature, const Protocol& protocol) {
  return feature.writer_since != 0 &&
         protocol.min_writer_version < kFeatureWriter &&
         feature.reader_since <= protocol.min_reader_version &&
         feature.writer_since <= protocol.min_writer_version;
}

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string Versions(const Protocol& protocol) {
  return "reader version " + std::to_string(protocol.min_reader_version) +
         " and writer version " + std::to_string(protocol.min_writer_version);
}

tl::unexpected<Error> Contradiction(std::string_view table,
                                    const Protocol& protocol,
                                    std::string_view what) {
  return Fail(ErrorCode::kCorruption, "DELTA_PROTOCOL_INVALID",
              std::string(table) + ": the protocol asks for " +
                  Versions(protocol) + " but " + std::string(what));
}

tl::unexpected<Error> Unsupported(std::string_view condition,
                                  std::string_view table, std::string what) {
  return Fail(ErrorCode::kUnsupported, condition,
              std::string(table) + " needs " + std::move(what) +
                  ", which this version of Bayou does not have; a newer one "
                  "may");
}

constexpr std::string_view kReaderCondition =
    "DELTA_UNSUPPORTED_READER_FEATURE";
constexpr std::string_view kWriterCondition =
    "DELTA_UNSUPPORTED_WRITER_FEATURE";

Result<Schema> SchemaOf(const Metadata& metadata) {
  if (metadata.schema_string.empty()) return Schema{};
  return ParseSchema(metadata.schema_string);
}

bool AppendsMayFollow(const Feature& feature, const Use& use) {
  switch (feature.appends) {
    case Appends::kFollow:
      return true;
    case Appends::kUnlessUsed:
      return !feature.used(use);
    case Appends::kNever:
      return false;
  }
  return false;
}

// -------------------------------------------------------------- a new protocol

using FeatureSet = std::set<const Feature*>;

void AddWithNeeds(const Feature* feature, FeatureSet& features) {
  while (feature != nullptr && features.insert(feature).second) {
    feature = FindFeature(feature->needs);
  }
}

// `delta.feature.<name>`: the features that the user asks for by name.
Status AddNamedFeatures(const StringMap& configuration, FeatureSet& features) {
  constexpr std::string_view kPrefix = "delta.feature.";
  for (const auto& [key, value] : configuration) {
    if (!key.starts_with(kPrefix)) continue;
    const Feature* feature = FindFeature(key.substr(kPrefix.size()));
    if (feature == nullptr || !feature->readable) {
      return Fail(ErrorCode::kUnsupported, kWriterCondition,
                  "table property '" + key +
                      "' asks for a feature which this "
                      "version of Bayou does not have");
    }
    if (!EqualIgnoringCase(value, "supported") &&
        !EqualIgnoringCase(value, "enabled")) {
      return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_TABLE_PROPERTY",
                  "table property '" + key +
                      "' takes the value 'supported' "
                      "alone");
    }
    AddWithNeeds(feature, features);
  }
  return {};
}

// The versions that the user asks for, or delta-spark's default for new tables.
Result<Protocol> RequestedVersions(const StringMap& configuration) {
  Protocol protocol;
  const std::tuple<const char*, int, int*> requests[] = {
      {"delta.minReaderVersion", kFeatureReader, &protocol.min_reader_version},
      {"delta.minWriterVersion", kFeatureWriter, &protocol.min_writer_version}};
  for (const auto& [key, newest, version] : requests) {
    const auto found = configuration.find(key);
    if (found == configuration.end()) continue;
    const auto requested = PropertyInteger(found->second, 1);
    if (!requested || *requested > newest) {
      return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_TABLE_PROPERTY",
                  "table property '" + found->first +
                      "' takes a number from 1 "
                      "to " +
                      std::to_string(newest));
    }
    *version = static_cast<int>(*requested);
  }
  return protocol;
}

// The current versions, or higher ones that the user asks for.
Result<std::pair<int, int>> VersionsAskedFor(const Protocol& current,
                                             const StringMap& configuration) {
  std::pair<int, int> versions = {current.min_reader_version,
                                  current.min_writer_version};
  const std::tuple<const char*, int, int*> requests[] = {
      {"delta.minReaderVersion", kFeatureReader, &versions.first},
      {"delta.minWriterVersion", kFeatureWriter, &versions.second}};
  for (const auto& [key, newest, version] : requests) {
    const auto found = configuration.find(key);
    if (found == configuration.end()) continue;
    const auto requested = PropertyInteger(found->second, 1);
    if (!requested || *requested > newest || *requested < *version) {
      return Fail(
          ErrorCode::kInvalidArgument, "DELTA_INVALID_PROTOCOL_DOWNGRADE",
          "table property '" + found->first + "' cannot be " + found->second +
              ": it takes a number from " + std::to_string(*version) +
              ", the table's, to " + std::to_string(newest));
    }
    *version = static_cast<int>(*requested);
  }
  // Named reader features come with writer version 7 only.
  if (versions.first == kFeatureReader) versions.second = kFeatureWriter;
  return versions;
}

// The features that the lists of a protocol name; others come out in `unknown`.
void AddListedFeatures(const Protocol& protocol, FeatureSet& features,
                       std::set<std::string>& unknown) {
  if (!protocol.writer_features) return;
  for (const std::string& name : *protocol.writer_features) {
    if (const Feature* feature = FindFeature(name)) {
      features.insert(feature);
    } else {
      unknown.insert(name);
    }
  }
}

// What the schema and the properties make use of. A preview feature that was
// asked for by name stands in for the finished one.
void AddUsedFeatures(const Use& use, FeatureSet& features) {
  for (const Feature& feature : kFeatures) {
    if (!feature.used(use)) continue;
    const Feature* preview =
        FindFeature(std::string(feature.name) + "-preview");
    if (preview == nullptr || !features.contains(preview)) {
      AddWithNeeds(&feature, features);
    }
  }
}

void AddImpliedFeatures(const Protocol& protocol, FeatureSet& features) {
  for (const Feature& feature : kFeatures) {
    if (IsImplied(feature, protocol)) features.insert(&feature);
  }
}

// The smallest version numbers that imply all of `features`, none of which has
// to be named, and that are not below those asked for.
Protocol WithNumbers(Protocol protocol, const FeatureSet& features) {
  for (const Feature* feature : features) {
    protocol.min_reader_version =
        std::max(protocol.min_reader_version, feature->reader_since);
    protocol.min_writer_version =
        std::max(protocol.min_writer_version, feature->writer_since);
  }
  // Reader version 2 means column mapping, which writers have from 5 on.
  if (protocol.min_writer_version < 5) protocol.min_reader_version = 1;
  return protocol;
}

// Names all of `features`. Column mapping could do with reader version 2 and be
// named for writers only, but there several readers overlook it.
Protocol WithNames(int requested_reader, const FeatureSet& features) {
  Protocol protocol;
  protocol.min_writer_version = kFeatureWriter;
  std::set<std::string> reader;
  std::set<std::string> writer;
  for (const Feature* feature : features) {
    writer.emplace(feature->name);
    if (feature->kind == Kind::kReaderWriter) reader.emplace(feature->name);
  }
  protocol.writer_features.emplace(writer.begin(), writer.end());
  if (!reader.empty() || requested_reader == kFeatureReader) {
    protocol.min_reader_version = kFeatureReader;
    protocol.reader_features.emplace(reader.begin(), reader.end());
  }
  return protocol;
}

}  // namespace

std::set<std::string> SupportedFeatures(const Protocol& protocol) {
  std::set<std::string> names;
  for (const Feature& feature : kFeatures) {
    if (IsImplied(feature, protocol)) names.emplace(feature.name);
  }
  for (const auto* listed :
       {&protocol.reader_features, &protocol.writer_features}) {
    if (!*listed) continue;
    for (const std::string& name : **listed) {
      const Feature* known = FindFeature(name);
      names.emplace(known != nullptr ? known->name : std::string_view(name));
    }
  }
  return names;
}

bool Supports(const Protocol& protocol, std::string_view feature) {
  const auto names = SupportedFeatures(protocol);
  return std::ranges::any_of(names, [&](const std::string& name) {
    return EqualIgnoringCase(name, feature);
  });
}

Status CheckReadable(const Protocol& protocol, std::string_view table) {
  const int version = protocol.min_reader_version;
  if (version > kFeatureReader) {
    return Unsupported(kReaderCondition, table, Versions(protocol));
  }
  if (version < 1) return Contradiction(table, protocol, "versions begin at 1");
  const bool has_list =
      protocol.reader_features && !protocol.reader_features->empty();
  if (version < kFeatureReader && has_list) {
    return Contradiction(table, protocol, "lists reader features");
  }
  if (version < kFeatureReader) return {};
  if (!protocol.reader_features) {
    return Contradiction(table, protocol, "lists no reader features");
  }
  if (protocol.min_writer_version < kFeatureWriter) {
    return Contradiction(table, protocol,
                         "named reader features come with "
                         "writer version 7 only");
  }
  std::vector<std::string> lacking;
  for (const std::string& name : *protocol.reader_features) {
    const Feature* feature = FindFeature(name);
    if (feature == nullptr || !feature->readable) lacking.push_back(name);
  }
  if (lacking.empty()) return {};
  return Unsupported(kReaderCondition, table,
                     "the reader features " + Join(lacking));
}

Status CheckWritable(const Protocol& protocol, const Metadata& metadata,
                     std::string_view table) {
  BAYOU_TRY(CheckReadable(protocol, table));
  const int version = protocol.min_writer_version;
  if (version > kFeatureWriter) {
    return Unsupported(kWriterCondition, table, Versions(protocol));
  }
  if (version < 1) return Contradiction(table, protocol, "versions begin at 1");
  const bool has_list =
      protocol.writer_features && !protocol.writer_features->empty();
  if (version < kFeatureWriter && has_list) {
    return Contradiction(table, protocol, "lists writer features");
  }
  if (version == kFeatureWriter && !protocol.writer_features) {
    return Contradiction(table, protocol, "lists no writer features");
  }
  BAYOU_ASSIGN(const Schema schema, SchemaOf(metadata));
  const Use use{metadata, schema, TableProperties(metadata.configuration)};
  std::vector<std::string> lacking;
  for (const std::string& name : SupportedFeatures(protocol)) {
    const Feature* feature = FindFeature(name);
    if (feature == nullptr || !AppendsMayFollow(*feature, use)) {
      lacking.push_back(name);
    }
  }
  if (lacking.empty())
    return CheckIcebergCompat(protocol, metadata, schema, table);
  return Unsupported(kWriterCondition, table,
                     "the writer features " + Join(lacking));
}

Result<Protocol> ProtocolForNewTable(const Metadata& metadata) {
  BAYOU_ASSIGN(const Protocol requested,
               RequestedVersions(metadata.configuration));
  FeatureSet features;
  BAYOU_TRY(AddNamedFeatures(metadata.configuration, features));
  BAYOU_ASSIGN(const Schema schema, SchemaOf(metadata));
  AddUsedFeatures({metadata, schema, TableProperties(metadata.configuration)},
                  features);

  const bool by_name =
      requested.min_reader_version == kFeatureReader ||
      requested.min_writer_version == kFeatureWriter ||
      std::ranges::any_of(features, [](const Feature* feature) {
        return feature->writer_since == 0;
      });
  if (!by_name) return WithNumbers(requested, features);
  // Features that older version numbers would have brought are named too.
  const bool asked_for_names = requested.min_writer_version == kFeatureWriter;
  AddImpliedFeatures(asked_for_names ? Protocol{} : requested, features);
  return WithNames(requested.min_reader_version, features);
}

Result<std::optional<Protocol>> ProtocolForChangedTable(
    const Protocol& current, const Metadata& metadata) {
  BAYOU_ASSIGN(const auto versions,
               VersionsAskedFor(current, metadata.configuration));
  const auto [reader, writer] = versions;
  FeatureSet features;
  BAYOU_TRY(AddNamedFeatures(metadata.configuration, features));
  BAYOU_ASSIGN(const Schema schema, SchemaOf(metadata));
  AddUsedFeatures({metadata, schema, TableProperties(metadata.configuration)},
                  features);
  std::erase_if(features, [&](const Feature* feature) {
    return Supports(current, feature->name) ||
           Supports(current, std::string(feature->name) + "-preview");
  });
  if (features.empty() && reader == current.min_reader_version &&
      writer == current.min_writer_version) {
    return std::nullopt;
  }
  Protocol raised;
  raised.min_reader_version = reader;
  raised.min_writer_version = writer;
  const bool by_name =
      reader == kFeatureReader || writer == kFeatureWriter ||
      std::ranges::any_of(features, [](const Feature* feature) {
        return feature->writer_since == 0;
      });
  if (!by_name) return WithNumbers(raised, features);
  std::set<std::string> unknown;
  AddImpliedFeatures(current, features);
  AddListedFeatures(current, features, unknown);
  raised = WithNames(reader, features);
  raised.writer_features->insert(raised.writer_features->end(), unknown.begin(),
                                 unknown.end());
  return raised;
}

Protocol WithoutFeature(const Protocol& protocol, std::string_view feature) {
  FeatureSet features;
  std::set<std::string> unknown;
  AddImpliedFeatures(protocol, features);
  AddListedFeatures(protocol, features, unknown);
  features.erase(FindFeature(feature));
  // Without named reader features, the first readers can read the table again.
  constexpr int kFirstReader = 1;
  Protocol left = WithNames(kFirstReader, features);
  left.writer_features->insert(left.writer_features->end(), unknown.begin(),
                               unknown.end());
  return left;
}

}  // namespace bayou::protocol
