// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/create_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"
#include "kernel/protocol/manifest_property.h"
#include "kernel/protocol/table_features.h"
#include "kernel/protocol/table_properties.h"
#include "kernel/store/location.h"
#include "kernel/table/snapshot.h"
#include "kernel/write/file_layout.h"
#include "ops/commands/clustering.h"
#include "ops/commands/column_mapper.h"
#include "ops/commands/kept_properties.h"
#include "ops/commands/live_files.h"
#include "ops/commands/row_tracking_columns.h"
#include "ops/commands/table_columns.h"
#include "ops/commands/table_place.h"

namespace bayou::commands {
namespace {

using protocol::Metadata;
using protocol::Schema;
using protocol::StringMap;

constexpr std::string_view kFeaturePrefix = "delta.feature.";

void DropPseudoProperties(StringMap& configuration) {
  std::erase_if(configuration, [](const auto& property) {
    return property.first.starts_with(kFeaturePrefix) ||
           property.first == "delta.minReaderVersion" ||
           property.first == "delta.minWriterVersion" ||
           property.first == "delta.ignoreProtocolDefaults";
  });
}

struct NewTable {
  Metadata metadata;
  protocol::Protocol protocol;
  ClusteringPaths clustering;  // Physical.
};

// `base`: the table that is replaced, or null. Its commits stay, and with them
// what tells how to read them; in-commit timestamps end when that is asked for.
StringMap ConfigurationOf(const TableDefinition& definition,
                          const table::Snapshot* base) {
  StringMap configuration = definition.properties;
  if (base == nullptr) return configuration;
  KeepProperties(base->metadata().configuration, configuration);
  const auto asked = definition.properties.find(kInCommitTimestamps);
  if (asked != definition.properties.end())
    configuration[asked->first] = asked->second;
  return configuration;
}

// `base`: the table that is replaced, or null.
Result<NewTable> Define(const TableDefinition& definition,
                        const std::string& location,
                        const table::Snapshot* base, Env& env) {
  Schema schema{definition.columns};
  BAYOU_TRY(CheckColumns(schema, definition.partition_columns));

  NewTable table;
  Metadata& metadata = table.metadata;
  metadata.id = NewUuid(env);
  metadata.description = definition.comment;
  metadata.created_time = env.NowMs();
  metadata.partition_columns =
      NamesInSchema(schema, definition.partition_columns);
  metadata.configuration = ConfigurationOf(definition, base);
  const protocol::TableProperties properties(metadata.configuration);
  if (properties.column_mapping_mode() == protocol::ColumnMappingMode::kNone) {
    BAYOU_TRY(CheckUnmappedNames(schema.fields));
  } else {
    // No id comes twice in the history of a table.
    const std::int64_t last_id =
        base != nullptr ? LastColumnId(base->metadata(), base->schema()) : 0;
    ColumnMapper mapper(env, ColumnMapper::Names::kNew, last_id,
                        IdentifiesElements(metadata));
    BAYOU_TRY(mapper.Map(schema.fields));
    metadata.configuration["delta.columnMapping.maxColumnId"] =
        std::to_string(mapper.last_id());
  }
  if (properties.row_tracking()) {
    NameRowTrackingColumns(metadata.configuration, env);
  }
  for (const auto& [name, condition] : definition.constraints) {
    metadata.configuration["delta.constraints." + name] = condition;
  }
  BAYOU_ASSIGN(table.clustering, PhysicalClusteringColumns(
                                     metadata, schema, definition.cluster_by));
  if (!table.clustering.empty()) {
    metadata.configuration["delta.feature.clustering"] = "supported";
  }
  metadata.schema_string = protocol::SchemaToJson(schema);
  // No table that we would refuse to open again.
  BAYOU_TRY(protocol::ParseSchema(metadata.schema_string));
  if (base == nullptr) {
    BAYOU_ASSIGN(table.protocol, protocol::ProtocolForNewTable(metadata));
  } else {
    BAYOU_ASSIGN(auto raised,
                 protocol::ProtocolForChangedTable(base->protocol(), metadata));
    table.protocol = raised ? *raised : base->protocol();
  }
  DropPseudoProperties(metadata.configuration);
  BAYOU_TRY(protocol::CheckWritable(table.protocol, metadata, location));
  BAYOU_TRY(protocol::CheckManifestProperty(nullptr, metadata, location));
  BAYOU_TRY(write::PlanFileLayout(table.protocol, metadata, schema));
  return table;
}

Status RemoveAllFiles(transaction::Transaction& transaction) {
  return VisitFiles(*transaction.base(), kAllFields,
                    [&](const protocol::AddFile& file) -> Status {
                      transaction.RemoveFile(file);
                      return {};
                    });
}

}  // namespace

Result<transaction::Transaction> CreateTable(const std::string& location,
                                             const TableDefinition& definition,
                                             Env& env) {
  BAYOU_TRY(CheckPlaceForTable(location));
  return CreateTableAround(location, definition, env);
}

Result<transaction::Transaction> CreateTableAround(
    const std::string& location, const TableDefinition& definition, Env& env) {
  BAYOU_ASSIGN(NewTable table, Define(definition, location, nullptr, env));
  auto transaction = transaction::Transaction::Create(
      store::OpenStore(location), std::move(table.protocol),
      std::move(table.metadata), env);
  if (!table.clustering.empty())
    transaction.SetDomain(ClusteringDomain(table.clustering));
  return transaction;
}

Result<transaction::Transaction> ReplaceTable(
    const std::shared_ptr<const table::Snapshot>& base,
    const TableDefinition& definition, Env& env) {
  BAYOU_ASSIGN(NewTable table,
               Define(definition, base->location(), base.get(), env));
  const auto& domains = base->state().domains();
  const auto clustering = domains.find(std::string(kClusteringDomain));
  BAYOU_ASSIGN(auto transaction, transaction::Transaction::On(base, env));
  transaction.ReadWholeTable();
  transaction.SetProtocol(std::move(table.protocol));
  transaction.SetMetadata(std::move(table.metadata));
  if (!table.clustering.empty()) {
    transaction.SetDomain(ClusteringDomain(table.clustering));
  } else if (clustering != domains.end()) {
    protocol::DomainMetadata removed = clustering->second;
    removed.removed = true;
    transaction.SetDomain(std::move(removed));
  }
  BAYOU_TRY(RemoveAllFiles(transaction));
  return transaction;
}

void MarkPlace(const std::string& location) {
  std::error_code ignored;  // Writing to it will say more.
  std::filesystem::create_directories(JoinPath(location, log::kLogFolder),
                                      ignored);
}

void RemoveEmptyFolders(const std::string& location) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<fs::path> folders = {location};
  for (fs::recursive_directory_iterator entry(location, ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    if (entry->is_directory(ignored) && !entry->is_symlink(ignored)) {
      folders.push_back(entry->path());
    }
  }
  // Deepest first; a folder that is not empty is not removed.
  for (; !folders.empty(); folders.pop_back()) {
    std::error_code not_empty;
    fs::remove(folders.back(), not_empty);
  }
}

transaction::Operation CreateTableOperation(
    const transaction::Transaction& transaction, bool as_select,
    const TableDefinition& definition) {
  const Metadata& metadata = transaction.metadata();
  std::vector<std::string> cluster_by;
  for (const auto& path : definition.cluster_by) {
    std::string& text = cluster_by.emplace_back();
    for (const std::string& name : path) {
      text += (text.empty() ? "" : ".") + name;
    }
  }
  transaction::Operation operation;
  operation.name =
      std::string(transaction.creates_table() ? "CREATE TABLE"
                                              : "CREATE OR REPLACE TABLE") +
      (as_select ? " AS SELECT" : "");
  operation.parameters = {
      {"partitionBy", transaction::ListParameter(metadata.partition_columns)},
      {"clusterBy", transaction::ListParameter(cluster_by)},
      {"description", metadata.description
                          ? transaction::TextParameter(*metadata.description)
                          : "null"},
      {"isManaged", transaction::TextParameter("false")},
      {"properties", transaction::MapParameter(metadata.configuration)},
  };
  return operation;
}

}  // namespace bayou::commands
