// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/log_replay.h"

#include <fmt/format.h>

#include <duckdb/parallel/task_scheduler.hpp>
#include <iterator>
#include <limits>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/log/checkpoint.h"
#include "kernel/log/file_filter.h"
#include "kernel/log/file_query.h"
#include "kernel/log/kept_rows.h"
#include "kernel/log/log_tail.h"

namespace bayou::log {
namespace {

// SQL over all relations; empty when no relation has rows to give.
template <typename Sql>
std::string UnionAll(const std::vector<CheckpointRelation>& relations,
                     Sql&& sql_of) {
  std::string sql;
  for (const CheckpointRelation& relation : relations) {
    const std::string part = sql_of(relation);
    if (part.empty()) continue;
    if (!sql.empty()) sql += " UNION ALL ";
    sql += part;
  }
  return sql;
}

// The files of the checkpoint, for error messages.
std::vector<std::string> AllFiles(const Checkpoint& checkpoint) {
  std::vector<std::string> files;
  for (const CheckpointRelation& relation : checkpoint.relations) {
    files.insert(files.end(), relation.files.begin(), relation.files.end());
  }
  return files;
}

class ReplayedState final : public LogState,
                            public std::enable_shared_from_this<ReplayedState> {
 public:
  ReplayedState(duckdb::DatabaseInstance& database, LogSegment segment,
                LogTail tail, Checkpoint checkpoint)
      : database_(database),
        segment_(std::move(segment)),
        tail_(std::move(tail)),
        touched_(std::make_shared<FileKeySet>(std::move(tail_.touched))),
        checkpoint_(std::move(checkpoint)) {
    std::erase_if(tail_.domains,
                  [](const auto& entry) { return entry.second.removed; });
  }

  const LogSegment& segment() const override { return segment_; }
  const protocol::Protocol& protocol() const override {
    return *tail_.protocol;
  }
  const protocol::Metadata& metadata() const override {
    return *tail_.metadata;
  }
  const std::map<std::string, protocol::SetTransaction>& transactions()
      const override {
    return tail_.transactions;
  }
  const std::map<std::string, protocol::DomainMetadata>& domains()
      const override {
    return tail_.domains;
  }
  Result<std::unique_ptr<FileCursor>> Files(
      const FileFields& fields,
      std::shared_ptr<const FilePredicate> predicate) const override;
  Result<FileTotals> Totals() const override;
  Result<std::vector<protocol::RemoveFile>> Tombstones(
      std::int64_t cutoff_ms) const override;

  const LogTail& tail() const override { return tail_; }
  const std::vector<CheckpointRelation>& relations() const override {
    return checkpoint_.relations;
  }
  const std::shared_ptr<const FileKeySet>& touched() const override {
    return touched_;
  }

 private:
  Result<std::string> FilesQuery(const FileFields& fields,
                                 const FileFilter& filter) const;
  Error UnreadableNow(const Error& cause) const {
    return Unreadable(AllFiles(checkpoint_), cause);
  }

  duckdb::DatabaseInstance& database_;
  LogSegment segment_;
  LogTail tail_;  // With the small actions of the checkpoint taken in.
  std::shared_ptr<const FileKeySet> touched_;
  Checkpoint checkpoint_;
};

// First the files of the tail, then those of the checkpoint as the query
// delivers them.
class StateCursor final : public FileCursor {
 public:
  StateCursor(std::shared_ptr<const ReplayedState> state,
              std::shared_ptr<const FilePredicate> predicate,
              std::unique_ptr<duckdb::Connection> connection,
              duckdb::unique_ptr<duckdb::QueryResult> rows,
              std::vector<std::string> files)
      : state_(std::move(state)),
        predicate_(std::move(predicate)),
        connection_(std::move(connection)),
        rows_(std::move(rows)),
        files_(std::move(files)) {}

  Result<bool> Next(std::vector<protocol::AddFile>& batch) override {
    batch.clear();
    if (NextOfTail(batch)) return true;
    const auto done = engine::Guard([&] { NextOfCheckpoint(batch); });
    if (!done) return tl::unexpected(Unreadable(files_, done.error()));
    return !batch.empty();
  }

 private:
  static constexpr std::size_t kBatch = 2048;

  bool NextOfTail(std::vector<protocol::AddFile>& batch) {
    const auto& adds = state_->tail().adds;
    for (; next_ < adds.size() && batch.size() < kBatch; ++next_) {
      if (Keeps(predicate_.get(), adds[next_])) batch.push_back(adds[next_]);
    }
    return !batch.empty();
  }

  void NextOfCheckpoint(std::vector<protocol::AddFile>& batch) {
    while (rows_ && batch.empty()) {
      if (const auto chunk = engine::Fetch(*rows_)) {
        ReadRows(*chunk, batch);
      } else {
        rows_.reset();
      }
    }
  }

  std::shared_ptr<const ReplayedState> state_;
  std::shared_ptr<const FilePredicate> predicate_;
  std::size_t next_ = 0;
  std::unique_ptr<duckdb::Connection> connection_;
  duckdb::unique_ptr<duckdb::QueryResult> rows_;
  std::vector<std::string> files_;
};

Result<std::string> ReplayedState::FilesQuery(const FileFields& fields,
                                              const FileFilter& filter) const {
  const bool needs_stats =
      fields.stats || (filter.predicate && filter.predicate->NeedsStats());
  std::string sql;
  for (const CheckpointRelation& relation : checkpoint_.relations) {
    bool has_json_stats = false;
    if (needs_stats) {
      BAYOU_ASSIGN(has_json_stats, HasJsonStats(database_, relation));
    }
    const std::string part = FilesSql(relation, fields, filter, has_json_stats);
    if (part.empty()) continue;
    if (!sql.empty()) sql += " UNION ALL ";
    sql += part;
  }
  return sql;
}

Result<std::unique_ptr<FileCursor>> ReplayedState::Files(
    const FileFields& fields,
    std::shared_ptr<const FilePredicate> predicate) const {
  FileFilter filter{predicate, touched_, nullptr};
  BAYOU_ASSIGN(filter.rows,
               KeptRows::Look(database_, checkpoint_.relations, predicate));
  BAYOU_ASSIGN(const std::string sql, FilesQuery(fields, filter));
  std::unique_ptr<duckdb::Connection> connection;
  duckdb::unique_ptr<duckdb::QueryResult> rows;
  if (!sql.empty()) {
    connection = ConnectFor(database_, filter);
    auto started = engine::Start(*connection, sql);
    if (!started) return tl::unexpected(UnreadableNow(started.error()));
    rows = *std::move(started);
  }
  return std::make_unique<StateCursor>(shared_from_this(), std::move(predicate),
                                       std::move(connection), std::move(rows),
                                       AllFiles(checkpoint_));
}

// What a log says may be anything.
void AddSize(std::int64_t size, std::int64_t& sum) {
  if (__builtin_add_overflow(sum, size, &sum)) {
    sum = std::numeric_limits<std::int64_t>::max();
  }
}

Result<FileTotals> ReplayedState::Totals() const {
  FileTotals totals;
  for (const protocol::AddFile& add : tail_.adds) {
    ++totals.files;
    AddSize(add.size, totals.bytes);
  }
  const FileFilter filter{nullptr, touched_, nullptr};
  const std::string parts = UnionAll(
      checkpoint_.relations,
      [&](const auto& relation) { return TotalsSql(relation, filter); });
  if (parts.empty()) return totals;
  const auto connection = ConnectFor(database_, filter);
  const auto result = engine::Run(
      *connection,
      "SELECT sum(files)::BIGINT, coalesce(sum(bytes), 0)::BIGINT FROM (" +
          parts + ")");
  if (!result) return tl::unexpected(UnreadableNow(result.error()));
  totals.files += (*result)->GetValue(0, 0).GetValue<std::int64_t>();
  AddSize((*result)->GetValue(1, 0).GetValue<std::int64_t>(), totals.bytes);
  return totals;
}

Result<std::vector<protocol::RemoveFile>> ReplayedState::Tombstones(
    std::int64_t cutoff_ms) const {
  std::vector<protocol::RemoveFile> found;
  for (const protocol::RemoveFile& remove : tail_.removes) {
    if (remove.deletion_timestamp.value_or(0) > cutoff_ms)
      found.push_back(remove);
  }
  const std::string sql = UnionAll(
      checkpoint_.relations,
      [&](const auto& relation) { return TombstonesSql(relation, cutoff_ms); });
  if (sql.empty()) return found;
  const auto connection = engine::Connect(database_);
  const auto result = engine::Run(*connection, sql);
  if (!result) return tl::unexpected(UnreadableNow(result.error()));
  std::string lines;
  for (std::size_t row = 0; row < (*result)->RowCount(); ++row) {
    lines += duckdb::StringValue::Get((*result)->GetValue(0, row)) + '\n';
  }
  BAYOU_ASSIGN(auto actions,
               protocol::ParseActions(lines, segment_.checkpoint.front().name));
  for (protocol::Action& action : actions) {
    auto* remove = std::get_if<protocol::RemoveFile>(&action);
    if (remove && !touched_->Contains(remove->path, remove->deletion_vector)) {
      found.push_back(std::move(*remove));
    }
  }
  return found;
}

// Takes what an older state is made of, but for its checkpoint.
void TakeState(const LogState& older, LogTail& tail) {
  tail.Take(older.protocol());
  tail.Take(older.metadata());
  for (const auto& [app_id, transaction] : older.transactions())
    tail.Take(transaction);
  for (const auto& [name, domain] : older.domains()) tail.Take(domain);
  for (const protocol::AddFile& add : older.tail().adds) tail.Take(add);
  for (const protocol::RemoveFile& remove : older.tail().removes)
    tail.Take(remove);
}

Result<Checkpoint> ReadCheckpoint(store::Store& store,
                                  duckdb::DatabaseInstance& database,
                                  const LogSegment& segment,
                                  const LogTail& tail,
                                  std::string* unreadable) {
  if (segment.checkpoint.empty()) return Checkpoint{};
  auto checkpoint = OpenCheckpoint(store, database, segment.checkpoint,
                                   {.protocol = !tail.protocol.has_value(),
                                    .metadata = !tail.metadata.has_value()});
  if (!checkpoint &&
      checkpoint.error().condition == "DELTA_CHECKPOINT_UNREADABLE") {
    *unreadable = segment.checkpoint.front().name;
  }
  return checkpoint;
}

}  // namespace

Result<std::shared_ptr<const LogState>> LogState::Replay(
    const std::shared_ptr<store::Store>& store,
    duckdb::DatabaseInstance& database, const LogSegment& segment,
    std::string* unreadable) {
  LogTail tail;
  const bool has_threads =
      duckdb::TaskScheduler::GetScheduler(database).NumberOfThreads() > 1;
  BAYOU_TRY(ReadDeltas(*store, segment.deltas, tail, unreadable, has_threads));
  BAYOU_ASSIGN(Checkpoint checkpoint,
               ReadCheckpoint(*store, database, segment, tail, unreadable));
  tail.Take(std::exchange(checkpoint.actions, {}));
  if (!tail.protocol) {
    return Fail(
        ErrorCode::kCorruption, "DELTA_PROTOCOL_MISSING",
        fmt::format(
            "the log of {} up to version {} holds no protocol action, so "
            "nobody can know how to read the table; restore the commits "
            "or the checkpoint that held it",
            store->location(), segment.version));
  }
  if (!tail.metadata) {
    return Fail(
        ErrorCode::kCorruption, "DELTA_METADATA_MISSING",
        fmt::format(
            "the log of {} up to version {} holds no metaData action, so "
            "the table has no schema; restore the commits or the "
            "checkpoint that held it",
            store->location(), segment.version));
  }
  return std::make_shared<ReplayedState>(database, segment, std::move(tail),
                                         std::move(checkpoint));
}

std::shared_ptr<const LogState> LogState::Preview(
    duckdb::DatabaseInstance& database, const LogState* base,
    std::vector<protocol::Action> actions) {
  LogTail tail;
  tail.Take(std::move(actions));
  if (base == nullptr) {
    return std::make_shared<ReplayedState>(database, LogSegment(),
                                           std::move(tail), Checkpoint());
  }
  TakeState(*base, tail);
  Checkpoint checkpoint;
  checkpoint.relations = base->relations();
  return std::make_shared<ReplayedState>(
      database, base->segment(), std::move(tail), std::move(checkpoint));
}

}  // namespace bayou::log
