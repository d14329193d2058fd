// SPDX-License-Identifier: Apache-2.0
//
// bayou_restore: what RESTORE runs.
#include <fmt/format.h>

#include <cstdio>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "ops/commands/restore.h"
#include "sql/commit_words.h"
#include "sql/row_function.h"
#include "sql/settings.h"
#include "sql/standalone_command.h"
#include "sql/table_functions.h"

namespace bayou::sql {
namespace {

using commands::RestoreRequest;
using commands::RestoreResult;
using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::Value;

void Note(const table::Snapshot& snapshot, const RestoreResult& result) {
  for (const std::string& file : result.missing_files) {
    fmt::print(stderr, "note: file {} is gone, and its rows are not restored\n",
               file);
  }
  for (const std::string& id : result.applications_ahead) {
    fmt::print(stderr,
               "note: the application {} has written to table {} since, and "
               "will not write again what it counts as written\n",
               id, snapshot.location());
  }
}

std::vector<Row> Run(ClientContext& context, const std::string& table,
                     const table::TimeTravel& at,
                     const std::optional<std::string>& timestamp) {
  RestoreRequest request;
  request.current = BeginStandalone(context, table, "RESTORE");
  request.target = engine::Unwrap(
      table::Snapshot::Open(request.current->location(), *context.db, at));
  request.timestamp = timestamp;
  request.ignore_missing_files = BoolSetting(context, kIgnoreMissingFiles);
  request.user_metadata = WordsForCommit(context);
  const RestoreResult result =
      engine::Unwrap(commands::Restore(request, *context.db, Env::System()));
  if (result.version) NoteCommitted(context);
  Note(*request.current, result);
  return {{Value::BIGINT(result.table_bytes), Value::BIGINT(result.table_files),
           Value::BIGINT(result.files_removed),
           Value::BIGINT(result.files_restored),
           Value::BIGINT(result.bytes_removed),
           Value::BIGINT(result.bytes_restored)}};
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext& context, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  const std::string table = TableArgument(input);
  const table::TimeTravel at = TimeTravelArgument(context, input);
  if (!at.version && !at.timestamp_ms) {
    engine::Throw({ErrorCode::kInvalidArgument, "DELTA_INVALID_VERSION",
                   "RESTORE needs a version or a timestamp to go back to"});
  }
  std::optional<std::string> timestamp;
  if (at.timestamp_ms) timestamp = TimestampValue(*at.timestamp_ms).ToString();
  const LogicalType number = LogicalType::BIGINT;
  return BindRows({{"table_size_after_restore", number},
                   {"num_of_files_after_restore", number},
                   {"num_removed_files", number},
                   {"num_restored_files", number},
                   {"removed_files_size", number},
                   {"restored_files_size", number}},
                  types, names, [=](ClientContext& running) {
                    return Run(running, table, at, timestamp);
                  });
}

}  // namespace

duckdb::TableFunction RestoreFunction() {
  auto function = RowFunction("bayou_restore", {LogicalType::VARCHAR}, Bind);
  AddTimeTravel(function);
  return function;
}

}  // namespace bayou::sql
