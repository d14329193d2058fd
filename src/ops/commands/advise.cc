// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "kernel/log/log_listing.h"
#include "kernel/protocol/file_statistics.h"
#include "ops/commands/live_files.h"
#include "ops/commands/optimize_plan.h"
#include "ops/commands/rewrite_candidates.h"
#include "ops/commands/vacuum_plan.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using table::Snapshot;

// A few small files are nobody's trouble.
constexpr std::int64_t kManySmallFiles = 20;
constexpr std::int64_t kManyPartitions = 100;
constexpr std::int64_t kSmallPartition = std::int64_t{64} << 20;
constexpr std::int64_t kLargePartition = std::int64_t{1} << 30;
constexpr std::int64_t kSkew = 10;  // Times the average.
constexpr std::int64_t kSecondMs = 1000;

std::string Megabytes(std::int64_t bytes) {
  constexpr double kMegabyte = 1 << 20;
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / kMegabyte);
}

class Adviser {
 public:
  Adviser(const Snapshot& snapshot, Env& env)
      : snapshot_(snapshot),
        table_("delta.`" + snapshot.location() + "`"),
        now_ms_(env.NowMs()) {}

  Result<std::vector<Finding>> Run() {
    BAYOU_TRY(VisitFiles(snapshot_, kAllFields, [&](const AddFile& file) {
      Count(file);
      return Status();
    }));
    BAYOU_TRY(AboutSmallFiles());
    AboutPartitions();
    AboutRows();
    AboutLog();
    AboutRetention();
    AboutVacuum();
    return findings_.Take();
  }

 private:
  struct Partition {
    std::int64_t files = 0;
    std::int64_t bytes = 0;
  };

  void Add(std::string_view code, Severity severity, std::string what,
           std::string remedy) {
    findings_.Add({.code = code,
                   .severity = severity,
                   .place = snapshot_.location(),
                   .what = std::move(what),
                   .remedy = std::move(remedy)});
  }

  void Count(const AddFile& file) {
    ++files_;
    bytes_ += file.size;
    Partition& partition = partitions_[PartitionOf(file)];
    ++partition.files;
    partition.bytes += file.size;
    if (!protocol::ReadStatistics(file.stats.value_or(""), {}).num_records)
      ++without_statistics_;
    if (file.deletion_vector &&
        HasManyDeletedRows(file, BinPackingOf(snapshot_).max_deleted_ratio)) {
      ++with_many_deleted_rows_;
    }
  }

  // How files came that OPTIMIZE would put together.
  Status AboutSmallFiles() {
    BAYOU_ASSIGN(const OptimizePlan plan,
                 PlanOptimize(snapshot_, nullptr, BinPackingOf(snapshot_)));
    std::int64_t small = 0;
    std::int64_t bytes = 0;
    std::map<std::int64_t, std::int64_t> by_second;
    for (const RewriteTask& task : plan.tasks) {
      if (task.files.size() < 2) continue;
      for (const AddFile& file : task.files) {
        ++small;
        bytes += file.size;
        ++by_second[file.modification_time / kSecondMs];
      }
    }
    if (small < kManySmallFiles) return {};
    const auto most = std::ranges::max_element(
        by_second, {}, [](const auto& entry) { return entry.second; });
    const bool from_one_write = most->second * 2 > small;
    Add("SMALL_FILES", Severity::kWarning,
        fmt::format(
            "{} files of {} on average would fit into {}; {}", small,
            Megabytes(bytes / small), plan.tasks.size(),
            from_one_write
                ? "most of them came at once: their writer split its rows too "
                  "finely"
                : fmt::format("they came in {} writes: each brought few rows",
                              by_second.size())),
        "OPTIMIZE " + table_ +
            (from_one_write ? "" : "; and write less often, more at a time"));
    return {};
  }

  void AboutPartitions() {
    const auto count = static_cast<std::int64_t>(partitions_.size());
    if (snapshot_.metadata().partition_columns.empty() || count == 0) return;
    const std::int64_t average = bytes_ / count;
    if (count >= kManyPartitions && average < kSmallPartition) {
      Add("OVER_PARTITIONED", Severity::kWarning,
          fmt::format("{} partitions have {} on average: each has files of its "
                      "own, however few its rows are",
                      count, Megabytes(average)),
          "CREATE TABLE ... CLUSTER BY (...) AS SELECT * FROM " + table_ +
              ", which lets files be left out as well");
    }
    const auto largest = std::ranges::max_element(
        partitions_, {}, [](const auto& entry) { return entry.second.bytes; });
    if (count < 2 || largest->second.bytes < kLargePartition ||
        largest->second.bytes < kSkew * average) {
      return;
    }
    std::string name;
    for (const auto& [column, value] : largest->first) {
      name +=
          (name.empty() ? "" : ", ") + column + " = " + value.value_or("NULL");
    }
    Add("SKEWED_PARTITIONS", Severity::kNote,
        fmt::format("the partition {} has {}, {} times the average", name,
                    Megabytes(largest->second.bytes),
                    largest->second.bytes / std::max<std::int64_t>(average, 1)),
        "CREATE TABLE ... CLUSTER BY (...) AS SELECT * FROM " + table_);
  }

  void AboutRows() {
    if (without_statistics_ > 0) {
      Add("STATISTICS_MISSING", Severity::kWarning,
          fmt::format("{} of {} files have no statistics: every query reads "
                      "them",
                      without_statistics_, files_),
          "UPDATE their rows, or OPTIMIZE " + table_ +
              ", which writes small files anew, with statistics");
    }
    if (with_many_deleted_rows_ > 0) {
      Add("DELETED_ROWS", Severity::kNote,
          fmt::format("of {} files more than 5 % of the rows are deleted, and "
                      "still read",
                      with_many_deleted_rows_),
          "OPTIMIZE " + table_);
    }
  }

  void AboutLog() {
    const auto& deltas = snapshot_.state().segment().deltas;
    const auto interval =
        static_cast<std::size_t>(snapshot_.properties().checkpoint_interval());
    if (deltas.size() > 2 * interval) {
      Add("CHECKPOINT_STALE", Severity::kWarning,
          fmt::format("{} files of the log have to be read behind the newest "
                      "checkpoint",
                      deltas.size()),
          "bayou checkpoint " + snapshot_.location());
    }
    const auto listing = log::ListLog(snapshot_.store(), 0);
    if (!listing) return;
    const std::int64_t cutoff =
        now_ms_ - snapshot_.properties().log_retention().count();
    std::int64_t old = 0;
    for (const log::LogFileName& file : *listing) {
      old += file.kind == log::LogFileKind::kCommit &&
             file.modified_ms < cutoff && file.version < snapshot_.version();
    }
    if (old > static_cast<std::int64_t>(2 * interval)) {
      Add("LOG_LONG", Severity::kNote,
          fmt::format("{} commits are older than the log's retention time",
                      old),
          "bayou clean-log " + snapshot_.location());
    }
  }

  // Versions are lost when either is gone: the log of them, or their files.
  void AboutRetention() {
    const auto properties = snapshot_.properties();
    const auto log = properties.log_retention();
    const auto files = properties.deleted_file_retention();
    if (log >= files) return;
    const auto hours = [](auto time) {
      return std::chrono::duration_cast<std::chrono::hours>(time).count();
    };
    Add("RETENTION_CONTRADICTION", Severity::kWarning,
        fmt::format("the log is kept for {} hours, removed files for {}: time "
                    "travel ends with the log, and the files are kept for "
                    "nothing",
                    hours(log), hours(files)),
        fmt::format("ALTER TABLE {} SET TBLPROPERTIES "
                    "('delta.logRetentionDuration' = 'interval {} hours')",
                    table_, hours(files)));
  }

  void AboutVacuum() {
    const std::int64_t cutoff =
        now_ms_ - snapshot_.properties().deleted_file_retention().count();
    const auto plan = PlanFullVacuum(snapshot_, cutoff);
    if (!plan || plan->files.empty()) return;
    Add("VACUUM_DUE", Severity::kNote,
        fmt::format("{} files of {} are needed by no version that is kept",
                    plan->files.size(), Megabytes(plan->bytes())),
        "VACUUM " + table_);
  }

  const Snapshot& snapshot_;
  const std::string table_;
  const std::int64_t now_ms_;
  Findings findings_;
  std::map<protocol::PartitionValues, Partition> partitions_;
  std::int64_t files_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t without_statistics_ = 0;
  std::int64_t with_many_deleted_rows_ = 0;
};

}  // namespace

Result<std::vector<Finding>> Advise(const Snapshot& snapshot, Env& env) {
  return Adviser(snapshot, env).Run();
}

}  // namespace bayou::commands
