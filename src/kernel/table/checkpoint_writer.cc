// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/checkpoint_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <duckdb/common/crypto/md5.hpp>
#include <utility>

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/exact_parquet.h"
#include "kernel/log/checkpoint.h"
#include "kernel/log/file_filter.h"
#include "kernel/log/file_query.h"
#include "kernel/log/log_listing.h"
#include "kernel/log/tail_relation.h"
#include "kernel/protocol/table_features.h"

namespace bayou::table {
namespace {

using duckdb::LogicalTypeId;

// Rows of a row group: few enough that a selective question reads little and a
// writer holds little, enough that a scan of everything does not notice.
constexpr int kRowGroupSize = 20'480;

// From so many files on they are sorted. Below, too few row groups could be
// skipped to pay for it.
constexpr std::int64_t kFilesWorthSorting = 10 * kRowGroupSize;

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

// The SELECT that gives every row of the checkpoint.
class CheckpointQuery {
 public:
  CheckpointQuery(const Snapshot& snapshot, duckdb::DatabaseInstance& database,
                  const log::StateSource& source, bool sorted)
      : snapshot_(snapshot),
        database_(database),
        source_(source),
        sorted_(sorted) {}

  Result<std::string> Sql() const {
    BAYOU_ASSIGN(const std::string adds, Adds());
    return fmt::format(
        "SELECT txn, NULL AS add, NULL AS remove, \"metaData\", protocol, "
        "\"domainMetadata\" FROM bayou_small_actions() UNION ALL "
        "SELECT NULL, add, NULL, NULL, NULL, NULL FROM ({}) UNION ALL "
        "SELECT NULL, NULL, remove, NULL, NULL, NULL FROM ({})",
        adds, Removes());
  }

 private:
  log::FileFilter Filter() const {
    return {nullptr, snapshot_.state().touched(), nullptr};
  }

  Result<std::string> Adds() const {
    BAYOU_ASSIGN(const std::string files, Files());
    std::string sql = fmt::format(
        "SELECT struct_pack(\"path\" := path, \"partitionValues\" := "
        "partition_values, "
        "\"size\" := size, \"modificationTime\" := modification_time, "
        "\"dataChange\" := false, \"tags\" := tags, \"deletionVector\" := "
        "CASE WHEN vector_type IS NOT NULL THEN struct_pack(\"storageType\" := "
        "vector_type, "
        "\"pathOrInlineDv\" := vector_path, \"offset\" := vector_offset, "
        "\"sizeInBytes\" := vector_size, \"cardinality\" := "
        "vector_cardinality) END, "
        "\"baseRowId\" := base_row_id, "
        "\"defaultRowCommitVersion\" := default_row_commit_version, "
        "\"clusteringProvider\" := clustering_provider{}) AS add FROM ({})",
        StatisticsFields(), files);
    return sorted_
               ? fmt::format("SELECT add FROM ({}) AS files{}", sql, Order())
               : sql;
  }

  std::string StatisticsFields() const {
    const protocol::TableProperties properties = snapshot_.properties();
    std::string sql;
    if (properties.checkpoint_stats_as_json()) sql += ", \"stats\" := stats";
    if (!properties.checkpoint_stats_as_struct()) return sql;
    if (!source_.columns.partition.empty()) {
      sql +=
          ", \"partitionValues_parsed\" := bayou_partition(partition_values)";
    }
    return sql + ", \"stats_parsed\" := bayou_stats(stats)";
  }

  // By partition, then by the column that has statistics first: what queries
  // most often ask by.
  std::string Order() const {
    std::string order;
    for (const protocol::Field& field : source_.columns.partition) {
      order += fmt::format(", files.add.\"partitionValues_parsed\".{}",
                           engine::Identifier(field.physical_name()));
    }
    const auto bounds =
        log::FieldType(log::StatisticsType(source_.columns), "minValues");
    if (bounds.id() == LogicalTypeId::STRUCT) {
      const std::string& first =
          duckdb::StructType::GetChildTypes(bounds)[0].first;
      order += fmt::format(", files.add.\"stats_parsed\".\"minValues\".{}",
                           engine::Identifier(first));
    }
    return order.empty() ? order : " ORDER BY " + order.substr(2);
  }

  Result<std::string> Files() const {
    const log::FileFields all{
        .stats = true, .tags = true, .row_tracking = true};
    std::string sql = "SELECT * FROM bayou_tail_adds()";
    for (const log::CheckpointRelation& relation :
         snapshot_.state().relations()) {
      BAYOU_ASSIGN(const bool has_json, log::HasJsonStats(database_, relation));
      const std::string older =
          log::FilesSql(relation, all, Filter(), has_json);
      if (!older.empty()) sql += " UNION ALL " + older;
    }
    return sql;
  }

  std::string Removes() const {
    std::string sql = "SELECT * FROM bayou_tail_removes()";
    for (const log::CheckpointRelation& relation :
         snapshot_.state().relations()) {
      const std::string older =
          log::RemovesSql(relation, source_.tombstone_cutoff_ms, Filter());
      if (!older.empty()) sql += " UNION ALL " + older;
    }
    return sql;
  }

  const Snapshot& snapshot_;
  duckdb::DatabaseInstance& database_;
  const log::StateSource& source_;
  const bool sorted_;
};

// What a written checkpoint holds.
struct Written {
  std::int64_t rows = 0;
  log::FileTotals totals;
  std::int64_t protocols = 0;
  std::int64_t metadata = 0;
};

Result<Written> Count(duckdb::Connection& connection, const std::string& path) {
  BAYOU_ASSIGN(const auto result,
               engine::Run(connection,
                           "SELECT count(*), count(add.path), "
                           "coalesce(sum(add.size), 0)::BIGINT, "
                           "count(protocol.\"minReaderVersion\"), "
                           "count(\"metaData\".id) FROM " +
                               engine::ParquetRelation({{path}})));
  const auto number = [&](duckdb::idx_t column) {
    return result->GetValue(column, 0).GetValue<std::int64_t>();
  };
  return Written{number(0), {number(1), number(2)}, number(3), number(4)};
}

// Reads back what was written: the commits that a checkpoint stands for may be
// deleted once it is there.
Result<Written> Verify(duckdb::Connection& connection, const std::string& path,
                       const log::FileTotals& expected) {
  BAYOU_ASSIGN(const Written written, Count(connection, path));
  if (written.totals.files != expected.files ||
      written.totals.bytes != expected.bytes || written.protocols != 1 ||
      written.metadata != 1) {
    return Fail(
        ErrorCode::kInternal, "DELTA_CHECKPOINT_MISMATCH",
        fmt::format(
            "the checkpoint {} came out with {} files of {} bytes instead "
            "of {} files of {} bytes; it was not put in place",
            path, written.totals.files, written.totals.bytes, expected.files,
            expected.bytes));
  }
  return written;
}

// The hint's JSON with its checksum. Protocol: "JSON checksum": every value is
// a number, so the canonical form is the sorted list of names and numbers.
std::string HintJson(Version version, const Written& written,
                     std::int64_t bytes) {
  const std::string canonical = fmt::format(
      "\"numOfAddFiles\"={},\"size\"={},\"sizeInBytes\"={},\"version\"={}",
      written.totals.files, written.rows, bytes, version);
  duckdb::MD5Context md5;
  md5.Add(canonical);
  return fmt::format(
      "{{\"version\":{},\"size\":{},\"sizeInBytes\":{},\"numOfAddFiles\":{},"
      "\"checksum\":\"{}\"}}",
      version, written.rows, bytes, written.totals.files, md5.FinishHex());
}

Status PutHint(store::Store& store, Version version, const Written& written,
               std::int64_t bytes) {
  const auto hint = log::ReadLastCheckpoint(store);
  if (hint && hint->version > version) return {};
  return store.Put(JoinPath(log::kLogFolder, log::kLastCheckpoint),
                   HintJson(version, written, bytes));
}

Result<Written> WriteFile(const Snapshot& snapshot,
                          duckdb::DatabaseInstance& database,
                          log::StateSource source, const std::string& name) {
  BAYOU_ASSIGN(const log::FileTotals totals, snapshot.state().Totals());
  const bool sorted = totals.files >= kFilesWorthSorting &&
                      snapshot.properties().checkpoint_stats_as_struct();
  BAYOU_ASSIGN(const std::string rows,
               CheckpointQuery(snapshot, database, source, sorted).Sql());
  const auto connection =
      log::ConnectFor(database, {nullptr, snapshot.state().touched(), nullptr});
  log::UseState(*connection, std::move(source));
  connection->Query("SET SESSION preserve_insertion_order = true");
  const std::string path = snapshot.store().NativePath(name);
  BAYOU_TRY(engine::Run(
      *connection, fmt::format("COPY ({}) TO {} (FORMAT parquet, COMPRESSION "
                               "snappy, ROW_GROUP_SIZE {}, "
                               "USE_TMP_FILE false, WRITE_BLOOM_FILTER false)",
                               rows, engine::Literal(path), kRowGroupSize)));
  return Verify(*connection, path, totals);
}

}  // namespace

bool HasCheckpoint(const Snapshot& snapshot) {
  const auto& checkpoint = snapshot.state().segment().checkpoint;
  return !checkpoint.empty() &&
         checkpoint.front().version == snapshot.version();
}

Status WriteCheckpoint(const Snapshot& snapshot,
                       duckdb::DatabaseInstance& database, Env& env) {
  BAYOU_TRY(protocol::CheckWritable(snapshot.protocol(), snapshot.metadata(),
                                    snapshot.location()));
  store::Store& store = snapshot.store();
  const std::string name =
      JoinPath(log::kLogFolder, log::CheckpointName(snapshot.version()));
  const std::string temporary = JoinPath(
      log::kLogFolder,
      fmt::format(".{}.{}.tmp", log::CheckpointName(snapshot.version()),
                  NewUuid(env)));
  auto written = WriteFile(
      snapshot, database,
      {.state = snapshot.shared_state(),
       .tombstone_cutoff_ms =
           env.NowMs() - snapshot.properties().deleted_file_retention().count(),
       .columns = ColumnsOf(snapshot)},
      temporary);
  if (!written) {
    (void)store.Delete(temporary);
    return tl::unexpected(std::move(written).error());
  }
  BAYOU_ASSIGN(const store::ObjectMeta file, store.Head(temporary));
  if (Status moved = store.Move(temporary, name); !moved) {
    (void)store.Delete(temporary);
    return moved;
  }
  return PutHint(store, snapshot.version(), *written, file.size);
}

}  // namespace bayou::table
