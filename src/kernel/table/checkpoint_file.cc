// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/checkpoint_file.h"

#include <fmt/format.h>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/exact_parquet.h"
#include "kernel/log/log_file_name.h"

namespace bayou::table {
namespace {

// Rows of a row group: few enough that a selective question reads little and a
// writer holds little, enough that a scan of everything does not notice.
constexpr int kRowGroupSize = 20'480;

tl::unexpected<Error> Mismatch(std::span<const std::string> paths,
                               std::string_view what) {
  return Fail(ErrorCode::kInternal, "DELTA_CHECKPOINT_MISMATCH",
              fmt::format("the checkpoint {} came out with {}; it was not put "
                          "in place",
                          paths.empty() ? "" : paths.front(), what));
}

}  // namespace

std::string DraftOf(std::string_view name, Env& env) {
  return JoinPath(log::kLogFolder,
                  fmt::format(".{}.{}.tmp", name, NewUuid(env)));
}

Status WriteActions(duckdb::Connection& connection, const std::string& sql,
                    const std::string& path) {
  BAYOU_TRY(engine::Run(
      connection,
      fmt::format("COPY ({}) TO {} (FORMAT parquet, COMPRESSION snappy, "
                  "ROW_GROUP_SIZE {}, USE_TMP_FILE false, "
                  "WRITE_BLOOM_FILTER false)",
                  sql, engine::Literal(path), kRowGroupSize)));
  return {};
}

Result<CheckpointContent> ReadBack(duckdb::Connection& connection,
                                   std::span<const std::string> paths,
                                   const log::FileTotals& expected) {
  CheckpointContent content;
  if (!paths.empty()) {
    BAYOU_ASSIGN(const auto result,
                 engine::Run(connection,
                             "SELECT count(*), count(add.\"dataChange\"), "
                             "coalesce(sum(add.size), 0)::BIGINT FROM " +
                                 engine::ParquetRelation(paths)));
    const auto number = [&](duckdb::idx_t column) {
      return result->GetValue(column, 0).GetValue<std::int64_t>();
    };
    content = {number(0), {number(1), number(2)}};
  }
  if (content.totals.files == expected.files &&
      content.totals.bytes == expected.bytes) {
    return content;
  }
  return Mismatch(
      paths, fmt::format("{} files of {} bytes instead of {} files of {} bytes",
                         content.totals.files, content.totals.bytes,
                         expected.files, expected.bytes));
}

Result<CheckpointContent> ReadBackAll(duckdb::Connection& connection,
                                      std::span<const std::string> paths,
                                      const log::FileTotals& expected) {
  BAYOU_ASSIGN(const CheckpointContent content,
               ReadBack(connection, paths, expected));
  BAYOU_ASSIGN(const auto small,
               engine::Run(connection,
                           "SELECT count(protocol.\"minReaderVersion\"), "
                           "count(\"metaData\".id) FROM " +
                               engine::ParquetRelation(paths)));
  for (const duckdb::idx_t column : {0U, 1U}) {
    if (small->GetValue(column, 0).GetValue<std::int64_t>() != 1) {
      return Mismatch(paths, "no protocol or metadata, or with several");
    }
  }
  return content;
}

}  // namespace bayou::table
