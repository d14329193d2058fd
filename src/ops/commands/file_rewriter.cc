// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/file_rewriter.h"

#include <algorithm>
#include <duckdb/parallel/task_scheduler.hpp>
#include <duckdb/storage/buffer_manager.hpp>
#include <string>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/for_each.h"
#include "kernel/scan/chosen_rows.h"
#include "kernel/scan/hidden_columns.h"
#include "kernel/scan/scan_stream.h"
#include "kernel/scan/scanned_table.h"
#include "kernel/write/file_layout.h"
#include "ops/commands/row_sorter.h"
#include "ops/commands/row_tracking_columns.h"

namespace bayou::commands {
namespace {

using duckdb::LogicalType;
using protocol::AddFile;
using write::WrittenFiles;

// What one task may hold: a row group as rows, and as the file will have it.
constexpr std::uint64_t kTaskMemory = std::uint64_t{256} << 20;

std::vector<scan::ChosenRows> AllRowsOf(const std::vector<AddFile>& files) {
  std::vector<scan::ChosenRows> rows;
  rows.reserve(files.size());
  for (const AddFile& file : files) rows.push_back({file, {}, {}});
  return rows;
}

}  // namespace

Result<FileRewriter> FileRewriter::Prepare(
    duckdb::ClientContext& context,
    std::shared_ptr<const table::Snapshot> snapshot,
    const scan::ScanOptions& options, const RewriteRules& rules, Env& env) {
  FileRewriter rewriter(context, std::move(snapshot), options, env);
  const table::Snapshot& table = *rewriter.snapshot_;
  BAYOU_ASSIGN(const auto planned,
               write::PlanFileLayout(table.protocol(), table.metadata(),
                                     table.schema()));
  rewriter.tracks_rows_ = TracksRows(table);
  BAYOU_ASSIGN(const auto columns, RowTrackingColumns(table));
  auto layout = write::WithExtraColumns(*planned, columns);
  layout->target_file_size = rules.target_file_size;
  BAYOU_ASSIGN(rewriter.format_,
               write::ParquetFormat::Bind(context, std::move(layout)));
  if (!rewriter.tracks_rows_) {
    BAYOU_ASSIGN(auto scanned,
                 scan::DescribeTable(rewriter.snapshot_, options));
    rewriter.copier_.emplace(context, std::move(scanned), rewriter.format_,
                             env);
  }
  if (rules.clustering) {
    BAYOU_ASSIGN(rewriter.clustering_columns_,
                 ResolveClustering(table, *rules.clustering));
    rewriter.clustering_ = rules.clustering;
  }
  return rewriter;
}

Result<std::vector<WrittenFiles>> FileRewriter::Run(
    std::span<const RewriteTask> tasks,
    std::atomic<std::int64_t>& bytes_done) const {
  std::vector<WrittenFiles> written(tasks.size());
  // Sorting takes all threads for one task.
  const std::size_t at_once = clustering_ ? 1 : tasks.size();
  const std::size_t threads = ThreadsFor(at_once);
  const auto encoding = ThreadsFor(at_once + 1) > at_once
                            ? write::Encoding::kBeside
                            : write::Encoding::kInTurn;
  const Status done =
      engine::ForEach(tasks.size(), threads, [&](std::size_t i) -> Status {
        BAYOU_ASSIGN(written[i], RunTask(tasks[i], encoding));
        bytes_done += tasks[i].bytes();
        return {};
      });
  if (done) return written;
  for (const WrittenFiles& some : written)
    write::DeleteFiles(snapshot_->store(), some.files);
  return tl::unexpected<Error>(done.error());
}

std::size_t FileRewriter::ThreadsFor(std::size_t tasks) const {
  const auto engine = static_cast<std::size_t>(
      duckdb::TaskScheduler::GetScheduler(*context_).NumberOfThreads());
  const std::uint64_t memory =
      duckdb::BufferManager::GetBufferManager(*context_).GetMaxMemory();
  const auto fitting = static_cast<std::size_t>(memory / kTaskMemory);
  return std::max<std::size_t>(1, std::min({tasks, engine, fitting}));
}

scan::ScanStream FileRewriter::RowsOf(const RewriteTask& task) const {
  scan::BoundScan scan = scan::BindChosenRows(*context_, snapshot_, options_,
                                              AllRowsOf(task.files), false);
  auto columns = scan::AllColumns(scan);
  if (tracks_rows_) {
    columns.push_back(HiddenColumnId(scan::HiddenColumn::kRowId));
    columns.push_back(HiddenColumnId(scan::HiddenColumn::kRowCommitVersion));
  }
  return {*context_, std::move(scan), std::move(columns)};
}

void FileRewriter::Copy(const RewriteTask& task,
                        write::TableWriter& writer) const {
  scan::ScanStream stream = RowsOf(task);
  scan::ScanStream::Reader reader(stream);
  duckdb::DataChunk rows;
  rows.Initialize(*context_, stream.types());
  for (;;) {
    if (context_->IsInterrupted()) throw duckdb::InterruptException();
    reader.Next(rows);
    if (rows.size() == 0) return;
    engine::Unwrap(writer.AppendUnchecked(rows));
  }
}

// Reads the columns by which rows are sorted, and no others.
ClusteringOrder FileRewriter::OrderOf(const RewriteTask& task) const {
  std::vector<duckdb::idx_t> sampled;
  for (const ClusteringColumn& column : clustering_columns_) {
    if (std::ranges::find(sampled, column.column) == sampled.end())
      sampled.push_back(column.column);
  }
  scan::ScanStream sample(
      *context_,
      scan::BindChosenRows(*context_, snapshot_, options_,
                           AllRowsOf(task.files), false),
      duckdb::vector<duckdb::column_t>(sampled.begin(), sampled.end()));
  return ClusteringOrder::Learn(*context_, sample, sampled, clustering_columns_,
                                clustering_->curve, *env_);
}

void FileRewriter::CopySorted(const RewriteTask& task,
                              write::TableWriter& writer) const {
  const ClusteringOrder order = OrderOf(task);
  scan::ScanStream stream = RowsOf(task);
  RowSorter sorter(*context_, stream.types(), task.bytes());
  const auto bring = [&](std::size_t) -> Status {
    scan::ScanStream::Reader reader(stream);
    RowSorter::Input input(sorter);
    duckdb::DataChunk rows;
    rows.Initialize(*context_, stream.types());
    auto types = stream.types();
    types.push_back(LogicalType::UBIGINT);
    duckdb::DataChunk numbered;
    numbered.InitializeEmpty(types);
    for (;;) {
      if (context_->IsInterrupted()) throw duckdb::InterruptException();
      reader.Next(rows);
      if (rows.size() == 0) break;
      duckdb::Vector numbers(LogicalType::UBIGINT);
      order.Number(rows, numbers);
      for (duckdb::idx_t i = 0; i < rows.ColumnCount(); ++i)
        numbered.data[i].Reference(rows.data[i]);
      numbered.data.back().Reference(numbers);
      numbered.SetCardinality(rows.size());
      input.Add(numbered);
    }
    input.Finish();
    return {};
  };
  const std::size_t threads = ThreadsFor(task.files.size());
  engine::Unwrap(engine::ForEach(threads, threads, bring));
  sorter.Visit([&](duckdb::DataChunk& rows) {
    if (context_->IsInterrupted()) throw duckdb::InterruptException();
    engine::Unwrap(writer.AppendUnchecked(rows));
  });
}

Result<WrittenFiles> FileRewriter::WriteAnew(const RewriteTask& task,
                                             write::Encoding encoding) const {
  write::TableWriter writer(*context_, snapshot_->shared_store(), format_,
                            *env_, encoding);
  const Status copied = engine::Guard([&] {
    if (clustering_) return CopySorted(task, writer);
    Copy(task, writer);
  });
  BAYOU_TRY(copied);
  return writer.Finish();
}

Result<WrittenFiles> FileRewriter::RunTask(const RewriteTask& task,
                                           write::Encoding encoding) const {
  std::optional<WrittenFiles> copied;
  if (copier_ && !clustering_) {
    BAYOU_ASSIGN(copied, copier_->Copy(task));
  }
  if (!copied) {
    BAYOU_ASSIGN(copied, WriteAnew(task, encoding));
  }
  WrittenFiles& written = *copied;
  const std::string cube = clustering_ ? NewUuid(*env_) : "";
  for (AddFile& file : written.files) {
    if (clustering_) clustering_->Tag(cube, file);
    for (auto& [column, value] : file.partition_values) {
      const auto as_it_was = task.partition.find(column);
      if (as_it_was != task.partition.end()) value = as_it_was->second;
    }
    file.data_change = false;
  }
  return std::move(written);
}

}  // namespace bayou::commands
