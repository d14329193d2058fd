// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/row_sorter.h"

#include <algorithm>
#include <duckdb/planner/bound_result_modifier.hpp>
#include <duckdb/planner/expression/bound_reference_expression.hpp>

namespace bayou::commands {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

// More makes no sort quicker, as long as few runs are to be merged.
std::uint64_t MemoryFor(std::int64_t bytes) {
  constexpr std::uint64_t kLeast = std::uint64_t{384} << 20;
  return kLeast +
         static_cast<std::uint64_t>(std::max<std::int64_t>(0, bytes)) / 32;
}

duckdb::vector<LogicalType> WithNumber(duckdb::vector<LogicalType> types) {
  types.push_back(LogicalType::UBIGINT);
  return types;
}

duckdb::vector<duckdb::BoundOrderByNode> ByLast(idx_t columns) {
  duckdb::vector<duckdb::BoundOrderByNode> orders;
  orders.emplace_back(duckdb::OrderType::ASCENDING,
                      duckdb::OrderByNullType::NULLS_FIRST,
                      duckdb::make_uniq<duckdb::BoundReferenceExpression>(
                          LogicalType::UBIGINT, columns));
  return orders;
}

duckdb::vector<idx_t> Positions(idx_t count) {
  duckdb::vector<idx_t> positions;
  for (idx_t i = 0; i < count; ++i) positions.push_back(i);
  return positions;
}

}  // namespace

RowSorter::RowSorter(duckdb::ClientContext& context,
                     const duckdb::vector<LogicalType>& types,
                     std::int64_t bytes)
    : engine_(context, MemoryFor(bytes)),
      types_(types),
      sort_(engine_.context(), ByLast(types.size()), WithNumber(types),
            Positions(types.size())),
      sink_(sort_.GetGlobalSinkState(engine_.context())) {}

RowSorter::Input::Input(RowSorter& sorter)
    : sorter_(sorter),
      thread_(sorter.engine_.context()),
      context_(sorter.engine_.context(), thread_, nullptr),
      local_(sorter.sort_.GetLocalSinkState(context_)) {}

void RowSorter::Input::Add(duckdb::DataChunk& rows) {
  duckdb::OperatorSinkInput input{*sorter_.sink_, *local_, interrupt_};
  sorter_.sort_.Sink(context_, rows, input);
}

void RowSorter::Input::Finish() {
  duckdb::OperatorSinkCombineInput input{*sorter_.sink_, *local_, interrupt_};
  sorter_.sort_.Combine(context_, input);
}

void RowSorter::Visit(
    const std::function<void(duckdb::DataChunk& rows)>& visit) {
  duckdb::ClientContext& context = engine_.context();
  duckdb::InterruptState interrupt;
  duckdb::OperatorSinkFinalizeInput finalize{*sink_, interrupt};
  sort_.Finalize(context, finalize);
  duckdb::ThreadContext thread(context);
  duckdb::ExecutionContext execution(context, thread, nullptr);
  const auto global = sort_.GetGlobalSourceState(context, *sink_);
  const auto local = sort_.GetLocalSourceState(execution, *global);
  duckdb::OperatorSourceInput input{*global, *local, interrupt};
  duckdb::DataChunk rows;
  rows.Initialize(context, types_);
  for (;;) {
    rows.Reset();
    const auto result = sort_.GetData(execution, rows, input);
    if (rows.size() > 0) visit(rows);
    if (result == duckdb::SourceResultType::FINISHED || rows.size() == 0)
      return;
  }
}

}  // namespace bayou::commands
