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

}  // namespace

Result<FileRewriter> FileRewriter::Prepare(
    duckdb::ClientContext& context,
    std::shared_ptr<const table::Snapshot> snapshot,
    const scan::ScanOptions& options, std::int64_t max_file_size, Env& env) {
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
  // The files of a task fit into one, unless they grow beyond all measure.
  layout->target_file_size =
      max_file_size > INT64_MAX / 2 ? INT64_MAX : 2 * max_file_size;
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
  return Workers(*this, tasks, bytes_done).Run(ThreadsFor(tasks.size()));
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

Result<WrittenFiles> FileRewriter::RunTask(const RewriteTask& task) const {
  write::TableWriter writer(*context_, snapshot_->shared_store(), format_,
                            *env_);
  const Status copied = engine::Guard([&] {
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
  });
  BAYOU_TRY(copied);
  BAYOU_ASSIGN(WrittenFiles written, writer.Finish());
  for (AddFile& file : written.files) {
    for (auto& [column, value] : file.partition_values) {
      const auto as_it_was = task.partition.find(column);
      if (as_it_was != task.partition.end()) value = as_it_was->second;
    }
    file.data_change = false;
  }
  return written;
}

}  // namespace bayou::commands
