// SPDX-License-Identifier: Apache-2.0
//
// Turns the rows that one thread receives into data files, and gives the `add`
// actions that make them part of the table.
//
// One file is open at a time, so memory stays bounded however many partitions
// there are; rows of one partition should therefore come together. Files are
// durable when Finish() returns, and nobody sees them until a commit names
// them.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/store/store.h"
#include "kernel/write/data_file_name.h"
#include "kernel/write/data_file_writer.h"
#include "kernel/write/file_statistics_writer.h"

namespace bayou::write {

struct WrittenFiles {
  std::vector<protocol::AddFile> files;
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
};

class TableWriter {
 public:
  TableWriter(duckdb::ClientContext& context,
              std::shared_ptr<store::Store> store,
              std::shared_ptr<const ParquetFormat> format, Env& env,
              Encoding encoding = Encoding::kInTurn);

  // Deletes what it wrote, unless Finish() handed it over.
  ~TableWriter();

  // `rows` have all the table's columns, of the layout's row types.
  // Errors: kConstraint (see not_null_check.h and row_rules.h); whatever
  // writing files gives.
  Status Append(duckdb::DataChunk& rows);

  // The same for rows that are known to keep the table's rules, or that are in
  // the table already and need not.
  Status AppendUnchecked(duckdb::DataChunk& rows);

  Result<WrittenFiles> Finish();

 private:
  struct OpenFile;

  Result<PartitionKey> KeyOf(duckdb::DataChunk& rows, std::size_t row) const;
  Status AppendToPartition(const PartitionKey& key, duckdb::DataChunk& rows);
  Status OpenFor(const PartitionKey& key);
  Status CloseFile();

  duckdb::ClientContext& context_;
  std::shared_ptr<store::Store> store_;
  std::shared_ptr<const ParquetFormat> format_;
  Env& env_;
  Encoding encoding_;
  RowRuleCheck check_;
  std::unique_ptr<OpenFile> open_;
  WrittenFiles written_;
};

// Deletes data files that no commit names. Failures are ignored: VACUUM finds
// what is left.
void DeleteFiles(store::Store& store,
                 const std::vector<protocol::AddFile>& files);

}  // namespace bayou::write
