// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/checkpoint_writer.h"

#include <utility>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/row_pipe.h"
#include "kernel/protocol/table_features.h"
#include "kernel/table/checkpoint_file.h"
#include "kernel/table/checkpoint_hint.h"
#include "kernel/table/checkpoint_parts.h"
#include "kernel/table/checkpoint_query.h"
#include "kernel/table/v2_checkpoint.h"

namespace bayou::table {
namespace {

struct Written {
  std::string name;  // In the log folder.
  CheckpointHint hint;
};

Result<CheckpointContent> WriteAll(const Snapshot& snapshot,
                                   duckdb::DatabaseInstance& database, Env& env,
                                   const std::string& path) {
  const CheckpointQuery query(
      snapshot, database,
      env.NowMs() - snapshot.properties().deleted_file_retention().count());
  BAYOU_ASSIGN(const log::FileTotals totals, snapshot.state().Totals());
  BAYOU_ASSIGN(const std::string files, query.FilesSql());
  BAYOU_ASSIGN(engine::RowPipe pipe,
               engine::RowPipe::Open(query.Connect(), files));
  const auto connection = query.Connect();
  BAYOU_TRY(WriteActions(
      *connection, query.AllSql("FROM " + pipe.Next(*connection, INT64_MAX)),
      path));
  return ReadBackAll(*connection, {{path}}, totals);
}

Result<Written> WriteClassic(const Snapshot& snapshot,
                             duckdb::DatabaseInstance& database, Env& env) {
  store::Store& store = snapshot.store();
  const std::string name = log::CheckpointName(snapshot.version());
  const std::string draft = DraftOf(name, env);
  const auto content =
      WriteAll(snapshot, database, env, store.NativePath(draft));
  if (!content) {
    (void)store.Delete(draft);
    return tl::unexpected<Error>(content.error());
  }
  BAYOU_ASSIGN(const store::ObjectMeta file, store.Head(draft));
  if (Status moved = store.Move(draft, JoinPath(log::kLogFolder, name));
      !moved) {
    (void)store.Delete(draft);
    return tl::unexpected<Error>(std::move(moved).error());
  }
  return Written{name,
                 {.version = snapshot.version(),
                  .actions = content->actions,
                  .parts = std::nullopt,
                  .bytes = file.size,
                  .totals = content->totals,
                  .v2 = std::nullopt}};
}

Result<Written> WriteParts(const Snapshot& snapshot,
                           duckdb::DatabaseInstance& database, Env& env,
                           int parts) {
  BAYOU_ASSIGN(CheckpointHint hint,
               WriteCheckpointParts(snapshot, database, env, parts));
  return Written{CheckpointPartName(snapshot.version(), 1, parts),
                 std::move(hint)};
}

Result<Written> WriteV2(const Snapshot& snapshot,
                        duckdb::DatabaseInstance& database, Env& env,
                        bool json_manifest) {
  BAYOU_ASSIGN(CheckpointHint hint,
               WriteV2Checkpoint(snapshot, database, env, json_manifest));
  std::string name = hint.v2->manifest.name;
  return Written{std::move(name), std::move(hint)};
}

Result<Written> WriteIn(const CheckpointForm& form, const Snapshot& snapshot,
                        duckdb::DatabaseInstance& database, Env& env) {
  if (form.spec == CheckpointForm::Spec::kV2)
    return WriteV2(snapshot, database, env, form.json_manifest);
  if (form.parts > 1) return WriteParts(snapshot, database, env, form.parts);
  return WriteClassic(snapshot, database, env);
}

}  // namespace

bool HasCheckpoint(const Snapshot& snapshot) {
  const auto& checkpoint = snapshot.state().segment().checkpoint;
  return !checkpoint.empty() &&
         checkpoint.front().version == snapshot.version();
}

Result<std::string> WriteCheckpoint(const Snapshot& snapshot,
                                    const CheckpointForm& form,
                                    duckdb::DatabaseInstance& database,
                                    Env& env) {
  BAYOU_TRY(protocol::CheckWritable(snapshot.protocol(), snapshot.metadata(),
                                    snapshot.location()));
  BAYOU_TRY(CheckForm(snapshot, form));
  BAYOU_ASSIGN(Written written, WriteIn(form, snapshot, database, env));
  BAYOU_TRY(PutHint(snapshot.store(), written.hint));
  return std::move(written).name;
}

Status WriteCheckpoint(const Snapshot& snapshot,
                       duckdb::DatabaseInstance& database, Env& env) {
  BAYOU_ASSIGN(const CheckpointForm form, FormOf(snapshot));
  BAYOU_TRY(WriteCheckpoint(snapshot, form, database, env));
  return {};
}

}  // namespace bayou::table
