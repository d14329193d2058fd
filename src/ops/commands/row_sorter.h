// SPDX-License-Identifier: Apache-2.0
//
// Sorts rows by a number that each has, in memory that is bounded: see
// side_engine.h. What it does not hold is on disk.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <duckdb/common/sorting/sort.hpp>
#include <functional>

#include "kernel/engine/side_engine.h"

namespace bayou::commands {

// Rows are chunks of `types` and a last column, UBIGINT, the number. Throws
// DuckDB exceptions.
class RowSorter {
 public:
  // `bytes`: of the files that have the rows, about.
  RowSorter(duckdb::ClientContext& context,
            const duckdb::vector<duckdb::LogicalType>& types,
            std::int64_t bytes);

  // What one thread brings.
  class Input {
   public:
    explicit Input(RowSorter& sorter);
    void Add(duckdb::DataChunk& rows);
    void Finish();

   private:
    RowSorter& sorter_;
    duckdb::ThreadContext thread_;
    duckdb::ExecutionContext context_;
    duckdb::unique_ptr<duckdb::LocalSinkState> local_;
    duckdb::InterruptState interrupt_;
  };

  // Once all inputs are finished: the rows in order, without the number.
  void Visit(const std::function<void(duckdb::DataChunk& rows)>& visit);

 private:
  engine::SideEngine engine_;
  duckdb::vector<duckdb::LogicalType> types_;
  duckdb::Sort sort_;
  duckdb::unique_ptr<duckdb::GlobalSinkState> sink_;
};

}  // namespace bayou::commands
