// SPDX-License-Identifier: Apache-2.0
//
// Lets rows pass and counts them: those of the source of a MERGE.
#pragma once

#include <atomic>
#include <cstdint>
#include <duckdb.hpp>
#include <duckdb/execution/physical_operator.hpp>

namespace bayou::sql {

class PhysicalRowCounter final : public duckdb::PhysicalOperator {
 public:
  PhysicalRowCounter(duckdb::PhysicalPlan& plan, PhysicalOperator& rows)
      : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION,
                         rows.types, rows.estimated_cardinality) {
    children.push_back(rows);
  }

  // In the last execution.
  std::int64_t count() const {
    return op_state ? op_state->Cast<State>().rows.load() : 0;
  }

  duckdb::string GetName() const override { return "DELTA_COUNT_ROWS"; }
  bool ParallelOperator() const override { return true; }
  duckdb::OrderPreservationType OperatorOrder() const override {
    return duckdb::OrderPreservationType::INSERTION_ORDER;
  }
  duckdb::unique_ptr<duckdb::GlobalOperatorState> GetGlobalOperatorState(
      duckdb::ClientContext&) const override {
    return duckdb::make_uniq<State>();
  }
  duckdb::OperatorResultType Execute(duckdb::ExecutionContext&,
                                     duckdb::DataChunk& input,
                                     duckdb::DataChunk& chunk,
                                     duckdb::GlobalOperatorState& state,
                                     duckdb::OperatorState&) const override {
    state.Cast<State>().rows += static_cast<std::int64_t>(input.size());
    chunk.Reference(input);
    return duckdb::OperatorResultType::NEED_MORE_INPUT;
  }

 private:
  struct State : public duckdb::GlobalOperatorState {
    std::atomic<std::int64_t> rows = 0;
  };
};

}  // namespace bayou::sql
