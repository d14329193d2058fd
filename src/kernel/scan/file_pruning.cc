// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/file_pruning.h"

#include <algorithm>
#include <duckdb/planner/expression/bound_columnref_expression.hpp>
#include <duckdb/planner/filter/optional_filter.hpp>
#include <utility>

#include "kernel/scan/hidden_columns.h"

namespace bayou::scan {
namespace {

using duckdb::column_t;
using duckdb::idx_t;

class ScanBindings : public ColumnBindings {
 public:
  ScanBindings(idx_t table_index, const duckdb::vector<column_t>& column_ids)
      : table_index_(table_index), column_ids_(column_ids) {}

  std::optional<column_t> Find(
      const duckdb::BoundColumnRefExpression& column) const override {
    const auto& binding = column.binding;
    if (binding.table_index != table_index_ || column.depth != 0 ||
        binding.column_index >= column_ids_.size()) {
      return std::nullopt;
    }
    return column_ids_[binding.column_index];
  }

 private:
  const idx_t table_index_;
  const duckdb::vector<column_t>& column_ids_;
};

std::string NameOf(const ScannedTable& table, column_t id) {
  if (!duckdb::IsVirtualColumn(id)) return table.columns[id].field.name;
  const auto hidden = HiddenColumnOf(id);
  return hidden ? HiddenColumnName(*hidden) : std::string();
}

duckdb::LogicalType TypeOf(const ScannedTable& table, column_t id) {
  if (!duckdb::IsVirtualColumn(id)) return table.columns[id].type;
  const auto hidden = HiddenColumnOf(id);
  return hidden ? HiddenColumnType(*hidden) : duckdb::LogicalType::BOOLEAN;
}

// The parts that AND joins in a table filter. Filters that say nothing yet
// become none.
void Flatten(const duckdb::TableFilter& filter,
             const duckdb::Expression& column,
             std::vector<duckdb::unique_ptr<duckdb::Expression>>& parts) {
  switch (filter.filter_type) {
    case duckdb::TableFilterType::CONJUNCTION_AND:
      for (const auto& child :
           filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
        Flatten(*child, column, parts);
      }
      return;
    case duckdb::TableFilterType::OPTIONAL_FILTER:
      if (const auto& child =
              filter.Cast<duckdb::OptionalFilter>().child_filter) {
        Flatten(*child, column, parts);
      }
      return;
    default:
      parts.push_back(filter.ToExpression(column));
  }
}

}  // namespace

FilePruning::FilePruning(const Shared& before) {
  if (!before) return;
  exact_ = before->exact_;
  by_statistics_ = before->by_statistics_;
  columns_ = before->columns_;
  paths_ = before->paths_;
  generated_ = before->generated_;
}

bool FilePruning::Add(duckdb::ClientContext& context,
                      const std::shared_ptr<const ScannedTable>& table,
                      const ColumnBindings& bindings,
                      const duckdb::Expression& filter, bool* settled) {
  if (!generated_) generated_ = std::make_shared<GeneratedPartitions>(*table);
  std::string text = filter.ToString();
  for (const auto* known : {&exact_, &by_statistics_}) {
    const bool is_known = std::any_of(
        known->begin(), known->end(),
        [&](const auto& condition) { return condition.text == text; });
    if (is_known) return false;
  }
  std::shared_ptr<const FileCondition> condition =
      FileConditionBuilder(context, table, bindings, columns_).Build(filter);
  for (std::size_t i = paths_.size(); i < columns_.size(); ++i) {
    paths_.push_back(columns_[i].path);
  }
  if (!condition) return false;
  // An expression that may fail on a value stays, to fail where it would have.
  *settled = condition->IsExact() && !filter.CanThrow();
  auto& conditions = condition->IsExact() ? exact_ : by_statistics_;
  conditions.push_back({std::move(condition), std::move(text)});
  return true;
}

FilePruning::Shared FilePruning::WithFilters(
    duckdb::ClientContext& context,
    const std::shared_ptr<const ScannedTable>& table, const Shared& before,
    const duckdb::MultiFilePushdownInfo& info,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) {
  const ScanBindings bindings(info.table_index, info.column_ids);
  std::shared_ptr<FilePruning> pruning(new FilePruning(before));
  bool added = false;
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> left;
  for (auto& filter : filters) {
    bool settled = false;
    if (pruning->Add(context, table, bindings, *filter, &settled)) added = true;
    if (!settled) left.push_back(std::move(filter));
  }
  filters = std::move(left);
  return added ? pruning : before;
}

FilePruning::Shared FilePruning::WithTableFilters(
    duckdb::ClientContext& context,
    const std::shared_ptr<const ScannedTable>& table, const Shared& before,
    const duckdb::vector<column_t>& column_ids,
    const duckdb::TableFilterSet& filters) {
  constexpr idx_t kTableIndex = 0;
  const ScanBindings bindings(kTableIndex, column_ids);
  std::shared_ptr<FilePruning> pruning(new FilePruning(before));
  bool added = false;
  for (const auto& [position, filter] : filters.filters) {
    const column_t id = column_ids[position];
    const duckdb::BoundColumnRefExpression column(
        NameOf(*table, id), TypeOf(*table, id),
        duckdb::ColumnBinding(kTableIndex, position));
    std::vector<duckdb::unique_ptr<duckdb::Expression>> parts;
    Flatten(*filter, column, parts);
    for (const auto& part : parts) {
      bool settled = false;
      if (pruning->Add(context, table, bindings, *part, &settled)) added = true;
    }
  }
  return added ? pruning : before;
}

Result<FilePruning::Judgement> FilePruning::Judge(
    const log::FileView& file) const {
  static const std::vector<ValueRange> kNoRanges;
  for (const Condition& condition : exact_) {
    BAYOU_ASSIGN(const Outcomes outcomes,
                 condition.condition->Judge({file, kNoRanges}));
    if (!outcomes.can_be_true)
      return Judgement{Verdict::kByPartition, condition.text};
  }
  if (by_statistics_.empty()) return Judgement{};

  const std::vector<ValueRange> ranges = RangesOf(file);
  for (const Condition& condition : by_statistics_) {
    BAYOU_ASSIGN(const Outcomes outcomes,
                 condition.condition->Judge({file, ranges}));
    if (!outcomes.can_be_true)
      return Judgement{Verdict::kByStatistics, condition.text};
  }
  return Judgement{};
}

std::vector<ValueRange> FilePruning::RangesOf(std::string_view stats) const {
  std::vector<ValueRange> ranges(columns_.size());
  if (stats.empty() || columns_.empty()) return ranges;
  const auto statistics = protocol::ReadStatistics(stats, paths_);
  for (std::size_t i = 0; i < statistics.columns.size(); ++i) {
    ranges[i] = RangeOf(statistics.columns[i], statistics.num_records,
                        columns_[i].type, columns_[i].path.size() > 1);
  }
  return ranges;
}

std::vector<ValueRange> FilePruning::RangesOf(const log::FileView& file) const {
  std::vector<ValueRange> ranges = RangesOf(file.stats);
  for (std::size_t i = 0; i < ranges.size(); ++i)
    generated_->Narrow(columns_[i], file, ranges[i]);
  return ranges;
}

bool FilePruning::JudgesStats() const {
  return std::any_of(by_statistics_.begin(), by_statistics_.end(),
                     [](const Condition& condition) {
                       return condition.condition->IsOverStatistics();
                     });
}

bool FilePruning::KeepStats(std::string_view stats) const {
  const std::vector<ValueRange> ranges = RangesOf(stats);
  const log::FileView unknown;
  for (const Condition& condition : by_statistics_) {
    if (!condition.condition->IsOverStatistics()) continue;
    const auto outcomes = condition.condition->Judge({unknown, ranges});
    if (outcomes && !outcomes->can_be_true) return false;
  }
  return true;
}

bool FilePruning::Keep(const log::FileView& file) const {
  auto judgement = Judge(file);
  if (judgement) return judgement->verdict == Verdict::kKept;
  const std::lock_guard lock(failure_mutex_);
  if (!failure_) failure_ = std::move(judgement).error();
  return true;
}

std::optional<Error> FilePruning::failure() const {
  const std::lock_guard lock(failure_mutex_);
  return failure_;
}

std::string FilePruning::CheckpointFilter(
    const duckdb::LogicalType& add) const {
  std::string sql;
  for (const auto* conditions : {&exact_, &by_statistics_}) {
    for (const Condition& condition : *conditions) {
      const std::string one = condition.condition->CheckpointSql(add);
      if (one.empty()) continue;
      if (!sql.empty()) sql += " AND ";
      sql += one;
    }
  }
  return sql;
}

}  // namespace bayou::scan
