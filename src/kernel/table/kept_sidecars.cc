// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/kept_sidecars.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/exact_parquet.h"
#include "kernel/log/checkpoint.h"
#include "kernel/log/file_query.h"

namespace bayou::table {
namespace {

// The relation of the snapshot that has the file, as one of that file alone.
std::optional<log::CheckpointRelation> RelationOf(const Snapshot& snapshot,
                                                  const std::string& file) {
  for (const log::CheckpointRelation& relation : snapshot.state().relations()) {
    if (std::ranges::find(relation.files, file) != relation.files.end()) {
      return log::CheckpointRelation{{file}, relation.add, relation.remove};
    }
  }
  return std::nullopt;
}

// Counts the rows, if all are actions that have what the protocol requires and
// ReadBack() counts.
std::string ActionsSql(const std::string& file) {
  return "SELECT CASE WHEN count(*) = count(add.\"dataChange\") + "
         "count(remove.\"dataChange\") THEN count(*) ELSE 0 END FROM " +
         engine::ParquetRelation({{file}});
}

// Counts the rows that the next checkpoint would have again.
std::string LastingSql(const log::CheckpointRelation& relation,
                       const log::FileFilter& filter,
                       std::int64_t tombstone_cutoff_ms) {
  return fmt::format(
      "SELECT (SELECT files FROM ({})) + (SELECT count(*) FROM ({}))",
      log::TotalsSql(relation, filter),
      log::RemovesSql(relation, tombstone_cutoff_ms, filter));
}

Result<std::int64_t> Number(duckdb::Connection& connection,
                            const std::string& sql) {
  BAYOU_ASSIGN(const auto result, engine::Run(connection, sql));
  return result->GetValue(0, 0).GetValue<std::int64_t>();
}

// What a sidecar of the table is called in its folder.
std::string InFolder(const std::string& name) {
  return name.substr(log::kSidecarFolder.size() + 1);
}

}  // namespace

Result<std::vector<KeptSidecar>> FindKeptSidecars(
    const Snapshot& snapshot, duckdb::DatabaseInstance& database,
    const CheckpointQuery& query) {
  std::vector<KeptSidecar> kept;
  const auto& base = snapshot.state().segment().checkpoint;
  if (base.empty() || base.size() > 1) return kept;
  store::Store& store = snapshot.store();
  BAYOU_ASSIGN(const log::Checkpoint older,
               log::OpenCheckpoint(store, database, base,
                                   {.protocol = false, .metadata = false}));
  if (older.sidecars.empty()) return kept;
  BAYOU_ASSIGN(const CheckpointQuery::Types types, query.FileTypes());
  const log::FileFilter filter{nullptr, snapshot.state().touched(), nullptr};
  const auto connection = log::ConnectFor(database, filter);
  for (const std::string& name : older.sidecars) {
    const std::string file = store.NativePath(name);
    const auto relation = RelationOf(snapshot, file);
    if (!relation || relation->add != types.add ||
        relation->remove != types.remove) {
      continue;
    }
    BAYOU_ASSIGN(const std::int64_t rows,
                 Number(*connection, ActionsSql(file)));
    if (rows < kSidecarActions / 2) continue;
    BAYOU_ASSIGN(const std::int64_t lasting,
                 Number(*connection, LastingSql(*relation, filter,
                                                query.tombstone_cutoff_ms())));
    if (lasting != rows) continue;
    BAYOU_ASSIGN(const store::ObjectMeta meta, store.Head(name));
    kept.push_back(
        {{PercentEncodePath(InFolder(name)), meta.size, meta.modified_ms},
         file});
  }
  return kept;
}

}  // namespace bayou::table
