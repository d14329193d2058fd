// SPDX-License-Identifier: Apache-2.0
//
// Writes the rows of files to new files, without changing a row: what OPTIMIZE
// does with its tasks. Row ids stay with their rows where the table tracks
// them, and partition values stay as the log has them, letter by letter.
#pragma once

#include <atomic>
#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/scan/scan_stream.h"
#include "kernel/scan/table_scan.h"
#include "kernel/table/snapshot.h"
#include "kernel/write/data_file_writer.h"
#include "kernel/write/table_writer.h"
#include "ops/commands/clustering_order.h"
#include "ops/commands/clustering_plan.h"
#include "ops/commands/optimize_plan.h"
#include "ops/commands/row_group_copier.h"

namespace bayou::commands {

struct RewriteRules {
  // A file is closed when it has so many bytes.
  std::int64_t target_file_size = 0;
  // The rows of a task are sorted so that near ones lie together; nullopt: they
  // stay in their order.
  std::optional<Clustering> clustering;
};

class FileRewriter {
 public:
  // Errors: kUnsupported for types that cannot be written; kCorruption,
  // DELTA_ROW_TRACKING_INVALID, when the table does not say where row ids are
  // kept; see ResolveClustering.
  static Result<FileRewriter> Prepare(
      duckdb::ClientContext& context,
      std::shared_ptr<const table::Snapshot> snapshot,
      const scan::ScanOptions& options, const RewriteRules& rules, Env& env);

  // Whether row ids outlive the rewriting.
  bool tracks_rows() const { return tracks_rows_; }

  // The new files of each task. Several tasks run at a time, as memory and the
  // engine's threads allow. After an error, none of the new files is left.
  // `bytes_done` counts those of the old files, for who looks at the progress.
  // Errors: kCancelled; what reading and writing give.
  Result<std::vector<write::WrittenFiles>> Run(
      std::span<const RewriteTask> tasks,
      std::atomic<std::int64_t>& bytes_done) const;

 private:
  FileRewriter(duckdb::ClientContext& context,
               std::shared_ptr<const table::Snapshot> snapshot,
               const scan::ScanOptions& options, Env& env)
      : context_(&context),
        snapshot_(std::move(snapshot)),
        options_(options),
        env_(&env) {}

  // The table's columns, and behind them those of row tracking. Throws, as the
  // next ones.
  scan::ScanStream RowsOf(const RewriteTask& task) const;
  void Copy(const RewriteTask& task, write::TableWriter& writer) const;
  void CopySorted(const RewriteTask& task, write::TableWriter& writer) const;
  ClusteringOrder OrderOf(const RewriteTask& task) const;
  Result<write::WrittenFiles> RunTask(const RewriteTask& task,
                                      write::Encoding encoding) const;
  Result<write::WrittenFiles> WriteAnew(const RewriteTask& task,
                                        write::Encoding encoding) const;
  std::size_t ThreadsFor(std::size_t tasks) const;

  duckdb::ClientContext* context_;
  std::shared_ptr<const table::Snapshot> snapshot_;
  scan::ScanOptions options_;
  Env* env_;
  bool tracks_rows_ = false;
  std::optional<Clustering> clustering_;
  std::vector<ClusteringColumn> clustering_columns_;  // Of clustering_.
  std::shared_ptr<const write::ParquetFormat> format_;
  std::optional<RowGroupCopier> copier_;  // Where rows need no new columns.
};

}  // namespace bayou::commands
