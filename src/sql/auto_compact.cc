// SPDX-License-Identifier: Apache-2.0
#include "sql/auto_compact.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "kernel/protocol/auto_optimize.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/optimize.h"
#include "sql/settings.h"

namespace bayou::sql {
namespace {

using commands::AutoCompaction;

bool IsWanted(duckdb::ClientContext& context,
              const protocol::Metadata& metadata) {
  const auto said =
      protocol::PropertyAutoCompact(TextSetting(context, kAutoCompact));
  return said ? *said : protocol::AutoCompacts(metadata.configuration);
}

AutoCompaction CompactionFor(duckdb::ClientContext& context) {
  AutoCompaction compaction;
  if (const auto size = IntegerSetting(context, kAutoCompactMaxFileSize)) {
    compaction.max_file_size = *size;
    compaction.min_file_size = *size / 2;
  }
  if (const auto size = IntegerSetting(context, kAutoCompactMinFileSize))
    compaction.min_file_size = *size;
  if (const auto files = IntegerSetting(context, kAutoCompactMinNumFiles))
    compaction.min_files = *files;
  return compaction;
}

}  // namespace

AutoCompact& AutoCompact::Of(duckdb::ClientContext& context) {
  return *context.registered_state->GetOrCreate<AutoCompact>(
      "bayou_auto_compact");
}

void AutoCompact::Note(duckdb::ClientContext& context,
                       const transaction::Transaction& committed) {
  due_.reset();
  if (!IsWanted(context, committed.metadata())) return;
  AutoCompaction compaction = CompactionFor(context);
  commands::NoteWritten(committed.staged(), compaction);
  if (compaction.partitions.empty()) return;
  due_ = Due{committed.shared_store(), std::move(compaction)};
}

void AutoCompact::Run(duckdb::ClientContext& context) {
  const std::optional<Due> due = std::exchange(due_, std::nullopt);
  if (!due) return;
  const Status done = engine::Guard([&] {
    context.RunFunctionInTransaction([&] {
      const auto snapshot =
          engine::Unwrap(table::Snapshot::Open(due->store, *context.db));
      commands::OptimizeRequest request;
      request.scan.allow_external_paths =
          BoolSetting(context, kAllowExternalPaths);
      request.auto_compaction = due->compaction;
      commands::OptimizeProgress progress;
      engine::Unwrap(commands::Optimize(context, snapshot, request, progress,
                                        Env::System()));
    });
  });
  if (done || done.error().code == ErrorCode::kConflict ||
      done.error().code == ErrorCode::kCancelled) {
    return;
  }
  fmt::print(stderr,
             "note: the small files of table {} were not put together: {}\n",
             due->store->location(), done.error().message);
}

}  // namespace bayou::sql
