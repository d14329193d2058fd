// SPDX-License-Identifier: Apache-2.0
#include "sql/physical_row_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <duckdb/common/types/column/column_data_collection.hpp>
#include <mutex>
#include <utility>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/scan/hidden_columns.h"
#include "kernel/write/finite_check.h"
#include "kernel/write/not_null_check.h"
#include "kernel/write/row_rules.h"

namespace bayou::sql {
namespace {

using commands::ChangedRows;
using commands::RowChange;
using duckdb::ClientContext;
using duckdb::ColumnDataCollection;
using duckdb::DataChunk;
using duckdb::ExecutionContext;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::Value;
using duckdb::Vector;

// A new row is kept as: the table's columns, its row id where rows are tracked,
// its change type where there is a feed.
duckdb::vector<LogicalType> NewRowTypes(const RowChangePlan& plan) {
  auto types = plan.ColumnTypes();
  if (plan.tracks_rows) types.push_back(LogicalType::BIGINT);
  if (plan.feeds_changes) types.push_back(LogicalType::VARCHAR);
  return types;
}

// ------------------------------------------------------------------ rows come

class GlobalSink final : public duckdb::GlobalSinkState {
 public:
  GlobalSink(ClientContext& context, const RowChangePlan& plan) {
    outcome.counts.resize(plan.clauses.size());
    outcome.started_ms = Env::System().NowMs();
    if (!plan.WritesRows()) return;
    new_rows =
        duckdb::make_uniq<ColumnDataCollection>(context, NewRowTypes(plan));
    rules = engine::Unwrap(write::RowRules::Bind(
        context, plan.snapshot->metadata(), plan.snapshot->schema()));
  }

  std::mutex mutex;
  ChangedRows rows;
  std::optional<ChangedRows::Place> twice;  // A row that came in twice.
  duckdb::unique_ptr<ColumnDataCollection> new_rows;
  std::shared_ptr<const write::RowRules> rules;  // That new rows keep.
  PhysicalRowChanges::Outcome outcome;
};

class LocalSink final : public duckdb::LocalSinkState {
 public:
  LocalSink(ClientContext& context, const RowChangePlan& plan,
            const GlobalSink& global)
      : counts(plan.clauses.size()), written(STANDARD_VECTOR_SIZE) {
    if (!plan.WritesRows()) return;
    new_rows =
        duckdb::make_uniq<ColumnDataCollection>(context, NewRowTypes(plan));
    new_rows->InitializeAppend(append);
    chunk.InitializeEmpty(NewRowTypes(plan));
    columns.InitializeEmpty(plan.ColumnTypes());
    rules.emplace(context, global.rules);
  }

  ChangedRows rows;
  std::optional<ChangedRows::Place> twice;
  std::vector<std::int64_t> counts;
  duckdb::SelectionVector
      written;  // Of the rows in a chunk: those with values.

  duckdb::unique_ptr<ColumnDataCollection> new_rows;
  duckdb::ColumnDataAppendState append;
  DataChunk chunk;    // New rows, as they are kept.
  DataChunk columns;  // Of them, the table's columns.
  std::optional<write::RowRuleCheck> rules;
};

// A column of a chunk of rows that come in.
template <typename T>
class Column {
 public:
  Column(DataChunk& rows, idx_t column) {
    rows.data[column].ToUnifiedFormat(rows.size(), format_);
    data_ = duckdb::UnifiedVectorFormat::GetData<T>(format_);
  }
  bool IsNull(idx_t row) const {
    return !format_.validity.RowIsValid(format_.sel->get_index(row));
  }
  T operator[](idx_t row) const { return data_[format_.sel->get_index(row)]; }

 private:
  duckdb::UnifiedVectorFormat format_;
  const T* data_;
};

// Notes the rows of the table that are changed; returns how many rows come with
// values, which are then selected in `local.written`.
idx_t NoteRows(const RowChangePlan& plan, DataChunk& rows, LocalSink& local) {
  const Column<std::int8_t> clauses(rows, plan.Clause());
  const Column<std::int64_t> files(rows, plan.File());
  const Column<std::int64_t> positions(rows, plan.Row());
  idx_t written = 0;
  for (idx_t i = 0; i < rows.size(); ++i) {
    if (clauses.IsNull(i)) continue;
    const auto clause = static_cast<std::uint8_t>(clauses[i]);
    const RowChange change = plan.clauses[clause].change;
    if (change != RowChange::kInsert) {
      const ChangedRows::Place place{files[i],
                                     static_cast<std::uint64_t>(positions[i])};
      if (!local.rows.Add(place, change)) {
        if (!plan.allows_repeats) local.twice = place;
        continue;
      }
    }
    ++local.counts[clause];
    if (change != RowChange::kDelete) local.written.set_index(written++, i);
  }
  return written;
}

void FillChangeTypes(const RowChangePlan& plan, DataChunk& rows,
                     const LocalSink& local, idx_t count, Vector& types) {
  static constexpr std::string_view kInsert = "insert";
  static constexpr std::string_view kUpdate = "update_postimage";
  const Column<std::int8_t> clauses(rows, plan.Clause());
  auto* out = duckdb::FlatVector::GetData<duckdb::string_t>(types);
  for (idx_t i = 0; i < count; ++i) {
    const auto clause =
        static_cast<std::uint8_t>(clauses[local.written.get_index(i)]);
    const bool is_insert = plan.clauses[clause].change == RowChange::kInsert;
    const std::string_view type = is_insert ? kInsert : kUpdate;
    out[i] =
        duckdb::string_t(type.data(), static_cast<std::uint32_t>(type.size()));
  }
}

void KeepNewRows(const RowChangePlan& plan, DataChunk& rows, idx_t count,
                 LocalSink& local) {
  for (idx_t i = 0; i < plan.columns(); ++i) {
    local.columns.data[i].Slice(rows.data[i], local.written, count);
  }
  local.columns.SetCardinality(count);
  engine::Unwrap(write::CheckNotNull(plan.snapshot->schema(), local.columns));
  engine::Unwrap(write::CheckFinite(plan.snapshot->schema(), local.columns));
  engine::Unwrap(local.rules->Check(local.columns));
  for (idx_t i = 0; i < plan.columns(); ++i)
    local.chunk.data[i].Reference(local.columns.data[i]);
  idx_t next = plan.columns();
  if (plan.tracks_rows) {
    local.chunk.data[next++].Slice(rows.data[plan.RowId()], local.written,
                                   count);
  }
  if (plan.feeds_changes) {
    Vector types(LogicalType::VARCHAR);
    FillChangeTypes(plan, rows, local, count, types);
    local.chunk.data[next].Reference(types);
  }
  local.chunk.SetCardinality(count);
  local.new_rows->Append(local.append, local.chunk);
}

// ------------------------------------------------------------- all rows are in

std::vector<protocol::AddFile> FilesIn(const duckdb::MultiFileList& list) {
  std::vector<protocol::AddFile> files;
  for (const duckdb::OpenFileInfo& file : list.GetAllFiles())
    files.push_back(scan::DataFileOf(file).add);
  return files;
}

// A scan of chosen rows that threads share.
class ChosenScan {
 public:
  ChosenScan(ClientContext& context, const RowChangePlan& plan,
             std::vector<scan::ChosenRows> rows, bool is_feed)
      : scan_(scan::BindChosenRows(context, plan.snapshot, plan.options,
                                   std::move(rows), is_feed)) {
    for (idx_t i = 0; i < plan.columns(); ++i) column_ids_.push_back(i);
    if (is_feed) column_ids_.push_back(plan.columns());
    types_ = scan_.types;
    if (!is_feed && plan.tracks_rows) {
      for (const auto column : {scan::HiddenColumn::kRowId,
                                scan::HiddenColumn::kRowCommitVersion}) {
        column_ids_.push_back(scan::HiddenColumnId(column));
        types_.push_back(scan::HiddenColumnType(column));
      }
    }
    auto input = Input();
    global_ = scan_.function.init_global(context, input);
  }

  // Of one thread; null when there is nothing left for it.
  duckdb::unique_ptr<duckdb::LocalTableFunctionState> Start(
      ExecutionContext& context) {
    auto input = Input();
    return scan_.function.init_local(context, input, global_.get());
  }

  void Read(ClientContext& context, duckdb::LocalTableFunctionState& local,
            DataChunk& rows) {
    duckdb::TableFunctionInput input(scan_.bind_data.get(), &local,
                                     global_.get());
    input.async_result = duckdb::AsyncResultType::IMPLICIT;
    scan_.function.function(context, input, rows);
  }

  const duckdb::vector<LogicalType>& types() const { return types_; }
  idx_t max_threads() const { return global_->MaxThreads(); }

 private:
  duckdb::TableFunctionInitInput Input() {
    return {scan_.bind_data.get(), column_ids_, {}, nullptr};
  }

  scan::BoundScan scan_;
  duckdb::vector<duckdb::column_t> column_ids_;
  duckdb::vector<LogicalType> types_;
  duckdb::unique_ptr<duckdb::GlobalTableFunctionState> global_;
};

// The row at `place`, for a message.
std::string Describe(ExecutionContext& context, const RowChangePlan& plan,
                     ChangedRows::Place place) {
  protocol::DeletionVector only;
  only.Add(place.row);
  ChosenScan scan(context.client, plan,
                  {{(*plan.opened)[place.file], only.EncodeInline(), {}}},
                  true);
  DataChunk row;
  row.Initialize(context.client, scan.types());
  if (auto local = scan.Start(context)) {
    while (row.size() == 0) scan.Read(context.client, *local, row);
  }
  std::string text;
  for (idx_t i = 0; row.size() > 0 && i < plan.columns(); ++i) {
    if (!text.empty()) text += ", ";
    text += plan.snapshot->schema().fields[i].name + " = " +
            row.GetValue(i, 0).ToString();
    constexpr std::size_t kEnough = 500;
    if (text.size() <= kEnough) continue;
    std::size_t cut = kEnough;  // Before a character, not inside one.
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)
      --cut;
    return text.substr(0, cut) + " ...";
  }
  return text;
}

[[noreturn]] void ThrowTwice(ClientContext& client, const RowChangePlan& plan,
                             ChangedRows::Place place) {
  duckdb::ThreadContext thread(client);
  ExecutionContext context(client, thread, nullptr);
  engine::Throw(
      {ErrorCode::kConstraint,
       "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
       fmt::format(
           "table {}: several rows of the source match one row ({}), and "
           "would change it more than once; nothing was changed; make "
           "the source's rows unique in what they are matched by",
           plan.snapshot->location(), Describe(context, plan, place))});
}

// -------------------------------------------------------------------- rows go

enum class Stage : std::uint8_t {
  kNewRows,
  kRowsToCopy,
  kNewRowsForFeed,
  kOldRowsForFeed,
  kDone
};

class GlobalSource final : public duckdb::GlobalSourceState {
 public:
  GlobalSource(ClientContext& context, const RowChangePlan& plan,
               GlobalSink& sink)
      : new_rows(sink.new_rows.get()) {
    const PhysicalRowChanges::Outcome& outcome = sink.outcome;
    if (new_rows) {
      new_rows->InitializeScan(new_rows_scan);
      new_rows->InitializeScan(feed_scan);
      max_threads_ = std::max<idx_t>(new_rows->ChunkCount(), 1);
    }
    Open(context, plan, outcome.files.RowsToCopy(), false, rows_to_copy);
    if (!outcome.writes_feed) return;
    writes_feed = true;
    Open(context, plan, outcome.files.RowsForFeed(), true, old_rows);
  }

  idx_t MaxThreads() override { return max_threads_; }

  ColumnDataCollection* new_rows;  // Null: the statement writes none.
  duckdb::ColumnDataParallelScanState new_rows_scan;
  duckdb::ColumnDataParallelScanState feed_scan;
  std::optional<ChosenScan> rows_to_copy;
  std::optional<ChosenScan> old_rows;
  bool writes_feed = false;

 private:
  void Open(ClientContext& context, const RowChangePlan& plan,
            std::vector<scan::ChosenRows> rows, bool is_feed,
            std::optional<ChosenScan>& scan) {
    if (rows.empty()) return;
    scan.emplace(context, plan, std::move(rows), is_feed);
    max_threads_ = std::max(max_threads_, scan->max_threads());
  }

  idx_t max_threads_ = 1;
};

class LocalSource final : public duckdb::LocalSourceState {
 public:
  LocalSource(const RowChangePlan& change_plan, GlobalSource& source)
      : plan(change_plan), global(source) {
    if (global.new_rows) {
      global.new_rows->InitializeScanChunk(new_rows);
    }
  }

  // Fills `out`, or leaves it empty at the end.
  void Next(ExecutionContext& context, DataChunk& out) {
    while (out.size() == 0 && stage_ != Stage::kDone) {
      if (!Step(context, out))
        stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
    }
  }

 private:
  // False: the stage is over.
  bool Step(ExecutionContext& context, DataChunk& out) {
    switch (stage_) {
      case Stage::kNewRows:
        return GiveNewRows(global.new_rows_scan, false, out);
      case Stage::kRowsToCopy:
        return GiveChosen(context, global.rows_to_copy, false, out);
      case Stage::kNewRowsForFeed:
        return global.writes_feed && GiveNewRows(global.feed_scan, true, out);
      case Stage::kOldRowsForFeed:
        return GiveChosen(context, global.old_rows, true, out);
      case Stage::kDone:
        return false;
    }
    return false;
  }

  bool GiveNewRows(duckdb::ColumnDataParallelScanState& scan, bool is_feed,
                   DataChunk& out) {
    if (!global.new_rows || !global.new_rows->Scan(scan, position_, new_rows))
      return false;
    Give(new_rows, out);
    if (plan.tracks_rows)
      out.data[plan.RowIdOut()].Reference(new_rows.data[plan.columns()]);
    if (is_feed) out.data[plan.ChangeTypeOut()].Reference(new_rows.data.back());
    return true;
  }

  bool GiveChosen(ExecutionContext& context, std::optional<ChosenScan>& scan,
                  bool is_feed, DataChunk& out) {
    if (!scan) return false;
    if (!chosen_) {
      chosen_ = scan->Start(context);
      if (!chosen_) return false;
      rows_.Destroy();
      rows_.Initialize(context.client, scan->types());
    }
    rows_.Reset();
    scan->Read(context.client, *chosen_, rows_);
    if (rows_.size() == 0) {
      chosen_.reset();
      return false;
    }
    Give(rows_, out);
    if (is_feed) {
      out.data[plan.ChangeTypeOut()].Reference(rows_.data[plan.columns()]);
    } else if (plan.tracks_rows) {
      out.data[plan.RowIdOut()].Reference(rows_.data[plan.columns()]);
      out.data[plan.CommitVersionOut()].Reference(
          rows_.data[plan.columns() + 1]);
    }
    return true;
  }

  // The table's columns; what comes behind them is NULL at first.
  void Give(DataChunk& rows, DataChunk& out) const {
    for (idx_t i = 0; i < plan.columns(); ++i)
      out.data[i].Reference(rows.data[i]);
    for (idx_t i = plan.columns(); i < out.ColumnCount(); ++i)
      out.data[i].Reference(Value(out.data[i].GetType()));
    out.SetCardinality(rows.size());
  }

  const RowChangePlan& plan;
  GlobalSource& global;
  Stage stage_ = Stage::kNewRows;
  DataChunk new_rows;
  duckdb::ColumnDataLocalScanState position_;
  DataChunk rows_;
  duckdb::unique_ptr<duckdb::LocalTableFunctionState> chosen_;
};

}  // namespace

// --------------------------------------------------------------------- the
// plan

bool RowChangePlan::WritesRows() const {
  return std::ranges::any_of(clauses, [](const ChangeClause& clause) {
    return clause.change != RowChange::kDelete;
  });
}

duckdb::vector<LogicalType> RowChangePlan::ColumnTypes() const {
  duckdb::vector<LogicalType> types;
  for (const protocol::Field& field : snapshot->schema().fields)
    types.push_back(engine::ToLogicalType(field.type));
  return types;
}

duckdb::vector<LogicalType> RowChangePlan::TypesOut() const {
  auto types = ColumnTypes();
  if (tracks_rows) types.insert(types.end(), 2, LogicalType::BIGINT);
  if (feeds_changes) types.push_back(LogicalType::VARCHAR);
  return types;
}

// ----------------------------------------------------------------- the
// operator

PhysicalRowChanges::PhysicalRowChanges(duckdb::PhysicalPlan& plan,
                                       RowChangePlan changes, idx_t cardinality)
    : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION,
                       changes.TypesOut(), cardinality),
      changes_(std::move(changes)) {}

const PhysicalRowChanges::Outcome& PhysicalRowChanges::outcome() const {
  return sink_state->Cast<GlobalSink>().outcome;
}

duckdb::unique_ptr<duckdb::GlobalSinkState>
PhysicalRowChanges::GetGlobalSinkState(ClientContext& context) const {
  // The rows that come in take values. A transaction with changes of its own
  // has no MERGE, which would have to see them: the table's marks are all.
  if (changes_.identity)
    engine::Unwrap(changes_.identity->Begin(changes_.snapshot->schema()));
  return duckdb::make_uniq<GlobalSink>(context, changes_);
}

duckdb::unique_ptr<duckdb::LocalSinkState>
PhysicalRowChanges::GetLocalSinkState(ExecutionContext& context) const {
  return duckdb::make_uniq<LocalSink>(context.client, changes_,
                                      sink_state->Cast<GlobalSink>());
}

duckdb::SinkResultType PhysicalRowChanges::Sink(
    ExecutionContext&, DataChunk& chunk,
    duckdb::OperatorSinkInput& input) const {
  auto& local = input.local_state.Cast<LocalSink>();
  const idx_t written = NoteRows(changes_, chunk, local);
  if (written > 0) KeepNewRows(changes_, chunk, written, local);
  return duckdb::SinkResultType::NEED_MORE_INPUT;
}

duckdb::SinkCombineResultType PhysicalRowChanges::Combine(
    ExecutionContext&, duckdb::OperatorSinkCombineInput& input) const {
  auto& global = input.global_state.Cast<GlobalSink>();
  auto& local = input.local_state.Cast<LocalSink>();
  const std::lock_guard lock(global.mutex);
  const auto twice = global.rows.Merge(std::move(local.rows));
  if (twice && !changes_.allows_repeats) global.twice = twice;
  if (local.twice) global.twice = local.twice;
  for (std::size_t i = 0; i < local.counts.size(); ++i)
    global.outcome.counts[i] += local.counts[i];
  if (global.new_rows) global.new_rows->Combine(*local.new_rows);
  return duckdb::SinkCombineResultType::FINISHED;
}

duckdb::SinkFinalizeType PhysicalRowChanges::Finalize(
    duckdb::Pipeline&, duckdb::Event&, ClientContext& context,
    duckdb::OperatorSinkFinalizeInput& input) const {
  auto& global = input.global_state.Cast<GlobalSink>();
  if (global.twice) ThrowTwice(context, changes_, *global.twice);
  Outcome& outcome = global.outcome;
  outcome.rows_were_in_ms = Env::System().NowMs();
  if (changes_.whole_files) {
    outcome.files = commands::FileChanges::PlanRemoval(
        context, changes_.snapshot, changes_.options,
        FilesIn(*changes_.whole_files));
  } else {
    outcome.files = commands::FileChanges::Plan(
        context, changes_.snapshot, changes_.options, *changes_.opened,
        std::move(global.rows));
  }
  outcome.writes_feed =
      changes_.feeds_changes && outcome.files.NeedsChangeFiles();
  return duckdb::SinkFinalizeType::READY;
}

duckdb::unique_ptr<duckdb::GlobalSourceState>
PhysicalRowChanges::GetGlobalSourceState(ClientContext& context) const {
  return duckdb::make_uniq<GlobalSource>(context, changes_,
                                         sink_state->Cast<GlobalSink>());
}

duckdb::unique_ptr<duckdb::LocalSourceState>
PhysicalRowChanges::GetLocalSourceState(
    ExecutionContext&, duckdb::GlobalSourceState& global) const {
  return duckdb::make_uniq<LocalSource>(changes_, global.Cast<GlobalSource>());
}

duckdb::SourceResultType PhysicalRowChanges::GetDataInternal(
    ExecutionContext& context, DataChunk& chunk,
    duckdb::OperatorSourceInput& input) const {
  input.local_state.Cast<LocalSource>().Next(context, chunk);
  return chunk.size() == 0 ? duckdb::SourceResultType::FINISHED
                           : duckdb::SourceResultType::HAVE_MORE_OUTPUT;
}

}  // namespace bayou::sql
