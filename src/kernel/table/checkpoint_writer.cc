// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/checkpoint_writer.h"

#include <fmt/format.h>

#include <duckdb/common/crypto/md5.hpp>
#include <utility>

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/exact_parquet.h"
#include "kernel/engine/row_pipe.h"
#include "kernel/log/log_listing.h"
#include "kernel/protocol/table_features.h"
#include "kernel/table/checkpoint_query.h"

namespace bayou::table {
namespace {

// Rows of a row group: few enough that a selective question reads little and a
// writer holds little, enough that a scan of everything does not notice.
constexpr int kRowGroupSize = 20'480;

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
                           "SELECT count(*), count(add.\"dataChange\"), "
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
                          const CheckpointQuery& query,
                          const std::string& name) {
  BAYOU_ASSIGN(const log::FileTotals totals, snapshot.state().Totals());
  BAYOU_ASSIGN(const std::string files, query.FilesSql());
  BAYOU_ASSIGN(engine::RowPipe pipe,
               engine::RowPipe::Open(query.Connect(), files));
  const auto connection = query.Connect();
  const std::string path = snapshot.store().NativePath(name);
  const std::string rows =
      query.AllSql("FROM " + pipe.Next(*connection, INT64_MAX));
  BAYOU_TRY(engine::Run(
      *connection,
      fmt::format("COPY ({}) TO {} (FORMAT parquet, COMPRESSION snappy, "
                  "ROW_GROUP_SIZE {}, USE_TMP_FILE false, "
                  "WRITE_BLOOM_FILTER false)",
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
  const CheckpointQuery query(
      snapshot, database,
      env.NowMs() - snapshot.properties().deleted_file_retention().count());
  auto written = WriteFile(snapshot, query, temporary);
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
