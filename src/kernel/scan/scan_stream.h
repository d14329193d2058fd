// SPDX-License-Identifier: Apache-2.0
//
// Reads the rows of a bound scan outside of a query plan.
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <vector>

#include "kernel/scan/hidden_columns.h"
#include "kernel/scan/table_scan.h"

namespace bayou::scan {

class ScanStream {
 public:
  // `columns`: positions among the scan's, or ids of hidden columns. Throws
  // DuckDB exceptions, as all below.
  ScanStream(duckdb::ClientContext& context, BoundScan scan,
             duckdb::vector<duckdb::column_t> columns);

  const duckdb::vector<duckdb::LogicalType>& types() const { return types_; }

  // Reads a share of the rows; for one thread. A single reader gives the files
  // in their order, and the rows of each in theirs.
  class Reader {
   public:
    explicit Reader(ScanStream& stream);

    // Replaces `rows`, which were initialized with types(); empty at the end.
    void Next(duckdb::DataChunk& rows);

   private:
    ScanStream& stream_;
    duckdb::ThreadContext thread_;
    duckdb::ExecutionContext context_;
    duckdb::unique_ptr<duckdb::LocalTableFunctionState> local_;  // Null: none.
  };

 private:
  duckdb::TableFunctionInitInput Input() {
    return {scan_.bind_data.get(), columns_, {}, nullptr};
  }

  duckdb::ClientContext& context_;
  BoundScan scan_;
  duckdb::vector<duckdb::column_t> columns_;
  duckdb::vector<duckdb::LogicalType> types_;
  duckdb::unique_ptr<duckdb::GlobalTableFunctionState> global_;
};

// The positions of all of the scan's columns.
duckdb::vector<duckdb::column_t> AllColumns(const BoundScan& scan);

}  // namespace bayou::scan
