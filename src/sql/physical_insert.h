// SPDX-License-Identifier: Apache-2.0
//
// The end of the plan of an INSERT or CREATE TABLE AS SELECT: each thread
// writes the rows that reach it to files of its own; the files become part of
// the SQL transaction when all are there. Gives one row: how many rows were
// written.
#pragma once

#include <duckdb.hpp>
#include <duckdb/execution/physical_operator.hpp>
#include <functional>

#include "kernel/write/data_file_writer.h"
#include "sql/insert_columns.h"
#include "sql/pending_write.h"

namespace bayou::sql {

class PhysicalDeltaInsert final : public duckdb::PhysicalOperator {
 public:
  // Begins the write in the SQL transaction of `context` and returns its
  // pending changes. Called once, before the first row.
  using Begin = std::function<PendingWrite&(duckdb::ClientContext& context)>;

  // `identity`: the values that rows take on their way here, or null.
  // `parallel`: several threads may write at once, in no order.
  PhysicalDeltaInsert(duckdb::PhysicalPlan& plan,
                      duckdb::vector<duckdb::LogicalType> types, Begin begin,
                      IdentityOfStatement identity, bool read_table,
                      bool parallel, duckdb::idx_t cardinality);

  duckdb::string GetName() const override { return "DELTA_INSERT"; }

  bool IsSink() const override { return true; }
  bool ParallelSink() const override { return parallel_; }
  bool SinkOrderDependent() const override { return !parallel_; }
  duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(
      duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(
      duckdb::ExecutionContext& context) const override;
  duckdb::SinkResultType Sink(duckdb::ExecutionContext& context,
                              duckdb::DataChunk& chunk,
                              duckdb::OperatorSinkInput& input) const override;
  duckdb::SinkCombineResultType Combine(
      duckdb::ExecutionContext& context,
      duckdb::OperatorSinkCombineInput& input) const override;
  duckdb::SinkFinalizeType Finalize(
      duckdb::Pipeline& pipeline, duckdb::Event& event,
      duckdb::ClientContext& context,
      duckdb::OperatorSinkFinalizeInput& input) const override;

  bool IsSource() const override { return true; }

 protected:
  duckdb::SourceResultType GetDataInternal(
      duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
      duckdb::OperatorSourceInput& input) const override;

 private:
  Begin begin_;
  IdentityOfStatement identity_;
  bool read_table_;
  bool parallel_;
};

}  // namespace bayou::sql
