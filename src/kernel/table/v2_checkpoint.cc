// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/v2_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/row_pipe.h"
#include "kernel/log/checkpoint.h"
#include "kernel/table/checkpoint_file.h"
#include "kernel/table/checkpoint_query.h"
#include "kernel/table/kept_sidecars.h"

namespace bayou::table {
namespace {

std::vector<protocol::Action> SmallActions(const log::LogState& state) {
  std::vector<protocol::Action> actions = {state.protocol(), state.metadata()};
  for (const auto& [id, transaction] : state.transactions()) {
    actions.emplace_back(transaction);
  }
  for (const auto& [name, domain] : state.domains()) {
    actions.emplace_back(domain);
  }
  return actions;
}

// delta-spark sorts the items of lists longer than this otherwise than the
// protocol says when it makes a checksum.
constexpr std::size_t kLongestList = 10;

bool HasLongList(const log::LogState& state) {
  const auto is_long = [](const auto& list) {
    return list && list->size() > kLongestList;
  };
  return is_long(state.protocol().reader_features) ||
         is_long(state.protocol().writer_features) ||
         state.metadata().partition_columns.size() > kLongestList;
}

class V2Writer {
 public:
  V2Writer(const Snapshot& snapshot, duckdb::DatabaseInstance& database,
           Env& env, bool json)
      : snapshot_(snapshot),
        store_(snapshot.store()),
        database_(database),
        env_(env),
        json_(json),
        query_(snapshot, database,
               env.NowMs() -
                   snapshot.properties().deleted_file_retention().count()) {}
  V2Writer(const V2Writer&) = delete;
  V2Writer& operator=(const V2Writer&) = delete;

  // What nobody names is of no use.
  ~V2Writer() {
    for (const std::string& name : unnamed_) (void)store_.Delete(name);
  }

  Result<CheckpointHint> Write() && {
    BAYOU_TRY(KeepSidecars());
    BAYOU_TRY(WriteSidecars());
    BAYOU_TRY(CountSidecars());
    const std::string name =
        fmt::format("{:020}.checkpoint.{}.{}", snapshot_.version(),
                    NewUuid(env_), json_ ? "json" : "parquet");
    const Status put = json_ ? PutJson(name) : PutParquet(name);
    if (!put && put.error().code != ErrorCode::kCommitUnknown)
      return tl::unexpected<Error>(put.error());
    BAYOU_TRY(CheckBase(name));  // It may be there all the same.
    BAYOU_TRY(put);
    return Hint(name);
  }

 private:
  Status KeepSidecars() {
    BAYOU_ASSIGN(const auto kept,
                 FindKeptSidecars(snapshot_, database_, query_));
    std::set<std::string> files;
    keeps_ = !kept.empty();
    for (const KeptSidecar& one : kept) {
      Name(one.sidecar, one.file);
      files.insert(one.file);
    }
    query_.LeaveOut(files);
    return {};
  }

  // One pass over the actions that no kept sidecar has.
  Status WriteSidecars() {
    BAYOU_ASSIGN(const std::string files, query_.FilesSql());
    BAYOU_ASSIGN(engine::RowPipe pipe,
                 engine::RowPipe::Open(query_.Connect(), files));
    const auto connection = query_.Connect();
    for (;;) {
      BAYOU_ASSIGN(const bool more, pipe.HasRows());
      if (!more) return {};
      BAYOU_TRY(WriteSidecar(
          *connection, "FROM " + pipe.Next(*connection, kSidecarActions)));
    }
  }

  Status WriteSidecar(duckdb::Connection& connection, const std::string& rows) {
    const std::string file = NewUuid(env_) + ".parquet";
    const std::string name = JoinPath(log::kSidecarFolder, file);
    BAYOU_TRY(store_.CheckInside(name));
    const std::string path = store_.NativePath(name);
    BAYOU_TRY(MakeFolder(path.substr(0, path.size() - file.size() - 1)));
    unnamed_.push_back(name);
    BAYOU_TRY(WriteActions(connection, rows, path));
    BAYOU_TRY(store_.Sync(name));
    BAYOU_ASSIGN(const store::ObjectMeta meta, store_.Head(name));
    Name({file, meta.size, meta.modified_ms}, path);
    return {};
  }

  Status MakeFolder(const std::string& folder) {
    return engine::Guard([&] {
      duckdb::FileSystem& files = duckdb::FileSystem::GetFileSystem(database_);
      if (!files.DirectoryExists(folder)) files.CreateDirectory(folder);
    });
  }

  void Name(protocol::Sidecar sidecar, std::string path) {
    sidecar_bytes_ += sidecar.size_in_bytes;
    sidecars_.push_back(std::move(sidecar));
    paths_.push_back(std::move(path));
  }

  Status CountSidecars() {
    BAYOU_ASSIGN(const log::FileTotals totals, snapshot_.state().Totals());
    const auto connection = engine::Connect(database_);
    BAYOU_ASSIGN(content_, ReadBack(*connection, paths_, totals));
    return {};
  }

  protocol::StringMap Tags() const {
    return {{"sidecarNumActions", std::to_string(content_.actions)},
            {"sidecarSizeInBytes", std::to_string(sidecar_bytes_)},
            {"numOfAddFiles", std::to_string(content_.totals.files)}};
  }

  std::string MetadataJson() const {
    std::string tags;
    for (const auto& [key, value] : Tags()) {
      tags +=
          fmt::format(R"({}"{}":"{}")", tags.empty() ? "" : ",", key, value);
    }
    return fmt::format(
        R"({{"checkpointMetadata":{{"version":{},"tags":{{{}}}}}}})",
        snapshot_.version(), tags);
  }

  std::vector<std::string> NonFileActions() const {
    std::vector<std::string> actions = {MetadataJson()};
    for (const protocol::Action& action : SmallActions(snapshot_.state())) {
      actions.push_back(protocol::ActionToJson(action));
    }
    return actions;
  }

  Status PutJson(const std::string& name) {
    std::string lines;
    for (const std::string& action : NonFileActions()) lines += action + '\n';
    for (const protocol::Sidecar& sidecar : sidecars_) {
      lines += protocol::ActionToJson(sidecar) + '\n';
    }
    return Put(name, lines);
  }

  // The engine writes files, and what it wrote is put in place as a whole.
  Status PutParquet(const std::string& name) {
    const std::string draft =
        DraftOf(log::CheckpointName(snapshot_.version()), env_);
    unnamed_.push_back(draft);
    BAYOU_ASSIGN(const std::string rows,
                 query_.ManifestSql(snapshot_.version(), Tags(), sidecars_));
    BAYOU_TRY(WriteActions(*query_.Connect(), rows, store_.NativePath(draft)));
    BAYOU_TRY(CheckManifest(draft));
    BAYOU_ASSIGN(const std::string content, store_.Read(draft));
    BAYOU_TRY(Put(name, content));
    (void)store_.Delete(draft);
    return {};
  }

  // It says to a reader what it shall.
  Status CheckManifest(const std::string& draft) {
    log::LogFileName file;
    file.name = draft.substr(log::kLogFolder.size() + 1);
    BAYOU_ASSIGN(const log::Checkpoint found,
                 log::OpenCheckpoint(store_, database_, {{file}}, {}));
    if (found.sidecars.size() == sidecars_.size() &&
        found.actions.size() == SmallActions(snapshot_.state()).size()) {
      return {};
    }
    return Fail(ErrorCode::kInternal, "DELTA_CHECKPOINT_MISMATCH",
                fmt::format("the checkpoint {} came out with {} actions and {} "
                            "sidecars; it was not put in place",
                            store_.NativePath(draft), found.actions.size(),
                            found.sidecars.size()));
  }

  // From here on the sidecars are the manifest's, even if it is not known to be
  // there.
  Status Put(const std::string& name, const std::string& content) {
    const Status put =
        store_.PutIfAbsent(JoinPath(log::kLogFolder, name), content);
    if (put || put.error().code == ErrorCode::kCommitUnknown) unnamed_.clear();
    return put;
  }

  // Whoever cleans the log deletes old checkpoints, then looks for new ones,
  // and then deletes sidecars. So where the older checkpoint still is when the
  // new one is there, its sidecars stay.
  Status CheckBase(const std::string& name) {
    if (!keeps_) return {};
    const std::string base = snapshot_.state().segment().checkpoint[0].name;
    const auto found = store_.Head(JoinPath(log::kLogFolder, base));
    if (found) return {};
    if (found.error().code != ErrorCode::kNotFound)
      return tl::unexpected<Error>(found.error());
    BAYOU_TRY(store_.Delete(JoinPath(log::kLogFolder, name)));
    return Fail(ErrorCode::kConflict, "DELTA_LOG_CLEANED_UP",
                fmt::format("the log of {} was cleaned while a checkpoint of "
                            "version {} was written that rests on {}; write "
                            "it again",
                            snapshot_.location(), snapshot_.version(), base));
  }

  Result<CheckpointHint> Hint(const std::string& name) const {
    CheckpointHint::V2 v2;
    BAYOU_ASSIGN(v2.manifest, store_.Head(JoinPath(log::kLogFolder, name)));
    v2.manifest.name = name;
    v2.sidecars = sidecars_;
    const std::vector<std::string> others = NonFileActions();
    if (!HasLongList(snapshot_.state())) v2.non_file_actions = others;
    return CheckpointHint{
        .version = snapshot_.version(),
        .actions = content_.actions +
                   static_cast<std::int64_t>(others.size() + sidecars_.size()),
        .parts = std::nullopt,
        .bytes = sidecar_bytes_ + v2.manifest.size,
        .totals = content_.totals,
        .v2 = std::move(v2)};
  }

  const Snapshot& snapshot_;
  store::Store& store_;
  duckdb::DatabaseInstance& database_;
  Env& env_;
  const bool json_;
  CheckpointQuery query_;
  bool keeps_ = false;                       // Sidecars of the older one.
  std::vector<std::string> unnamed_;         // Written, in no checkpoint yet.
  std::vector<protocol::Sidecar> sidecars_;  // Kept and written.
  std::vector<std::string> paths_;           // Theirs.
  std::int64_t sidecar_bytes_ = 0;
  CheckpointContent content_;  // Of the sidecars.
};

}  // namespace

Result<CheckpointHint> WriteV2Checkpoint(const Snapshot& snapshot,
                                         duckdb::DatabaseInstance& database,
                                         Env& env, bool json_manifest) {
  return V2Writer(snapshot, database, env, json_manifest).Write();
}

}  // namespace bayou::table
