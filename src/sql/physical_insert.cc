// SPDX-License-Identifier: Apache-2.0
#include "sql/physical_insert.h"

#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "kernel/write/table_writer.h"

namespace bayou::sql {
namespace {

using duckdb::ClientContext;
using duckdb::DataChunk;
using duckdb::ExecutionContext;

class GlobalState final : public duckdb::GlobalSinkState {
 public:
  explicit GlobalState(PendingWrite& pending_write,
                       std::shared_ptr<const write::ParquetFormat> parquet)
      : pending(pending_write),
        store(pending_write.transaction()->shared_store()),
        format(std::move(parquet)) {}

  // What no transaction took over belongs to a statement that failed.
  ~GlobalState() override { write::DeleteFiles(*store, written.files); }

  void Add(write::WrittenFiles more) {
    const std::lock_guard guard(mutex_);
    written.files.insert(written.files.end(),
                         std::make_move_iterator(more.files.begin()),
                         std::make_move_iterator(more.files.end()));
    written.rows += more.rows;
    written.bytes += more.bytes;
  }

  PendingWrite& pending;
  std::shared_ptr<store::Store> store;
  std::shared_ptr<const write::ParquetFormat> format;
  write::WrittenFiles written;
  std::int64_t count = 0;  // Rows, for the statement's result.

 private:
  std::mutex mutex_;
};

class LocalState final : public duckdb::LocalSinkState {
 public:
  LocalState(ClientContext& context, const GlobalState& global)
      : writer(context, global.store, global.format, Env::System()) {}
  write::TableWriter writer;
};

}  // namespace

PhysicalDeltaInsert::PhysicalDeltaInsert(
    duckdb::PhysicalPlan& plan, duckdb::vector<duckdb::LogicalType> row_types,
    Begin begin, IdentityOfStatement identity, bool read_table, bool parallel,
    duckdb::idx_t cardinality)
    : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION,
                       std::move(row_types), cardinality),
      begin_(std::move(begin)),
      identity_(std::move(identity)),
      read_table_(read_table),
      parallel_(parallel) {}

duckdb::unique_ptr<duckdb::GlobalSinkState>
PhysicalDeltaInsert::GetGlobalSinkState(ClientContext& context) const {
  PendingWrite& pending = begin_(context);
  const transaction::Transaction& transaction = *pending.transaction();
  const protocol::Schema schema = engine::Unwrap(
      protocol::ParseSchema(transaction.metadata().schema_string));
  auto layout = engine::Unwrap(write::PlanFileLayout(
      transaction.protocol(), transaction.metadata(), schema));
  auto format =
      engine::Unwrap(write::ParquetFormat::Bind(context, std::move(layout)));
  return duckdb::make_uniq<GlobalState>(pending, std::move(format));
}

duckdb::unique_ptr<duckdb::LocalSinkState>
PhysicalDeltaInsert::GetLocalSinkState(ExecutionContext& context) const {
  return duckdb::make_uniq<LocalState>(context.client,
                                       sink_state->Cast<GlobalState>());
}

duckdb::SinkResultType PhysicalDeltaInsert::Sink(
    ExecutionContext&, DataChunk& chunk,
    duckdb::OperatorSinkInput& input) const {
  engine::Unwrap(input.local_state.Cast<LocalState>().writer.Append(chunk));
  return duckdb::SinkResultType::NEED_MORE_INPUT;
}

duckdb::SinkCombineResultType PhysicalDeltaInsert::Combine(
    ExecutionContext&, duckdb::OperatorSinkCombineInput& input) const {
  auto written =
      engine::Unwrap(input.local_state.Cast<LocalState>().writer.Finish());
  input.global_state.Cast<GlobalState>().Add(std::move(written));
  return duckdb::SinkCombineResultType::FINISHED;
}

duckdb::SinkFinalizeType PhysicalDeltaInsert::Finalize(
    duckdb::Pipeline&, duckdb::Event&, ClientContext&,
    duckdb::OperatorSinkFinalizeInput& input) const {
  auto& state = input.global_state.Cast<GlobalState>();
  state.count = state.written.rows;
  if (identity_) engine::Unwrap(state.pending.MoveIdentityMarks(*identity_));
  state.pending.AddFiles(std::exchange(state.written, {}), read_table_);
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
