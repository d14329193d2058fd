// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/row_pipe.h"

#include <duckdb/main/client_context_state.hpp>
#include <duckdb/main/extension/extension_loader.hpp>
#include <mutex>
#include <utility>

#include "kernel/engine/engine.h"

namespace bayou::engine {

struct RowPipe::State {
  // The next chunk, or nullptr behind the last. Throws.
  const duckdb::DataChunk* Peek() {
    if (!chunk && !done) chunk = Fetch(*rows);
    done = !chunk;
    return chunk.get();
  }

  std::unique_ptr<duckdb::Connection> source;
  duckdb::unique_ptr<duckdb::QueryResult> rows;
  duckdb::unique_ptr<duckdb::DataChunk> chunk;  // Fetched, not yet given.
  bool done = false;
  std::int64_t wanted = 0;  // By the query that reads.
};

namespace {

constexpr const char* kFunction = "bayou_piped_rows";

struct PipeState final : duckdb::ClientContextState {
  explicit PipeState(std::shared_ptr<RowPipe::State> the_pipe)
      : pipe(std::move(the_pipe)) {}
  std::shared_ptr<RowPipe::State> pipe;
};

struct PipeBindData final : duckdb::TableFunctionData {
  std::shared_ptr<RowPipe::State> pipe;
};

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    duckdb::ClientContext& context, duckdb::TableFunctionBindInput&,
    duckdb::vector<duckdb::LogicalType>& types,
    duckdb::vector<std::string>& names) {
  const auto state = context.registered_state->Get<PipeState>(kFunction);
  if (!state) {
    throw duckdb::BinderException("%s is internal to Bayou", kFunction);
  }
  types = state->pipe->rows->types;
  names = state->pipe->rows->names;
  auto data = duckdb::make_uniq<PipeBindData>();
  data->pipe = state->pipe;
  return data;
}

// Of one thread, so that the rows keep their order.
duckdb::unique_ptr<duckdb::GlobalTableFunctionState> Begin(
    duckdb::ClientContext&, duckdb::TableFunctionInitInput&) {
  return duckdb::make_uniq<duckdb::GlobalTableFunctionState>();
}

void Read(duckdb::ClientContext&, duckdb::TableFunctionInput& input,
          duckdb::DataChunk& output) {
  RowPipe::State& pipe = *input.bind_data->Cast<PipeBindData>().pipe;
  if (pipe.wanted <= 0 || !pipe.Peek()) return;
  pipe.wanted -= static_cast<std::int64_t>(pipe.chunk->size());
  output.Reference(*pipe.chunk);
  pipe.chunk.reset();
}

void Register(duckdb::DatabaseInstance& database) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  duckdb::ExtensionLoader loader(database, "bayou");
  if (loader.TryGetTableFunction(kFunction)) return;
  loader.RegisterFunction(
      duckdb::TableFunction(kFunction, {}, Read, Bind, Begin));
}

}  // namespace

Result<RowPipe> RowPipe::Open(std::unique_ptr<duckdb::Connection> source,
                              const std::string& sql) {
  for (const char* setting : {"SET SESSION preserve_insertion_order = true",
                              "SET SESSION streaming_buffer_size = '16MB'"}) {
    BAYOU_TRY(Run(*source, setting));
  }
  auto state = std::make_shared<State>();
  BAYOU_ASSIGN(state->rows, Start(*source, sql));
  state->source = std::move(source);
  return RowPipe(std::move(state));
}

Result<bool> RowPipe::HasRows() {
  return Guard([&] { return state_->Peek() != nullptr; });
}

std::string RowPipe::Next(duckdb::Connection& sink, std::int64_t count) {
  Register(*sink.context->db);
  state_->wanted = count;
  sink.context->registered_state->Remove(kFunction);
  sink.context->registered_state->Insert(
      kFunction, duckdb::make_shared_ptr<PipeState>(state_));
  return std::string(kFunction) + "()";
}

}  // namespace bayou::engine
