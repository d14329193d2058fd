// SPDX-License-Identifier: Apache-2.0
#include "sql/physical_insert.h"

#include <duckdb/parallel/task_scheduler.hpp>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "kernel/protocol/auto_optimize.h"
#include "kernel/protocol/table_schema.h"
#include "kernel/scan/chosen_rows.h"
#include "kernel/write/shared_writers.h"
#include "kernel/write/table_writer.h"
#include "sql/settings.h"

namespace bayou::sql {
namespace {

using duckdb::ClientContext;
using duckdb::DataChunk;
using duckdb::ExecutionContext;

// Files that several threads write.
class Files {
 public:
  explicit Files(std::shared_ptr<store::Store> store)
      : store_(std::move(store)) {}

  // What no transaction took over belongs to a statement that failed.
  ~Files() { write::DeleteFiles(*store_, written_.files); }

  void Add(write::WrittenFiles more) {
    const std::lock_guard guard(mutex_);
    written_.files.insert(written_.files.end(),
                          std::make_move_iterator(more.files.begin()),
                          std::make_move_iterator(more.files.end()));
    written_.rows += more.rows;
    written_.bytes += more.bytes;
  }
  write::WrittenFiles Take() { return std::exchange(written_, {}); }

 private:
  std::shared_ptr<store::Store> store_;
  std::mutex mutex_;
  write::WrittenFiles written_;
};

std::vector<protocol::CdcFile> AsChangeFiles(write::WrittenFiles written) {
  std::vector<protocol::CdcFile> files;
  for (protocol::AddFile& file : written.files) {
    files.push_back({std::move(file.path), std::move(file.partition_values),
                     file.size, std::move(file.tags)});
  }
  return files;
}

// Whether threads share writers, for few, well-filled files.
bool OptimizesWrites(ClientContext& context,
                     const protocol::Metadata& metadata) {
  const std::string said = TextSetting(context, kOptimizeWrite);
  return said.empty() ? protocol::OptimizesWrites(metadata.configuration)
                      : said == "true";
}

// With the size of files that delta-spark aims at, where the table names none.
std::shared_ptr<const write::FileLayout> OptimizedLayout(
    const std::shared_ptr<const write::FileLayout>& table) {
  constexpr std::int64_t kAim = std::int64_t{128} << 20;
  if (table->metadata.configuration.contains("delta.targetFileSize"))
    return table;
  auto layout = std::make_shared<write::FileLayout>(*table);
  layout->target_file_size = kAim;
  return layout;
}

class GlobalState final : public duckdb::GlobalSinkState {
 public:
  GlobalState(ClientContext& context, PendingWrite& pending_write,
              const RowTarget& target, bool parallel)
      : pending(pending_write),
        store(pending_write.transaction()->shared_store()),
        data(store),
        feed(store) {
    const transaction::Transaction& transaction = *pending.transaction();
    const protocol::Schema schema = engine::Unwrap(
        protocol::TableSchema(transaction.protocol(), transaction.metadata()));
    const bool shares =
        parallel && OptimizesWrites(context, transaction.metadata());
    auto table = engine::Unwrap(write::PlanFileLayout(
        transaction.protocol(), transaction.metadata(), schema));
    if (shares) table = OptimizedLayout(table);
    data_format = engine::Unwrap(write::ParquetFormat::Bind(
        context, target.extra_columns.empty()
                     ? table
                     : write::WithExtraColumns(*table, target.extra_columns)));
    if (shares) {
      const auto threads =
          duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads();
      // A thread comes from one partition to the next before others do.
      shared.emplace(context, store, data_format,
                     2 * static_cast<std::size_t>(threads), Env::System());
    }
    // A feed that was begun must be complete: an INSERT that follows a change
    // in the same commit writes its rows to it too.
    feeds_inserts =
        !target.change_type && !transaction.staged().change_files.empty();
    if (!target.change_type && !feeds_inserts) return;
    auto layout = write::WithExtraColumns(
        *table, {{target.change_type.value_or(schema.fields.size()),
                  scan::kChangeTypeColumn, duckdb::LogicalType::VARCHAR}});
    layout->folder = "_change_data/";
    layout->prefix = "cdc-00000-";
    feed_format =
        engine::Unwrap(write::ParquetFormat::Bind(context, std::move(layout)));
  }

  PendingWrite& pending;
  std::shared_ptr<store::Store> store;
  std::shared_ptr<const write::ParquetFormat> data_format;
  std::shared_ptr<const write::ParquetFormat> feed_format;  // Null: no feed.
  std::optional<write::SharedWriters> shared;  // Of data; nullopt: no.
  Files data;
  Files feed;
  bool feeds_inserts = false;
  std::int64_t count = 0;  // Rows, for the statement's result.
};

// Where the data of one thread goes: to files of its own, or through the
// writers that all share.
class DataOutput {
 public:
  DataOutput(ClientContext& context, GlobalState& global, bool checks,
             write::Encoding encoding)
      : checks_(checks) {
    if (global.shared) {
      shared_.emplace(*global.shared, checks);
    } else {
      own_.emplace(context, global.store, global.data_format, Env::System(),
                   encoding);
    }
  }

  Status Append(DataChunk& rows) {
    if (shared_) return shared_->Append(rows);
    return checks_ ? own_->Append(rows) : own_->AppendUnchecked(rows);
  }
  Result<write::WrittenFiles> Finish() {
    if (own_) return own_->Finish();
    BAYOU_TRY(shared_->Finish());
    return write::WrittenFiles();
  }

 private:
  bool checks_;
  std::optional<write::TableWriter> own_;
  std::optional<write::SharedWriters::Input> shared_;
};

class LocalState final : public duckdb::LocalSinkState {
 public:
  LocalState(ClientContext& context, GlobalState& global,
             const RowTarget& target)
      : data(context, global, target.checks_rows && !target.change_type,
             target.encoding) {
    if (global.feed_format) {
      feed.emplace(context, global.store, global.feed_format, Env::System());
    }
    if (target.more_rules) more_rules.emplace(context, target.more_rules);
  }
  DataOutput data;
  std::optional<write::TableWriter> feed;
  std::optional<write::RowRuleCheck> more_rules;
};

void CheckReplacement(DataChunk& rows, write::RowRuleCheck& rules) {
  Status kept = rules.Check(rows);
  if (kept) return;
  kept.error().condition = "DELTA_REPLACE_WHERE_MISMATCH";
  engine::Unwrap(kept);
}

void FeedInserts(DataChunk& rows, write::TableWriter& feed) {
  DataChunk changes;
  for (duckdb::Vector& column : rows.data) changes.data.emplace_back(column);
  changes.data.emplace_back(duckdb::Value("insert"));
  changes.SetCardinality(rows.size());
  engine::Unwrap(feed.AppendUnchecked(changes));
}

// Rows that are data, and rows for the change feed.
void AppendApart(DataChunk& rows, duckdb::idx_t change_type,
                 LocalState& local) {
  duckdb::UnifiedVectorFormat types;
  rows.data[change_type].ToUnifiedFormat(rows.size(), types);
  duckdb::SelectionVector data(rows.size());
  duckdb::SelectionVector feed(rows.size());
  duckdb::idx_t data_count = 0;
  duckdb::idx_t feed_count = 0;
  for (duckdb::idx_t i = 0; i < rows.size(); ++i) {
    if (types.validity.RowIsValid(types.sel->get_index(i))) {
      feed.set_index(feed_count++, i);
    } else {
      data.set_index(data_count++, i);
    }
  }
  const auto choose = [&](const duckdb::SelectionVector& chosen,
                          duckdb::idx_t count, DataChunk& part) {
    part.InitializeEmpty(rows.GetTypes());
    part.Reference(rows);
    if (count < rows.size()) part.Slice(chosen, count);
  };
  if (data_count > 0) {
    DataChunk part;
    choose(data, data_count, part);
    engine::Unwrap(local.data.Append(part));
  }
  if (feed_count > 0) {
    DataChunk part;
    choose(feed, feed_count, part);
    engine::Unwrap(local.feed->AppendUnchecked(part));
  }
}

}  // namespace

PhysicalDeltaInsert::PhysicalDeltaInsert(
    duckdb::PhysicalPlan& plan, duckdb::vector<duckdb::LogicalType> row_types,
    RowTarget target, bool parallel, duckdb::idx_t cardinality)
    : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION,
                       std::move(row_types), cardinality),
      target_(std::move(target)),
      parallel_(parallel) {}

duckdb::unique_ptr<duckdb::GlobalSinkState>
PhysicalDeltaInsert::GetGlobalSinkState(ClientContext& context) const {
  return duckdb::make_uniq<GlobalState>(context, target_.begin(context),
                                        target_, parallel_);
}

duckdb::unique_ptr<duckdb::LocalSinkState>
PhysicalDeltaInsert::GetLocalSinkState(ExecutionContext& context) const {
  return duckdb::make_uniq<LocalState>(
      context.client, sink_state->Cast<GlobalState>(), target_);
}

duckdb::SinkResultType PhysicalDeltaInsert::Sink(
    ExecutionContext&, DataChunk& chunk,
    duckdb::OperatorSinkInput& input) const {
  auto& local = input.local_state.Cast<LocalState>();
  if (target_.change_type) {
    AppendApart(chunk, *target_.change_type, local);
  } else {
    if (local.more_rules) CheckReplacement(chunk, *local.more_rules);
    engine::Unwrap(local.data.Append(chunk));
    if (input.global_state.Cast<GlobalState>().feeds_inserts)
      FeedInserts(chunk, *local.feed);
  }
  return duckdb::SinkResultType::NEED_MORE_INPUT;
}

duckdb::SinkCombineResultType PhysicalDeltaInsert::Combine(
    ExecutionContext&, duckdb::OperatorSinkCombineInput& input) const {
  auto& local = input.local_state.Cast<LocalState>();
  auto& global = input.global_state.Cast<GlobalState>();
  global.data.Add(engine::Unwrap(local.data.Finish()));
  if (local.feed) global.feed.Add(engine::Unwrap(local.feed->Finish()));
  return duckdb::SinkCombineResultType::FINISHED;
}

duckdb::SinkFinalizeType PhysicalDeltaInsert::Finalize(
    duckdb::Pipeline&, duckdb::Event&, ClientContext& context,
    duckdb::OperatorSinkFinalizeInput& input) const {
  auto& state = input.global_state.Cast<GlobalState>();
  if (state.shared) state.data.Add(engine::Unwrap(state.shared->Finish()));
  state.count = target_.finish(context, state.pending, state.data.Take(),
                               AsChangeFiles(state.feed.Take()));
  return duckdb::SinkFinalizeType::READY;
}

duckdb::SourceResultType PhysicalDeltaInsert::GetDataInternal(
    ExecutionContext&, DataChunk& chunk, duckdb::OperatorSourceInput&) const {
  chunk.SetCardinality(1);
  chunk.SetValue(0, 0,
                 duckdb::Value::BIGINT(sink_state->Cast<GlobalState>().count));
  return duckdb::SourceResultType::FINISHED;
}

}  // namespace bayou::sql
