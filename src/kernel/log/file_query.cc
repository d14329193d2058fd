// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/file_query.h"

#include <fmt/format.h>

#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/exact_parquet.h"
#include "kernel/log/chunk_columns.h"
#include "kernel/log/kept_rows.h"

namespace bayou::log {
namespace {

using duckdb::DataChunk;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;

// A field of the column `add` or `remove` as SQL, NULL where the files do not
// have it.
class AddField {
 public:
  explicit AddField(const LogicalType& add, std::string column = "add")
      : add_(add), column_(std::move(column)) {}

  bool Has(std::string_view name) const {
    return FieldType(add_, name).id() != LogicalTypeId::INVALID;
  }
  std::string Sql(std::string_view name, const char* type) const {
    if (!Has(name)) return fmt::format("NULL::{}", type);
    return Cast(fmt::format("{}.{}", column_, engine::Identifier(name)),
                FieldType(add_, name), type);
  }
  // The fields of the deletion vector, one after the other.
  std::string VectorSql() const { return VectorFields("{1}"); }
  // The deletion vector as checkpoints have it, NULL where there is none.
  std::string VectorStructSql() const {
    return fmt::format("CASE WHEN {} IS NOT NULL THEN struct_pack({}) END",
                       Has("deletionVector")
                           ? column_ + ".\"deletionVector\".\"storageType\""
                           : "NULL",
                       VectorFields("\"{0}\" := {1}"));
  }
  std::string VectorFields(const char* pattern) const {
    const LogicalType vector = FieldType(add_, "deletionVector");
    std::string sql;
    for (const auto& [name, type] :
         {std::pair("storageType", "VARCHAR"),
          std::pair("pathOrInlineDv", "VARCHAR"),
          std::pair("offset", "INTEGER"), std::pair("sizeInBytes", "INTEGER"),
          std::pair("cardinality", "BIGINT")}) {
      if (!sql.empty()) sql += ", ";
      const LogicalType has = FieldType(vector, name);
      sql += fmt::format(
          fmt::runtime(pattern), name,
          has.id() == LogicalTypeId::INVALID
              ? fmt::format("NULL::{}", type)
              : Cast(fmt::format("{}.\"deletionVector\".\"{}\"", column_, name),
                     has, type));
    }
    return sql;
  }
  // Typed partition values stand in for the text form where that is missing.
  std::string PartitionSql() const {
    if (Has("partitionValues")) return Sql("partitionValues", kMap);
    const LogicalType parsed = FieldType(add_, "partitionValues_parsed");
    if (parsed.id() != LogicalTypeId::STRUCT)
      return fmt::format("NULL::{}", kMap);
    std::string keys;
    std::string values;
    for (const auto& [name, type] : duckdb::StructType::GetChildTypes(parsed)) {
      if (!keys.empty()) keys += ", ", values += ", ";
      keys += engine::Literal(name);
      values += fmt::format("add.partitionValues_parsed.{}::VARCHAR",
                            engine::Identifier(name));
    }
    return fmt::format("MAP([{}]::VARCHAR[], [{}]::VARCHAR[])", keys, values);
  }
  std::string StatsSql(bool has_json_stats) const {
    if (Has("stats") && (has_json_stats || !Has("stats_parsed"))) {
      return Sql("stats", "VARCHAR");
    }
    const LogicalType parsed = FieldType(add_, "stats_parsed");
    if (parsed.id() != LogicalTypeId::STRUCT) return "NULL::VARCHAR";
    return fmt::format(
        "CASE WHEN add.stats_parsed IS NOT NULL THEN to_json({})::VARCHAR END",
        JsonSql("add.stats_parsed", parsed));
  }

  static constexpr const char* kMap = "MAP(VARCHAR, VARCHAR)";

 private:
  // Typed statistics in the spellings that the protocol has for JSON.
  static std::string JsonSql(const std::string& sql, const LogicalType& type) {
    switch (type.id()) {
      case LogicalTypeId::TIMESTAMP_TZ:
        return fmt::format("strftime({}, '%Y-%m-%dT%H:%M:%S.%fZ')", sql);
      case LogicalTypeId::TIMESTAMP:
        return fmt::format("strftime({}, '%Y-%m-%dT%H:%M:%S.%f')", sql);
      case LogicalTypeId::FLOAT:
      case LogicalTypeId::DOUBLE:
        return fmt::format("CASE WHEN isfinite({0}) THEN {0} END", sql);
      case LogicalTypeId::STRUCT:
        break;
      default:
        return sql;
    }
    std::string fields;
    for (const auto& [name, child] : duckdb::StructType::GetChildTypes(type)) {
      if (!fields.empty()) fields += ", ";
      const std::string field = engine::Identifier(name);
      fields += field + " := " + JsonSql(sql + "." + field, child);
    }
    return "struct_pack(" + fields + ")";
  }

  // No cast where none is needed: it would hide the column from the reader.
  static std::string Cast(std::string sql, const LogicalType& has,
                          const char* type) {
    return has.ToString() == type ? sql : fmt::format("{}::{}", sql, type);
  }
  const LogicalType& add_;
  std::string column_;
};

std::string KeepSql(const AddField& add, const std::string& stats) {
  return fmt::format(
      "bayou_keep_file({}, {}, {}, {}, {}, {})", add.Sql("path", "VARCHAR"),
      add.PartitionSql(), add.Sql("size", "BIGINT"),
      add.Sql("modificationTime", "BIGINT"), add.VectorSql(), stats);
}

bool HasFiles(const CheckpointRelation& relation) {
  return FieldType(relation.add, "path").id() != LogicalTypeId::INVALID;
}

// All that `fields` asks for, and `more` columns behind it.
std::string SelectFiles(const CheckpointRelation& relation,
                        const FileFields& fields, const std::string& more,
                        const FileFilter& filter, bool has_json_stats) {
  if (!HasFiles(relation)) return {};
  const AddField add(relation.add);
  const std::string stats = add.StatsSql(has_json_stats);
  const auto optional = [&](bool wanted, const char* name, const char* type) {
    return wanted ? add.Sql(name, type) : fmt::format("NULL::{}", type);
  };
  const std::string fields_sql = fmt::format(
      "{}, {}, {}, {}, {}, {}, {}, {}, {}, {}{}", add.Sql("path", "VARCHAR"),
      add.PartitionSql(), add.Sql("size", "BIGINT"),
      add.Sql("modificationTime", "BIGINT"), add.VectorSql(),
      fields.stats ? stats : "NULL::VARCHAR",
      optional(fields.tags, "tags", AddField::kMap),
      optional(fields.tags, "clusteringProvider", "VARCHAR"),
      optional(fields.row_tracking, "baseRowId", "BIGINT"),
      optional(fields.row_tracking, "defaultRowCommitVersion", "BIGINT"), more);
  std::string condition = "add.path IS NOT NULL";
  if (!filter.IsTrivial()) {
    const bool needs_stats = filter.predicate && filter.predicate->NeedsStats();
    condition = KeepSql(add, needs_stats ? stats : "NULL::VARCHAR");
  }
  if (filter.predicate && !filter.rows) {
    const std::string weaker = filter.predicate->CheckpointFilter(relation.add);
    if (!weaker.empty()) condition += fmt::format(" AND ({})", weaker);
  }
  if (!filter.rows) {
    return fmt::format("SELECT {} FROM {} WHERE {}", fields_sql,
                       engine::ParquetRelation(relation.files), condition);
  }
  // DuckDB tests the rows' numbers inside of the scan, and reads the fields of
  // the rows that are left.
  std::string sql;
  for (const std::string& file : relation.files) {
    if (filter.rows->Of(file) == nullptr) continue;
    if (!sql.empty()) sql += " UNION ALL ";
    sql += fmt::format("SELECT {} FROM {} WHERE {} AND {}", fields_sql,
                       engine::ParquetRelation({{file}}), KeptRowSql(file),
                       condition);
  }
  return sql;
}

// `sql`, which has the type `has`, if that is the `wanted` one.
std::string TypedSql(const std::string& sql, const LogicalType& has,
                     const LogicalType& wanted) {
  if (wanted.id() == LogicalTypeId::INVALID) return "NULL";
  return has == wanted ? sql : "NULL::" + wanted.ToString();
}

}  // namespace

std::string FilesSql(const CheckpointRelation& relation,
                     const FileFields& fields, const FileFilter& filter,
                     bool has_json_stats) {
  return SelectFiles(relation, fields, "", filter, has_json_stats);
}

std::string TypedFilesSql(const CheckpointRelation& relation,
                          const TypedFields& typed, const FileFilter& filter,
                          bool has_json_stats) {
  const auto column = [&](const char* name, const LogicalType& wanted) {
    return TypedSql(fmt::format("add.\"{}\"", name),
                    FieldType(relation.add, name), wanted);
  };
  return SelectFiles(
      relation, {.stats = true, .tags = true, .row_tracking = true},
      fmt::format(", {} AS typed_stats, {} AS typed_partition",
                  column("stats_parsed", typed.statistics),
                  column("partitionValues_parsed", typed.partition)),
      filter, has_json_stats);
}

std::string NoTypedFieldsSql(const TypedFields& typed) {
  return fmt::format("{} AS typed_stats, {} AS typed_partition",
                     TypedSql("", LogicalType::INVALID, typed.statistics),
                     TypedSql("", LogicalType::INVALID, typed.partition));
}

std::string TotalsSql(const CheckpointRelation& relation,
                      const FileFilter& filter) {
  if (!HasFiles(relation)) return {};
  const AddField add(relation.add);
  std::string sql = fmt::format(
      "SELECT count(*) AS files, sum({0}) AS bytes FROM {1} WHERE ",
      add.Sql("size", "BIGINT"), engine::ParquetRelation(relation.files));
  // Without keys to compare, the short column will do.
  if (filter.touched->empty() && add.Has("size"))
    return sql + "add.size IS NOT NULL";
  if (filter.touched->empty()) return sql + "add.path IS NOT NULL";
  return sql + fmt::format("bayou_keep_file({}, NULL, NULL, NULL, {}, NULL)",
                           add.Sql("path", "VARCHAR"), add.VectorSql());
}

std::string TombstonesSql(const CheckpointRelation& relation,
                          std::int64_t cutoff_ms) {
  if (FieldType(relation.remove, "path").id() == LogicalTypeId::INVALID ||
      FieldType(relation.remove, "deletionTimestamp").id() ==
          LogicalTypeId::INVALID) {
    return {};
  }
  return fmt::format(
      "SELECT to_json(struct_pack(remove := remove))::VARCHAR FROM {} "
      "WHERE remove.path IS NOT NULL AND remove.deletionTimestamp > {}",
      engine::ParquetRelation(relation.files), cutoff_ms);
}

std::string RemovesSql(const CheckpointRelation& relation,
                       std::int64_t cutoff_ms, const FileFilter& filter) {
  const AddField remove(relation.remove, "remove");
  if (!remove.Has("path") || !remove.Has("deletionTimestamp")) return {};
  std::string sql = fmt::format(
      "SELECT struct_pack(\"path\" := {}, \"deletionTimestamp\" := {}, "
      "\"dataChange\" := "
      "false, \"extendedFileMetadata\" := {}, \"partitionValues\" := {}, "
      "\"size\" := {}, "
      "\"deletionVector\" := {}, \"baseRowId\" := {}, "
      "\"defaultRowCommitVersion\" := {}) "
      "AS remove FROM {} WHERE remove.path IS NOT NULL AND "
      "remove.deletionTimestamp > {}",
      remove.Sql("path", "VARCHAR"), remove.Sql("deletionTimestamp", "BIGINT"),
      remove.Sql("extendedFileMetadata", "BOOLEAN"),
      remove.Sql("partitionValues", AddField::kMap),
      remove.Sql("size", "BIGINT"), remove.VectorStructSql(),
      remove.Sql("baseRowId", "BIGINT"),
      remove.Sql("defaultRowCommitVersion", "BIGINT"),
      engine::ParquetRelation(relation.files), cutoff_ms);
  if (!filter.touched->empty()) {
    sql += fmt::format(" AND bayou_keep_file({}, NULL, NULL, NULL, {}, NULL)",
                       remove.Sql("path", "VARCHAR"), remove.VectorSql());
  }
  return sql;
}

Result<bool> HasJsonStats(duckdb::DatabaseInstance& database,
                          const CheckpointRelation& relation) {
  const AddField add(relation.add);
  if (!add.Has("stats")) return false;
  if (!add.Has("stats_parsed")) return true;
  const auto connection = engine::Connect(database);
  const auto found = engine::Run(
      *connection,
      fmt::format("SELECT 1 FROM {} WHERE add.stats IS NOT NULL LIMIT 1",
                  engine::ParquetRelation(relation.files)));
  if (!found) return tl::unexpected(Unreadable(relation.files, found.error()));
  return (*found)->RowCount() == 1;
}

void ReadRows(DataChunk& chunk, std::vector<protocol::AddFile>& batch) {
  const idx_t count = chunk.size();
  const Column path(chunk.data[0], count);
  const MapColumn partition(chunk.data[1], count);
  const Column size(chunk.data[2], count);
  const Column modified(chunk.data[3], count);
  const VectorColumns vector(chunk, 4, count);
  const Column stats(chunk.data[9], count);
  const MapColumn tags(chunk.data[10], count);
  const Column clustering(chunk.data[11], count);
  const Column base_row_id(chunk.data[12], count);
  const Column row_commit_version(chunk.data[13], count);
  batch.reserve(batch.size() + count);
  for (idx_t row = 0; row < count; ++row) {
    protocol::AddFile& file = batch.emplace_back();
    file.path = path.Text(row);
    partition.ForEach(row, [&](std::string_view key, std::string_view value) {
      auto& stored = file.partition_values[std::string(key)];
      if (value.data() != nullptr) stored = value;
    });
    file.size = size.Optional<std::int64_t>(row).value_or(0);
    file.modification_time = modified.Optional<std::int64_t>(row).value_or(0);
    file.deletion_vector = vector.At(row);
    if (!stats.IsNull(row)) file.stats = stats.Text(row);
    tags.ForEach(row, [&](std::string_view key, std::string_view value) {
      auto& stored = file.tags[std::string(key)];
      if (value.data() != nullptr) stored = value;
    });
    if (!clustering.IsNull(row))
      file.clustering_provider = clustering.Text(row);
    file.base_row_id = base_row_id.Optional<std::int64_t>(row);
    file.default_row_commit_version =
        row_commit_version.Optional<std::int64_t>(row);
  }
}

}  // namespace bayou::log
