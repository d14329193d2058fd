// SPDX-License-Identifier: Apache-2.0
//
// The end of the plan of every statement that writes rows: each thread writes
// the rows that reach it to files of its own; the files become part of the SQL
// transaction when all are there. Gives one row: how many rows were changed.
#pragma once

#include <duckdb.hpp>
#include <duckdb/execution/physical_operator.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kernel/write/data_file_writer.h"
#include "kernel/write/file_layout.h"
#include "kernel/write/row_rules.h"
#include "kernel/write/table_writer.h"
#include "sql/pending_write.h"

namespace bayou::sql {

// What is written, and to what end.
struct RowTarget {
  // Begins the write in the SQL transaction of `context` and returns its
  // pending changes. Called once, before the first row.
  std::function<PendingWrite&(duckdb::ClientContext& context)> begin;

  // Hands the files over when all are written, those with data and those of the
  // change feed, and returns the number of rows for the statement's result.
  std::function<std::int64_t(duckdb::ClientContext& context,
                             PendingWrite& pending, write::WrittenFiles data,
                             std::vector<protocol::CdcFile> feed)>
      finish;

  // Rows are new, so they must keep the table's rules.
  bool checks_rows = true;
  // And these, of REPLACE WHERE; null: none.
  std::shared_ptr<const write::RowRules> more_rules = {};
  // Columns that stand behind the table's, for data files.
  std::vector<write::ExtraColumn> extra_columns = {};
  // Where a column says that a row is for the change feed, and what change it
  // was; NULL: it is data.
  std::optional<duckdb::idx_t> change_type = {};
  // Of data files.
  write::Encoding encoding = write::Encoding::kInTurn;
};

class PhysicalDeltaInsert final : public duckdb::PhysicalOperator {
 public:
  // `parallel`: several threads may write at once, in no order.
  PhysicalDeltaInsert(duckdb::PhysicalPlan& plan,
                      duckdb::vector<duckdb::LogicalType> types,
                      RowTarget target, bool parallel,
                      duckdb::idx_t cardinality);

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
  RowTarget target_;
  bool parallel_;
};

}  // namespace bayou::sql
