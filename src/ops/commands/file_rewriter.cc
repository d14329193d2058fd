// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/file_rewriter.h"

#include <algorithm>
#include <duckdb/parallel/task_scheduler.hpp>
#include <duckdb/storage/buffer_manager.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/protocol/table_features.h"
#include "kernel/scan/chosen_rows.h"
#include "kernel/scan/hidden_columns.h"
#include "kernel/scan/scan_stream.h"
#include "kernel/write/file_layout.h"
#include "ops/commands/row_sorter.h"

namespace bayou::commands {
namespace {

using duckdb::LogicalType;
using protocol::AddFile;
using write::WrittenFiles;

// What one task may hold: a row group as rows, and as the file will have it.
constexpr std::uint64_t kTaskMemory = std::uint64_t{256} << 20;

// Behind the table's columns.
Result<std::vector<write::ExtraColumn>> TrackingColumns(
    const table::Snapshot& snapshot) {
  const auto properties = snapshot.properties();
  const auto id = properties.materialized_row_id_column();
  const auto version = properties.materialized_row_commit_version_column();
  if (!id || !version) {
    return Fail(ErrorCode::kCorruption, "DELTA_ROW_TRACKING_INVALID",
                "table " + snapshot.location() +
                    " tracks rows, but does not name the columns in which "
                    "files keep row ids; nothing was changed");
  }
  const std::size_t columns = snapshot.schema().fields.size();
  return std::vector<write::ExtraColumn>{
      {columns, *id, LogicalType::BIGINT},
      {columns + 1, *version, LogicalType::BIGINT}};
}

bool TracksRows(const table::Snapshot& snapshot) {
  return snapshot.properties().row_tracking() &&
         protocol::Supports(snapshot.protocol(), "rowTracking");
}

std::vector<scan::ChosenRows> AllRowsOf(const std::vector<AddFile>& files) {
  std::vector<scan::ChosenRows> rows;
  rows.reserve(files.size());
  for (const AddFile& file : files) rows.push_back({file, {}, {}});
  return rows;
}

// Runs `work` in so many threads; throws what one of them has thrown.
template <typename Work>
void InThreads(std::size_t threads, const Work& work) {
  std::mutex mutex;
  std::optional<Error> failure;
  const auto run = [&] {
    const Status done = engine::Guard(work);
    if (done) return;
    const std::lock_guard lock(mutex);
    if (!failure) failure = done.error();
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(run);
    run();
  }
  if (failure) engine::Throw(*failure);
}

}  // namespace

Result<FileRewriter> FileRewriter::Prepare(
    duckdb::ClientContext& context,
    std::shared_ptr<const table::Snapshot> snapshot,
    const scan::ScanOptions& options, std::int64_t target_file_size, Env& env) {
  FileRewriter rewriter(context, std::move(snapshot), options, env);
  const table::Snapshot& table = *rewriter.snapshot_;
  BAYOU_ASSIGN(const auto planned,
               write::PlanFileLayout(table.protocol(), table.metadata(),
                                     table.schema()));
  std::vector<write::ExtraColumn> columns;
  rewriter.tracks_rows_ = TracksRows(table);
  if (rewriter.tracks_rows_) {
    BAYOU_ASSIGN(columns, TrackingColumns(table));
  }
  auto layout = write::WithExtraColumns(*planned, columns);
  layout->target_file_size = target_file_size;
  BAYOU_ASSIGN(rewriter.format_,
               write::ParquetFormat::Bind(context, std::move(layout)));
  return rewriter;
}

// The threads that share the tasks of a run.
class FileRewriter::Workers {
 public:
  Workers(const FileRewriter& rewriter, const std::vector<RewriteTask>& tasks,
          std::atomic<std::int64_t>& bytes_done)
      : rewriter_(rewriter),
        tasks_(tasks),
        bytes_done_(bytes_done),
        written_(tasks.size()) {}

  Result<std::vector<WrittenFiles>> Run(std::size_t threads) {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i)
      others.emplace_back([this] { Work(); });
    Work();
    others.clear();  // Waits for them.
    if (!failure_) return std::move(written_);
    for (const WrittenFiles& written : written_)
      write::DeleteFiles(rewriter_.snapshot_->store(), written.files);
    return tl::unexpected<Error>(*failure_);
  }

 private:
  void Work() {
    for (;;) {
      const std::size_t next = next_.fetch_add(1);
      if (next >= tasks_.size() || failed_) return;
      auto written = engine::Guard(
          [&] { return engine::Unwrap(rewriter_.RunTask(tasks_[next])); });
      if (!written) return FailWith(written.error());
      written_[next] = *std::move(written);
      bytes_done_ += tasks_[next].bytes();
    }
  }

  void FailWith(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
    failed_ = true;
  }

  const FileRewriter& rewriter_;
  const std::vector<RewriteTask>& tasks_;
  std::atomic<std::int64_t>& bytes_done_;
  std::vector<WrittenFiles> written_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::optional<Error> failure_;
};

Result<std::vector<WrittenFiles>> FileRewriter::Run(
    const std::vector<RewriteTask>& tasks,
    std::atomic<std::int64_t>& bytes_done) const {
  // Sorting takes all threads for one task.
  const std::size_t threads = clustering_ ? 1 : ThreadsFor(tasks.size());
  return Workers(*this, tasks, bytes_done).Run(threads);
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
  RowSorter sorter(*context_, stream.types());
  const auto bring = [&] {
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
  };
  InThreads(ThreadsFor(task.files.size()), bring);
  sorter.Visit([&](duckdb::DataChunk& rows) {
    if (context_->IsInterrupted()) throw duckdb::InterruptException();
    engine::Unwrap(writer.AppendUnchecked(rows));
  });
}

Status FileRewriter::ClusterBy(const Clustering& clustering) {
  BAYOU_ASSIGN(clustering_columns_, ResolveClustering(*snapshot_, clustering));
  clustering_ = clustering;
  return {};
}

Result<WrittenFiles> FileRewriter::RunTask(const RewriteTask& task) const {
  write::TableWriter writer(*context_, snapshot_->shared_store(), format_,
                            *env_);
  const Status copied = engine::Guard([&] {
    if (clustering_) return CopySorted(task, writer);
    Copy(task, writer);
  });
  BAYOU_TRY(copied);
  BAYOU_ASSIGN(WrittenFiles written, writer.Finish());
  const std::string cube = clustering_ ? NewUuid(*env_) : "";
  for (AddFile& file : written.files) {
    if (clustering_) clustering_->Tag(cube, file);
    for (auto& [column, value] : file.partition_values) {
      const auto as_it_was = task.partition.find(column);
      if (as_it_was != task.partition.end()) value = as_it_was->second;
    }
    file.data_change = false;
  }
  return written;
}

}  // namespace bayou::commands
