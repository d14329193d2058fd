// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/checkpoint_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/row_pipe.h"
#include "kernel/log/log_listing.h"
#include "kernel/protocol/spark_hash.h"
#include "kernel/table/checkpoint_file.h"
#include "kernel/table/checkpoint_query.h"

namespace bayou::table {
namespace {

class PartsWriter {
 public:
  PartsWriter(const Snapshot& snapshot, duckdb::DatabaseInstance& database,
              Env& env, int parts)
      : snapshot_(snapshot),
        store_(snapshot.store()),
        database_(database),
        env_(env),
        parts_(parts),
        query_(snapshot, database,
               env.NowMs() -
                   snapshot.properties().deleted_file_retention().count()) {}
  PartsWriter(const PartsWriter&) = delete;
  PartsWriter& operator=(const PartsWriter&) = delete;

  ~PartsWriter() {
    for (const Part& part : drafts_) (void)store_.Delete(part.draft);
  }

  Result<CheckpointHint> Write() && {
    BAYOU_ASSIGN(const std::set<std::string> there, Existing());
    const bool is_complete = std::ssize(there) == parts_;
    if (is_complete) {
      for (const std::string& name : there) {
        BAYOU_TRY(Count(JoinPath(log::kLogFolder, name)));
      }
    } else {
      for (int part = 0; part < parts_; ++part) BAYOU_TRY(WritePart(part));
    }
    BAYOU_ASSIGN(const log::FileTotals totals, snapshot_.state().Totals());
    const auto connection = engine::Connect(database_);
    BAYOU_ASSIGN(const CheckpointContent content,
                 ReadBackAll(*connection, paths_, totals));
    BAYOU_TRY(PutInPlace(there));
    return CheckpointHint{.version = snapshot_.version(),
                          .actions = content.actions,
                          .parts = parts_,
                          .bytes = bytes_,
                          .totals = content.totals,
                          .v2 = std::nullopt};
  }

 private:
  struct Part {
    std::string draft;
    std::string name;
  };

  // The parts that others have written.
  Result<std::set<std::string>> Existing() {
    BAYOU_ASSIGN(const auto listing, log::ListLog(store_, snapshot_.version()));
    std::set<std::string> names;
    for (const log::LogFileName& file : listing) {
      if (file.kind == log::LogFileKind::kCheckpoint &&
          file.version == snapshot_.version() && file.parts == parts_ &&
          file.size > 0) {
        names.insert(file.name);
      }
    }
    return names;
  }

  Status WritePart(int part) {
    const std::string name =
        CheckpointPartName(snapshot_.version(), part + 1, parts_);
    const std::string draft = DraftOf(name, env_);
    drafts_.push_back({draft, name});
    BAYOU_ASSIGN(const std::string files, query_.PartSql(part, parts_));
    BAYOU_ASSIGN(engine::RowPipe pipe,
                 engine::RowPipe::Open(query_.Connect(), files));
    const auto connection = query_.Connect();
    const std::string rows = "FROM " + pipe.Next(*connection, INT64_MAX);
    // Where the hash of no path leads.
    const bool has_small =
        protocol::SparkPart(protocol::kSparkSeed, parts_) == part;
    BAYOU_TRY(WriteActions(*connection, query_.AllSql(rows, has_small),
                           store_.NativePath(draft)));
    return Count(draft);
  }

  Status Count(const std::string& file) {
    BAYOU_ASSIGN(const store::ObjectMeta meta, store_.Head(file));
    bytes_ += meta.size;
    paths_.push_back(store_.NativePath(file));
    return {};
  }

  // Over what is there first: the set is not complete until nothing is left of
  // other writings.
  Status PutInPlace(const std::set<std::string>& there) {
    std::ranges::partition(
        drafts_, [&](const Part& part) { return there.contains(part.name); });
    for (const Part& part : drafts_) {
      BAYOU_TRY(store_.Move(part.draft, JoinPath(log::kLogFolder, part.name)));
    }
    drafts_.clear();
    return {};
  }

  const Snapshot& snapshot_;
  store::Store& store_;
  duckdb::DatabaseInstance& database_;
  Env& env_;
  const int parts_;
  CheckpointQuery query_;
  std::vector<Part> drafts_;
  std::vector<std::string> paths_;  // What makes the checkpoint.
  std::int64_t bytes_ = 0;
};

}  // namespace

std::string CheckpointPartName(Version version, int part, int parts) {
  return fmt::format("{:020}.checkpoint.{:010}.{:010}.parquet", version, part,
                     parts);
}

Result<CheckpointHint> WriteCheckpointParts(const Snapshot& snapshot,
                                            duckdb::DatabaseInstance& database,
                                            Env& env, int parts) {
  return PartsWriter(snapshot, database, env, parts).Write();
}

}  // namespace bayou::table
