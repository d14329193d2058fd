// SPDX-License-Identifier: Apache-2.0
//
// Which files a query needs: the conditions of its filters that can be judged
// by what the log says about a file.
#pragma once

#include <duckdb.hpp>
#include <duckdb/common/multi_file/multi_file_list.hpp>
#include <duckdb/planner/table_filter.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kernel/log/log_replay.h"
#include "kernel/scan/file_condition.h"
#include "kernel/scan/generated_partitions.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {

class FilePruning final : public log::FilePredicate {
 public:
  using Shared = std::shared_ptr<const FilePruning>;

  // `before` (may be null) with the query's filters added; `before` itself when
  // they say nothing about files. Filters that this settles for every row,
  // being over partition values and hidden file columns alone, are taken out of
  // `filters`.
  static Shared WithFilters(
      duckdb::ClientContext& context,
      const std::shared_ptr<const ScannedTable>& table, const Shared& before,
      const duckdb::MultiFilePushdownInfo& info,
      duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters);

  // The same with filters that become known when the scan starts: the range of
  // a join's other side. They stay in the query.
  static Shared WithTableFilters(
      duckdb::ClientContext& context,
      const std::shared_ptr<const ScannedTable>& table, const Shared& before,
      const duckdb::vector<duckdb::column_t>& column_ids,
      const duckdb::TableFilterSet& filters);

  bool Keep(const log::FileView& file) const override;
  bool NeedsStats() const override { return !by_statistics_.empty(); }
  bool JudgesStats() const override;
  bool KeepStats(std::string_view stats) const override;
  std::string CheckpointFilter(const duckdb::LogicalType& add) const override;

  enum class Verdict : std::uint8_t { kKept, kByPartition, kByStatistics };
  struct Judgement {
    Verdict verdict = Verdict::kKept;
    std::string_view condition;  // What leaves the file out, as SQL.
  };
  Result<Judgement> Judge(const log::FileView& file) const;

  // Set once a file could not be judged (it was kept): a partition value that
  // does not parse. To be looked at after files were asked for.
  std::optional<Error> failure() const;

 private:
  struct Condition {
    std::shared_ptr<const FileCondition> condition;
    std::string text;
  };

  explicit FilePruning(const Shared& before);
  // False when nothing can be said, or it was said before.
  bool Add(duckdb::ClientContext& context,
           const std::shared_ptr<const ScannedTable>& table,
           const ColumnBindings& bindings, const duckdb::Expression& filter,
           bool* settled);
  // What statistics tell about each of columns_.
  std::vector<ValueRange> RangesOf(std::string_view stats) const;
  // And what partition columns tell that are generated from them.
  std::vector<ValueRange> RangesOf(const log::FileView& file) const;

  std::vector<Condition> exact_;
  std::vector<Condition> by_statistics_;
  std::vector<StatisticsColumn> columns_;
  std::vector<protocol::ColumnPath> paths_;  // Of columns_.
  std::shared_ptr<const GeneratedPartitions> generated_;

  mutable std::mutex failure_mutex_;
  mutable std::optional<Error> failure_;
};

}  // namespace bayou::scan
