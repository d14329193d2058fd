// SPDX-License-Identifier: Apache-2.0
//
// The middle of the plan of a DELETE, UPDATE or MERGE. It takes in the rows to
// change, settles what becomes of their files when all are there, and gives out
// the rows that have to be written: new ones, those that stay in files which
// are rewritten, and those of the change feed.
#pragma once

#include <duckdb.hpp>
#include <duckdb/execution/physical_operator.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "kernel/scan/data_file_list.h"
#include "kernel/scan/opened_files.h"
#include "kernel/scan/table_scan.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/changed_rows.h"
#include "ops/commands/file_changes.h"
#include "sql/insert_columns.h"

namespace bayou::sql {

// What a statement does with a row.
struct ChangeClause {
  commands::RowChange change = commands::RowChange::kDelete;
  bool by_source = false;  // MERGE: WHEN NOT MATCHED BY SOURCE.
};

struct RowChangePlan {
  std::shared_ptr<const table::Snapshot> snapshot;
  scan::ScanOptions options;
  std::shared_ptr<const scan::OpenedFiles>
      opened;  // By the scan of the target.
  // If set, every row of these files goes, and no row comes in.
  duckdb::unique_ptr<duckdb::MultiFileList> whole_files;

  std::vector<ChangeClause> clauses;
  // The same row may come in several times, as long as it is to be deleted.
  bool allows_repeats = false;

  // Identity columns of new rows; null: there are none.
  IdentityOfStatement identity;

  bool tracks_rows = false;  // Row ids stay with their rows.
  bool feeds_changes = false;

  bool WritesRows() const;
  std::size_t columns() const { return snapshot->schema().fields.size(); }

  // Where columns stand in the rows that come in: behind the table's columns as
  // they are to be, if the statement writes rows.
  duckdb::idx_t Clause() const {  // TINYINT, in `clauses`; NULL: none applies.
    return WritesRows() ? columns() : 0;
  }
  duckdb::idx_t File() const { return Clause() + 1; }   // See opened_files.h.
  duckdb::idx_t Row() const { return Clause() + 2; }    // BIGINT, as `File`.
  duckdb::idx_t RowId() const { return Clause() + 3; }  // If rows are tracked.
  // Columns by which DuckDB finds a row again, from `File` on.
  duckdb::idx_t RowIdColumns() const { return tracks_rows ? 3 : 2; }

  // Where columns stand in the rows that go out, behind the table's.
  duckdb::idx_t RowIdOut() const { return columns(); }
  duckdb::idx_t CommitVersionOut() const { return columns() + 1; }
  duckdb::idx_t ChangeTypeOut() const {
    return columns() + (tracks_rows ? 2 : 0);
  }
  duckdb::vector<duckdb::LogicalType> ColumnTypes() const;
  duckdb::vector<duckdb::LogicalType> TypesOut() const;
};

class PhysicalRowChanges final : public duckdb::PhysicalOperator {
 public:
  PhysicalRowChanges(duckdb::PhysicalPlan& plan, RowChangePlan changes,
                     duckdb::idx_t cardinality);

  // Once all rows are in.
  struct Outcome {
    commands::FileChanges files;
    std::vector<std::int64_t> counts;  // Of rows, by clause.
    bool writes_feed = false;
    std::int64_t started_ms = 0;
    std::int64_t rows_were_in_ms = 0;
  };
  const Outcome& outcome() const;
  const RowChangePlan& changes() const { return changes_; }

  duckdb::string GetName() const override { return "DELTA_CHANGE_ROWS"; }

  bool IsSink() const override { return true; }
  bool ParallelSink() const override { return true; }
  bool SinkOrderDependent() const override { return false; }
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
  bool ParallelSource() const override { return true; }
  duckdb::unique_ptr<duckdb::GlobalSourceState> GetGlobalSourceState(
      duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::LocalSourceState> GetLocalSourceState(
      duckdb::ExecutionContext& context,
      duckdb::GlobalSourceState& global) const override;

 protected:
  duckdb::SourceResultType GetDataInternal(
      duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
      duckdb::OperatorSourceInput& input) const override;

 private:
  RowChangePlan changes_;
};

}  // namespace bayou::sql
