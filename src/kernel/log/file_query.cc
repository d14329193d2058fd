// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/file_query.h"

#include <duckdb/common/vector_operations/vector_operations.hpp>
#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/main/client_context_state.hpp>
#include <duckdb/main/extension/extension_loader.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <fmt/format.h>

#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/exact_parquet.h"

namespace bayou::log {
namespace {

using duckdb::DataChunk;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::UnifiedVectorFormat;
using duckdb::Vector;

constexpr const char* kKeepFunction = "bayou_keep_file";
constexpr const char* kFilterState = "bayou_file_filter";

// The filter of a connection's queries.
struct FilterState final : duckdb::ClientContextState {
  explicit FilterState(FileFilter the_filter) : filter(std::move(the_filter)) {}
  FileFilter filter;
};

struct KeepBindData final : duckdb::FunctionData {
  explicit KeepBindData(duckdb::shared_ptr<FilterState> the_state)
      : state(std::move(the_state)) {}
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<KeepBindData>(state);
  }
  bool Equals(const duckdb::FunctionData& other) const override {
    return state == other.Cast<KeepBindData>().state;
  }
  duckdb::shared_ptr<FilterState> state;
};

// A column of a chunk, whatever its vector's form.
class Column {
 public:
  Column(Vector& vector, idx_t count) { vector.ToUnifiedFormat(count, format_); }

  bool IsNull(idx_t row) const {
    return !format_.validity.RowIsValid(format_.sel->get_index(row));
  }
  template <typename T>
  const T& At(idx_t row) const {
    return UnifiedVectorFormat::GetData<T>(format_)[format_.sel->get_index(row)];
  }
  // Empty for NULL.
  std::string_view Text(idx_t row) const {
    if (IsNull(row)) return {};
    const auto& text = At<duckdb::string_t>(row);
    return {text.GetData(), text.GetSize()};
  }
  template <typename T>
  std::optional<T> Optional(idx_t row) const {
    if (IsNull(row)) return std::nullopt;
    return At<T>(row);
  }

 private:
  UnifiedVectorFormat format_;
};

// A MAP(VARCHAR, VARCHAR) column.
class MapColumn {
 public:
  MapColumn(Vector& vector, idx_t count)
      : lists_(vector, count),
        keys_(duckdb::MapVector::GetKeys(vector), duckdb::ListVector::GetListSize(vector)),
        values_(duckdb::MapVector::GetValues(vector),
                duckdb::ListVector::GetListSize(vector)) {}

  // Calls visit(key, value) for each entry; the value of a NULL has no data().
  template <typename Visit>
  void ForEach(idx_t row, Visit&& visit) const {
    if (lists_.IsNull(row)) return;
    const auto& list = lists_.At<duckdb::list_entry_t>(row);
    for (idx_t i = list.offset; i < list.offset + list.length; ++i) {
      visit(keys_.Text(i), values_.IsNull(i) ? std::string_view() : Present(values_.Text(i)));
    }
  }

 private:
  // An empty text that is not NULL.
  static std::string_view Present(std::string_view text) {
    return text.data() == nullptr ? std::string_view("") : text;
  }
  Column lists_;
  Column keys_;
  Column values_;
};

// The deletion vector's columns, as FilesSql gives them.
struct VectorColumns {
  VectorColumns(DataChunk& chunk, idx_t first, idx_t count)
      : type(chunk.data[first], count),
        path(chunk.data[first + 1], count),
        offset(chunk.data[first + 2], count),
        size(chunk.data[first + 3], count),
        cardinality(chunk.data[first + 4], count) {}

  std::optional<protocol::DeletionVectorDescriptor> At(idx_t row) const {
    const std::string_view text = type.Text(row);
    if (text.empty()) return std::nullopt;
    return protocol::DeletionVectorDescriptor{
        .storage_type = text.front(),
        .path_or_inline_dv = std::string(path.Text(row)),
        .offset = offset.Optional<std::int32_t>(row),
        .size_in_bytes = size.Optional<std::int32_t>(row).value_or(0),
        .cardinality = cardinality.Optional<std::int64_t>(row).value_or(0)};
  }

  Column type, path, offset, size, cardinality;
};

// bayou_keep_file(path, partitionValues, size, modificationTime,
//                 <deletion vector: 5 columns>, stats)
//
// False for rows without a path, which are other actions. So a query that calls
// it needs no `add.path IS NOT NULL`, which would cost as much as the path.
void KeepFile(DataChunk& args, duckdb::ExpressionState& state, Vector& result) {
  const auto& bind_data = state.expr.Cast<duckdb::BoundFunctionExpression>()
                              .bind_info->Cast<KeepBindData>();
  const FileFilter& filter = bind_data.state->filter;
  const idx_t count = args.size();
  const Column path(args.data[0], count);
  const MapColumn partition(args.data[1], count);
  const Column size(args.data[2], count);
  const Column modified(args.data[3], count);
  const VectorColumns vector(args, 4, count);
  const Column stats(args.data[9], count);

  std::vector<std::pair<std::string_view, std::string_view>> values;
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  bool* keep = duckdb::FlatVector::GetData<bool>(result);
  for (idx_t row = 0; row < count; ++row) {
    const auto descriptor = vector.At(row);
    keep[row] = !path.IsNull(row) && !filter.touched->Contains(path.Text(row), descriptor);
    if (!keep[row] || !filter.predicate) continue;
    values.clear();
    partition.ForEach(row, [&](auto key, auto value) { values.emplace_back(key, value); });
    keep[row] = filter.predicate->Keep(
        {.path = path.Text(row),
         .partition_values = values,
         .stats = stats.Text(row),
         .has_deletion_vector = descriptor.has_value(),
         .size = size.Optional<std::int64_t>(row).value_or(0),
         .modification_time = modified.Optional<std::int64_t>(row).value_or(0)});
  }
}

duckdb::unique_ptr<duckdb::FunctionData> BindKeepFile(
    duckdb::ClientContext& context, duckdb::ScalarFunction&,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>&) {
  auto state = context.registered_state->Get<FilterState>(kFilterState);
  if (!state) {
    throw duckdb::BinderException("%s is internal to Bayou", kKeepFunction);
  }
  return duckdb::make_uniq<KeepBindData>(std::move(state));
}

void RegisterKeepFile(duckdb::DatabaseInstance& database) {
  duckdb::ExtensionLoader loader(database, "bayou");
  if (loader.TryGetFunction(kKeepFunction)) return;
  const LogicalType map = LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR);
  duckdb::ScalarFunction function(
      kKeepFunction,
      {LogicalType::VARCHAR, map, LogicalType::BIGINT, LogicalType::BIGINT,
       LogicalType::VARCHAR, LogicalType::VARCHAR, LogicalType::INTEGER,
       LogicalType::INTEGER, LogicalType::BIGINT, LogicalType::VARCHAR},
      LogicalType::BOOLEAN, KeepFile, BindKeepFile);
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(function);
}

// A field of the column `add` or `remove` as SQL, NULL where the files do not have
// it.
class AddField {
 public:
  explicit AddField(const LogicalType& add, std::string column = "add")
      : add_(add), column_(std::move(column)) {}

  bool Has(std::string_view name) const {
    return FieldType(add_, name).id() != LogicalTypeId::INVALID;
  }
  std::string Sql(std::string_view name, const char* type) const {
    if (!Has(name)) return fmt::format("NULL::{}", type);
    return Cast(fmt::format("{}.{}", column_, engine::Identifier(name)), FieldType(add_, name), type);
  }
  // The fields of the deletion vector, one after the other.
  std::string VectorSql() const { return VectorFields("{1}"); }
  // The deletion vector as checkpoints have it, NULL where there is none.
  std::string VectorStructSql() const {
    return fmt::format(
        "CASE WHEN {} IS NOT NULL THEN struct_pack({}) END",
        Has("deletionVector") ? column_ + ".\"deletionVector\".\"storageType\"" : "NULL",
        VectorFields("\"{0}\" := {1}"));
  }
  std::string VectorFields(const char* pattern) const {
    const LogicalType vector = FieldType(add_, "deletionVector");
    std::string sql;
    for (const auto& [name, type] :
         {std::pair("storageType", "VARCHAR"), std::pair("pathOrInlineDv", "VARCHAR"),
          std::pair("offset", "INTEGER"), std::pair("sizeInBytes", "INTEGER"),
          std::pair("cardinality", "BIGINT")}) {
      if (!sql.empty()) sql += ", ";
      const LogicalType has = FieldType(vector, name);
      sql += fmt::format(
          fmt::runtime(pattern), name,
          has.id() == LogicalTypeId::INVALID
              ? fmt::format("NULL::{}", type)
              : Cast(fmt::format("{}.\"deletionVector\".\"{}\"", column_, name), has, type));
    }
    return sql;
  }
  // Typed partition values stand in for the text form where that is missing.
  std::string PartitionSql() const {
    if (Has("partitionValues")) return Sql("partitionValues", kMap);
    const LogicalType parsed = FieldType(add_, "partitionValues_parsed");
    if (parsed.id() != LogicalTypeId::STRUCT) return fmt::format("NULL::{}", kMap);
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
  static std::string Cast(std::string sql, const LogicalType& has, const char* type) {
    return has.ToString() == type ? sql : fmt::format("{}::{}", sql, type);
  }
  const LogicalType& add_;
  std::string column_;
};

std::string KeepSql(const AddField& add, const std::string& stats) {
  return fmt::format("{}({}, {}, {}, {}, {}, {})", kKeepFunction, add.Sql("path", "VARCHAR"),
                     add.PartitionSql(), add.Sql("size", "BIGINT"),
                     add.Sql("modificationTime", "BIGINT"), add.VectorSql(), stats);
}

bool HasFiles(const CheckpointRelation& relation) {
  return FieldType(relation.add, "path").id() != LogicalTypeId::INVALID;
}

}  // namespace

std::unique_ptr<duckdb::Connection> ConnectFor(duckdb::DatabaseInstance& database,
                                               FileFilter filter) {
  RegisterKeepFile(database);
  auto connection = engine::Connect(database);
  connection->context->registered_state->Insert(
      kFilterState, duckdb::make_shared_ptr<FilterState>(std::move(filter)));
  return connection;
}

std::string FilesSql(const CheckpointRelation& relation, const FileFields& fields,
                     const FileFilter& filter, bool has_json_stats) {
  if (!HasFiles(relation)) return {};
  const AddField add(relation.add);
  const std::string stats = add.StatsSql(has_json_stats);
  const auto optional = [&](bool wanted, const char* name, const char* type) {
    return wanted ? add.Sql(name, type) : fmt::format("NULL::{}", type);
  };
  std::string sql = fmt::format(
      "SELECT {}, {}, {}, {}, {}, {}, {}, {}, {}, {} FROM {} WHERE {}",
      add.Sql("path", "VARCHAR"), add.PartitionSql(), add.Sql("size", "BIGINT"),
      add.Sql("modificationTime", "BIGINT"), add.VectorSql(),
      fields.stats ? stats : "NULL::VARCHAR", optional(fields.tags, "tags", AddField::kMap),
      optional(fields.tags, "clusteringProvider", "VARCHAR"),
      optional(fields.row_tracking, "baseRowId", "BIGINT"),
      optional(fields.row_tracking, "defaultRowCommitVersion", "BIGINT"),
      engine::ParquetRelation(relation.files),
      filter.IsTrivial() ? "add.path IS NOT NULL"
                         : KeepSql(add, filter.predicate && filter.predicate->NeedsStats()
                                            ? stats
                                            : "NULL::VARCHAR"));
  if (filter.predicate) {
    const std::string condition = filter.predicate->CheckpointFilter(relation.add);
    if (!condition.empty()) sql += fmt::format(" AND ({})", condition);
  }
  return sql;
}

std::string TotalsSql(const CheckpointRelation& relation, const FileFilter& filter) {
  if (!HasFiles(relation)) return {};
  const AddField add(relation.add);
  std::string sql = fmt::format(
      "SELECT count(*) AS files, sum({0}) AS bytes FROM {1} WHERE ",
      add.Sql("size", "BIGINT"), engine::ParquetRelation(relation.files));
  // Without keys to compare, the short column will do.
  if (filter.touched->empty() && add.Has("size")) return sql + "add.size IS NOT NULL";
  if (filter.touched->empty()) return sql + "add.path IS NOT NULL";
  return sql + fmt::format("{}({}, NULL, NULL, NULL, {}, NULL)", kKeepFunction,
                           add.Sql("path", "VARCHAR"), add.VectorSql());
}

std::string TombstonesSql(const CheckpointRelation& relation, std::int64_t cutoff_ms) {
  if (FieldType(relation.remove, "path").id() == LogicalTypeId::INVALID ||
      FieldType(relation.remove, "deletionTimestamp").id() == LogicalTypeId::INVALID) {
    return {};
  }
  return fmt::format(
      "SELECT to_json(struct_pack(remove := remove))::VARCHAR FROM {} "
      "WHERE remove.path IS NOT NULL AND remove.deletionTimestamp > {}",
      engine::ParquetRelation(relation.files), cutoff_ms);
}

std::string RemovesSql(const CheckpointRelation& relation, std::int64_t cutoff_ms,
                       const FileFilter& filter) {
  const AddField remove(relation.remove, "remove");
  if (!remove.Has("path") || !remove.Has("deletionTimestamp")) return {};
  std::string sql = fmt::format(
      "SELECT struct_pack(\"path\" := {}, \"deletionTimestamp\" := {}, \"dataChange\" := "
      "false, \"extendedFileMetadata\" := {}, \"partitionValues\" := {}, \"size\" := {}, "
      "\"deletionVector\" := {}, \"baseRowId\" := {}, \"defaultRowCommitVersion\" := {}) "
      "AS remove FROM {} WHERE remove.path IS NOT NULL AND remove.deletionTimestamp > {}",
      remove.Sql("path", "VARCHAR"), remove.Sql("deletionTimestamp", "BIGINT"),
      remove.Sql("extendedFileMetadata", "BOOLEAN"),
      remove.Sql("partitionValues", AddField::kMap), remove.Sql("size", "BIGINT"),
      remove.VectorStructSql(), remove.Sql("baseRowId", "BIGINT"),
      remove.Sql("defaultRowCommitVersion", "BIGINT"),
      engine::ParquetRelation(relation.files), cutoff_ms);
  if (!filter.touched->empty()) {
    sql += fmt::format(" AND {}({}, NULL, NULL, NULL, {}, NULL)", kKeepFunction,
                       remove.Sql("path", "VARCHAR"), remove.VectorSql());
  }
  return sql;
}

Result<bool> HasJsonStats(duckdb::DatabaseInstance& database,
                          const CheckpointRelation& relation) {
  const AddField add(relation.add);
  if (!add.Has("stats")) return false;
  if (!add.Has("stats_parsed")) return true;
  const auto found = engine::Connect(database)->Query(
      fmt::format("SELECT 1 FROM {} WHERE add.stats IS NOT NULL LIMIT 1",
                  engine::ParquetRelation(relation.files)));
  if (found->HasError()) {
    return tl::unexpected(
        Unreadable(relation.files, engine::FromDuckDB(found->GetErrorObject())));
  }
  return found->RowCount() == 1;
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
    if (!clustering.IsNull(row)) file.clustering_provider = clustering.Text(row);
    file.base_row_id = base_row_id.Optional<std::int64_t>(row);
    file.default_row_commit_version = row_commit_version.Optional<std::int64_t>(row);
  }
}

bool Keeps(const FilePredicate* predicate, const protocol::AddFile& file) {
  if (!predicate) return true;
  std::vector<std::pair<std::string_view, std::string_view>> values;
  for (const auto& [key, value] : file.partition_values) {
    values.emplace_back(key, value ? std::string_view(*value) : std::string_view());
  }
  return predicate->Keep({.path = file.path,
                          .partition_values = values,
                          .stats = file.stats ? std::string_view(*file.stats) : "",
                          .has_deletion_vector = file.deletion_vector.has_value(),
                          .size = file.size,
                          .modification_time = file.modification_time});
}

}  // namespace bayou::log
