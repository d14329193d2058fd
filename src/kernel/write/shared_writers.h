// SPDX-License-Identifier: Apache-2.0
//
// Writers that the threads of a statement take turns with, so that its rows
// come into few, well-filled files, and not into files of each thread.
//
// A thread collects a row group of a partition, takes the partition's writer
// for it, and gives the writer back. A partition has one at first, and may have
// one more for each file that has been filled: a small statement makes one file
// of a partition, and a large one keeps all threads at work.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <duckdb.hpp>
#include <duckdb/common/types/column/column_data_collection.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/store/store.h"
#include "kernel/write/table_writer.h"

namespace bayou::write {

class SharedWriters {
  using Key = std::vector<duckdb::Value>;  // Of a partition.

 public:
  // So many files are open at a time: `most`, when so many partitions are
  // written to or so many files have been filled.
  SharedWriters(duckdb::ClientContext& context,
                std::shared_ptr<store::Store> store,
                std::shared_ptr<const ParquetFormat> format, std::size_t most,
                Env& env);

  // What one thread brings. Rows of one partition come together.
  class Input {
   public:
    // `checks`: see TableWriter::Append and AppendUnchecked.
    Input(SharedWriters& writers, bool checks)
        : writers_(writers), checks_(checks) {}

    // Errors: those of TableWriter, also for rows that came before.
    Status Append(duckdb::DataChunk& rows);
    // Hands over what is left.
    Status Finish();

   private:
    void Collect(duckdb::DataChunk& rows);

    SharedWriters& writers_;
    bool checks_;
    Key key_;  // Of the rows below.
    duckdb::unique_ptr<duckdb::ColumnDataCollection> rows_;  // Null: none.
    duckdb::ColumnDataAppendState append_;
  };

  // When all inputs are finished: the files, which are the caller's now.
  Result<WrittenFiles> Finish();

 private:
  struct Lane {
    std::unique_ptr<TableWriter> writer;
    Key key;  // Of the partition to which it writes, or wrote.
    bool is_taken = false;
    std::int64_t last_turn = 0;
  };
  class Turn;  // With a lane.

  Status Write(const Key& key, duckdb::ColumnDataCollection& rows, bool checks);
  Lane& Take(const Key& key);
  void GiveBack(Lane& lane, std::int64_t bytes);
  // With the mutex held; null: others have to give one back first.
  Lane* FindFree(const Key& key);
  Key KeyOf(const duckdb::DataChunk& rows, duckdb::idx_t row) const;
  // Behind the last of the rows from `first` on that are of that partition.
  duckdb::idx_t EndOf(const Key& key, const duckdb::DataChunk& rows,
                      duckdb::idx_t first) const;

  duckdb::ClientContext& context_;
  std::shared_ptr<store::Store> store_;
  std::shared_ptr<const ParquetFormat> format_;
  std::size_t most_;
  Env& env_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::int64_t turns_ = 0;
  std::int64_t bytes_ = 0;  // That were written, as they were in memory.
};

}  // namespace bayou::write
