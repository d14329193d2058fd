// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/checkpoint_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "kernel/engine/engine.h"
#include "kernel/engine/exact_parquet.h"
#include "kernel/log/checkpoint.h"
#include "kernel/log/checkpoint_part.h"
#include "kernel/log/file_query.h"
#include "kernel/log/log_tail.h"
#include "kernel/log/tail_relation.h"
#include "kernel/protocol/table_features.h"

namespace bayou::table {
namespace {

log::TypedColumns ColumnsOf(const Snapshot& snapshot) {
  log::TypedColumns columns;
  columns.tight_bounds =
      protocol::Supports(snapshot.protocol(), "deletionVectors");
  std::vector<std::size_t> positions;
  const auto& fields = snapshot.schema().fields;
  for (const std::string& name : snapshot.metadata().partition_columns) {
    const protocol::Field* field = snapshot.schema().Find(name);
    positions.push_back(static_cast<std::size_t>(field - fields.data()));
    columns.partition.push_back(*field);
  }
  // A property that names no column chooses none: files stay readable without
  // typed statistics, a table without checkpoints does not.
  if (auto chosen = protocol::ChooseStatisticsColumns(
          snapshot.schema(), positions, snapshot.properties())) {
    columns.statistics = *std::move(chosen);
  }
  return columns;
}

// A field of file actions, and the feature without which nobody writes it.
struct FeatureField {
  const char* name;
  const char* leaf;  // Of it, never NULL where it is there.
  const char* feature;
  bool (*in_add)(const protocol::AddFile&);
  bool (*in_remove)(const protocol::RemoveFile&);
};
constexpr FeatureField kVectors = {
    "deletionVector", "deletionVector.\"storageType\"", "deletionVectors",
    [](const auto& add) { return add.deletion_vector.has_value(); },
    [](const auto& remove) { return remove.deletion_vector.has_value(); }};
constexpr FeatureField kRowIds = {
    "baseRowId", "\"baseRowId\"", "rowTracking",
    [](const auto& add) { return add.base_row_id.has_value(); },
    [](const auto& remove) { return remove.base_row_id.has_value(); }};
constexpr FeatureField kClustering = {
    "clusteringProvider", "\"clusteringProvider\"", "clustering",
    [](const auto& add) { return add.clustering_provider.has_value(); },
    [](const auto&) { return false; }};

bool IsInTail(const log::LogTail& tail, const FeatureField& field) {
  return std::ranges::any_of(tail.adds, field.in_add) ||
         std::ranges::any_of(tail.removes, field.in_remove);
}

// Whether some row of `relation` has it in its column `action`.
Result<bool> IsInColumn(duckdb::Connection& connection,
                        const log::CheckpointRelation& relation,
                        const char* action, const duckdb::LogicalType& type,
                        const FeatureField& field) {
  if (log::FieldType(type, field.name).id() == duckdb::LogicalTypeId::INVALID) {
    return false;
  }
  BAYOU_ASSIGN(
      const auto found,
      engine::Run(
          connection,
          fmt::format("SELECT 1 FROM {} WHERE {}.{} IS NOT NULL LIMIT 1",
                      engine::ParquetRelation(relation.files), action,
                      field.leaf)));
  return found->RowCount() == 1;
}

// A table without the feature has no such field, but a field that is there all
// the same is not lost.
Result<bool> MayHave(const Snapshot& snapshot, duckdb::Connection& connection,
                     const FeatureField& field) {
  if (protocol::Supports(snapshot.protocol(), field.feature)) return true;
  if (IsInTail(snapshot.state().tail(), field)) return true;
  for (const log::CheckpointRelation& relation : snapshot.state().relations()) {
    BAYOU_ASSIGN(bool found,
                 IsInColumn(connection, relation, "add", relation.add, field));
    if (!found) {
      BAYOU_ASSIGN(found, IsInColumn(connection, relation, "remove",
                                     relation.remove, field));
    }
    if (found) return true;
  }
  return false;
}

// `fields` as arguments of struct_pack(), from columns or fields under `from`.
std::string Names(std::string_view from,
                  std::initializer_list<const char*> fields) {
  std::string sql;
  for (const char* field : fields) {
    sql += fmt::format("{}\"{}\" := {}\"{}\"", sql.empty() ? "" : ", ", field,
                       from, field);
  }
  return sql;
}

}  // namespace

CheckpointQuery::CheckpointQuery(const Snapshot& snapshot,
                                 duckdb::DatabaseInstance& database,
                                 std::int64_t tombstone_cutoff_ms)
    : snapshot_(snapshot),
      database_(database),
      tombstone_cutoff_ms_(tombstone_cutoff_ms),
      columns_(ColumnsOf(snapshot)),
      relations_(snapshot.state().relations()) {}

void CheckpointQuery::LeaveOut(const std::set<std::string>& files) {
  for (log::CheckpointRelation& relation : relations_) {
    std::erase_if(relation.files, [&](const std::string& file) {
      return files.contains(file);
    });
  }
  std::erase_if(relations_, [](const log::CheckpointRelation& relation) {
    return relation.files.empty();
  });
}

std::unique_ptr<duckdb::Connection> CheckpointQuery::Connect() const {
  auto connection = log::ConnectFor(database_, Filter());
  log::UseState(*connection, {.state = snapshot_.shared_state(),
                              .tombstone_cutoff_ms = tombstone_cutoff_ms_});
  log::UseTypedColumns(*connection, columns_);
  return connection;
}

log::FileFilter CheckpointQuery::Filter() const {
  return {nullptr, snapshot_.state().touched(), nullptr};
}

Result<CheckpointQuery::OptionalFields> CheckpointQuery::Fields() const {
  const auto connection = engine::Connect(database_);
  OptionalFields fields;
  BAYOU_ASSIGN(fields.deletion_vectors,
               MayHave(snapshot_, *connection, kVectors));
  BAYOU_ASSIGN(fields.row_ids, MayHave(snapshot_, *connection, kRowIds));
  BAYOU_ASSIGN(fields.clustering, MayHave(snapshot_, *connection, kClustering));
  return fields;
}

Result<CheckpointQuery::Types> CheckpointQuery::FileTypes() const {
  BAYOU_ASSIGN(const std::string sql, FilesSql());
  const auto connection = Connect();
  const auto statement = connection->Prepare(sql);
  if (statement->HasError()) {
    return tl::unexpected(engine::FromDuckDB(statement->GetErrorObject()));
  }
  return Types{statement->GetTypes()[0], statement->GetTypes()[1]};
}

const char* CheckpointQuery::DomainColumn() const {
  return snapshot_.state().domains().empty() ? "" : ", \"domainMetadata\"";
}

Result<std::string> CheckpointQuery::PartSql(int part, int parts) const {
  log::RegisterCheckpointPart(database_);
  BAYOU_ASSIGN(const std::string files, FilesSql());
  std::string vector = "NULL";
  if (protocol::Supports(snapshot_.protocol(), kVectors.feature)) {
    constexpr const char* kId =
        "{0}.\"deletionVector\".\"storageType\" || "
        "{0}.\"deletionVector\".\"pathOrInlineDv\" || "
        "coalesce('@' || {0}.\"deletionVector\".\"offset\", '')";
    vector = fmt::format("coalesce({}, {})", fmt::format(kId, "add"),
                         fmt::format(kId, "remove"));
  }
  return fmt::format(
      "SELECT add, remove FROM ({}) WHERE bayou_checkpoint_part("
      "coalesce(add.path, remove.path), {}, {}) = {}",
      files, vector, parts, part);
}

std::string CheckpointQuery::AllSql(const std::string& files,
                                    bool with_others) const {
  const char* domain = DomainColumn();
  return fmt::format(
      "SELECT txn, NULL AS add, NULL AS remove, \"metaData\", protocol{} "
      "FROM bayou_small_actions(){} UNION ALL "
      "SELECT NULL, add, remove, NULL, NULL{} FROM ({})",
      domain, with_others ? "" : " WHERE false", *domain == 0 ? "" : ", NULL",
      files);
}

Result<std::string> CheckpointQuery::ManifestSql(
    Version version, const protocol::StringMap& tags,
    const std::vector<protocol::Sidecar>& sidecars) const {
  std::string entries;
  for (const auto& [key, value] : tags) {
    entries += fmt::format("{}{}: {}", entries.empty() ? "" : ", ",
                           engine::Literal(key), engine::Literal(value));
  }
  BAYOU_ASSIGN(const std::string files, FilesSql());
  std::string sql = fmt::format(
      "SELECT txn, \"metaData\", protocol{}, NULL::STRUCT(\"path\" VARCHAR, "
      "\"sizeInBytes\" BIGINT, \"modificationTime\" BIGINT) AS sidecar "
      "FROM bayou_small_actions() UNION ALL BY NAME SELECT struct_pack("
      "\"version\" := {}::BIGINT, \"tags\" := MAP {{{}}}) AS "
      "\"checkpointMetadata\" UNION ALL BY NAME SELECT add, remove FROM ({}) "
      "WHERE false",
      DomainColumn(), version, entries, files);
  if (sidecars.empty()) return sql;
  std::string list;
  for (const protocol::Sidecar& sidecar : sidecars) {
    list += fmt::format(
        "{}struct_pack(\"path\" := {}, \"sizeInBytes\" := {}::BIGINT, "
        "\"modificationTime\" := {}::BIGINT)",
        list.empty() ? "" : ", ", engine::Literal(sidecar.path),
        sidecar.size_in_bytes, sidecar.modification_time);
  }
  return sql + " UNION ALL BY NAME SELECT unnest([" + list + "]) AS sidecar";
}

Result<std::string> CheckpointQuery::FilesSql() const {
  BAYOU_ASSIGN(const OptionalFields fields, Fields());
  BAYOU_ASSIGN(const std::string live, LiveSql());
  std::string add =
      "\"path\" := path, \"partitionValues\" := partition_values, \"size\" := "
      "size, \"modificationTime\" := modification_time, \"dataChange\" := "
      "false, \"tags\" := tags";
  std::string remove =
      Names("remove.", {"path", "deletionTimestamp", "dataChange",
                        "extendedFileMetadata", "partitionValues", "size"});
  if (fields.deletion_vectors) {
    add +=
        ", \"deletionVector\" := CASE WHEN vector_type IS NOT NULL THEN "
        "struct_pack(\"storageType\" := vector_type, \"pathOrInlineDv\" := "
        "vector_path, \"offset\" := vector_offset, \"sizeInBytes\" := "
        "vector_size, \"cardinality\" := vector_cardinality) END";
    remove += ", " + Names("remove.", {"deletionVector"});
  }
  if (fields.row_ids) {
    add +=
        ", \"baseRowId\" := base_row_id, \"defaultRowCommitVersion\" := "
        "default_row_commit_version";
    remove += ", " + Names("remove.", {"baseRowId", "defaultRowCommitVersion"});
  }
  if (fields.clustering) {
    add += ", \"clusteringProvider\" := clustering_provider";
  }
  return fmt::format(
      "SELECT struct_pack({}{}) AS add, NULL AS remove FROM ({}) AS live(path, "
      "partition_values, size, modification_time, vector_type, vector_path, "
      "vector_offset, vector_size, vector_cardinality, stats, tags, "
      "clustering_provider, base_row_id, default_row_commit_version, "
      "typed_stats, typed_partition) UNION ALL "
      "SELECT NULL, struct_pack({}) FROM ({})",
      add, StatisticsFields(), live, remove, TombstonesSql());
}

std::string CheckpointQuery::StatisticsFields() const {
  const protocol::TableProperties properties = snapshot_.properties();
  std::string sql;
  if (properties.checkpoint_stats_as_json()) sql += ", \"stats\" := stats";
  if (!properties.checkpoint_stats_as_struct()) return sql;
  if (!columns_.partition.empty()) {
    sql +=
        ", \"partitionValues_parsed\" := "
        "coalesce(typed_partition, bayou_partition(partition_values))";
  }
  return sql +
         ", \"stats_parsed\" := coalesce(typed_stats, bayou_stats(stats))";
}

// The relations come first: the order of their rows stays what it was.
Result<std::string> CheckpointQuery::LiveSql() const {
  const log::TypedFields typed{log::StatisticsType(columns_),
                               log::PartitionType(columns_)};
  std::string sql;
  for (const log::CheckpointRelation& relation : relations_) {
    BAYOU_ASSIGN(const bool has_json, log::HasJsonStats(database_, relation));
    const std::string older =
        log::TypedFilesSql(relation, typed, Filter(), has_json);
    if (!older.empty()) sql += older + " UNION ALL ";
  }
  return sql + fmt::format("SELECT *, {} FROM bayou_tail_adds()",
                           log::NoTypedFieldsSql(typed));
}

std::string CheckpointQuery::TombstonesSql() const {
  std::string sql;
  for (const log::CheckpointRelation& relation : relations_) {
    const std::string older =
        log::RemovesSql(relation, tombstone_cutoff_ms_, Filter());
    if (!older.empty()) sql += older + " UNION ALL ";
  }
  return sql + "SELECT * FROM bayou_tail_removes()";
}

}  // namespace bayou::table
