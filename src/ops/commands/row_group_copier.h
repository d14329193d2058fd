// SPDX-License-Identifier: Apache-2.0
//
// Makes one file of several by copying their row groups as they are: no value
// is decoded, so it takes what reading and writing the bytes takes. Where rows
// written anew would make a better file, it leaves the task to the one who
// writes them.
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/scan/parquet_footer.h"
#include "kernel/scan/scanned_table.h"
#include "kernel/write/data_file_writer.h"
#include "kernel/write/row_group_copy.h"
#include "kernel/write/table_writer.h"
#include "ops/commands/optimize_plan.h"

namespace bayou::commands {

class RowGroupCopier {
 public:
  // For files of `table`, whose new ones `format` describes.
  RowGroupCopier(duckdb::ClientContext& context,
                 std::shared_ptr<const scan::ScannedTable> table,
                 std::shared_ptr<const write::ParquetFormat> format, Env& env);

  // The file that has the rows of the task's files, in their order; or nullopt,
  // and nothing is written: they have to be decoded. That is so where
  //   rows are deleted, or the file would be larger than files should be, or
  //   one of them is so small that its statistics are not at hand;
  //   a file lies outside of the table or cannot be read as it stands;
  //   the files have other columns, types, codecs or writers than each other,
  //   or than the table has now, or a variant;
  //   row groups are small, or columns very many: whoever reads many pieces is
  //   slow;
  //   the log knows less of a file than its rows would tell.
  // Errors: kCancelled; kResourceExhausted; what reading and writing give.
  Result<std::optional<write::WrittenFiles>> Copy(
      const RewriteTask& task) const;

 private:
  struct Sources;

  bool MayBeCopied(const RewriteTask& task) const;
  Result<std::optional<Sources>> Read(const RewriteTask& task) const;
  Result<std::optional<scan::ParquetFooter>> ReadFooter(
      const protocol::AddFile& file) const;
  bool HasColumnsOfTable(const protocol::Schema& stored) const;

  duckdb::ClientContext* context_;
  std::shared_ptr<const scan::ScannedTable> table_;
  std::shared_ptr<const write::ParquetFormat> format_;
  Env* env_;
};

}  // namespace bayou::commands
