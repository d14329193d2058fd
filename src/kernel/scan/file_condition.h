// SPDX-License-Identifier: Apache-2.0
//
// A condition of a query, as it can be judged for a whole file from what the
// log says: partition values and hidden file columns exactly, other columns by
// their statistics.
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/log/log_replay.h"
#include "kernel/scan/scanned_table.h"
#include "kernel/scan/value_range.h"

namespace bayou::scan {

// A column that conditions look up in the statistics.
struct StatisticsColumn {
  protocol::ColumnPath path;  // Physical names.
  protocol::DataType type;

  bool operator==(const StatisticsColumn&) const = default;
};

struct FileFacts {
  const log::FileView& file;
  // One for each StatisticsColumn; empty for conditions that need none.
  const std::vector<ValueRange>& ranges;
};

class FileCondition {
 public:
  virtual ~FileCondition() = default;

  // Safe from any thread. Errors: a partition value that does not parse.
  virtual Result<Outcomes> Judge(const FileFacts& facts) const = 0;

  // True when the condition asks for nothing but partition values and hidden
  // file columns: then Judge() gives one outcome, that of every row.
  virtual bool IsExact() const { return false; }

  // True when the condition asks for nothing but statistics.
  virtual bool IsOverStatistics() const { return false; }

  // A weaker condition on the `add` column of a checkpoint, in SQL; empty =
  // none. See log::FilePredicate::CheckpointFilter.
  virtual std::string CheckpointSql(const duckdb::LogicalType& add) const {
    (void)add;
    return {};
  }
};

// What a column of an expression is, by DuckDB's binding.
class ColumnBindings {
 public:
  virtual ~ColumnBindings() = default;
  // The column id: a position among the table's columns, or a virtual column;
  // nullopt when the binding is not of this scan.
  virtual std::optional<duckdb::column_t> Find(
      const duckdb::BoundColumnRefExpression& column) const = 0;
};

// Makes conditions of bound expressions. Parts that nothing can be said about
// become conditions of any outcome.
class FileConditionBuilder {
 public:
  FileConditionBuilder(duckdb::ClientContext& context,
                       std::shared_ptr<const ScannedTable> table,
                       const ColumnBindings& bindings,
                       std::vector<StatisticsColumn>& columns)
      : context_(context),
        table_(std::move(table)),
        bindings_(bindings),
        columns_(columns) {}

  // Null when nothing can be said. Adds to the list of statistics columns.
  std::unique_ptr<const FileCondition> Build(
      const duckdb::Expression& expression);

 private:
  using Condition = std::unique_ptr<const FileCondition>;

  Condition BuildExact(const duckdb::Expression& expression);
  Condition BuildConjunction(const duckdb::Expression& expression);
  Condition BuildComparison(const duckdb::Expression& expression);
  Condition BuildOperator(const duckdb::Expression& expression);
  Condition BuildIn(const duckdb::Expression& expression);
  Condition BuildBetween(const duckdb::Expression& expression);
  Condition BuildFunction(const duckdb::Expression& expression);
  Condition BuildCompare(const duckdb::Expression& column,
                         duckdb::ExpressionType op,
                         const duckdb::Expression& constant);

  struct Subject;  // A column, maybe a field of it, maybe under casts.
  std::optional<Subject> SubjectOf(const duckdb::Expression& expression) const;
  std::optional<duckdb::Value> ConstantOf(
      const duckdb::Expression& expression) const;
  bool IsOfFile(duckdb::column_t column) const;
  std::size_t StatisticsIndex(const Subject& subject);

  duckdb::ClientContext& context_;
  std::shared_ptr<const ScannedTable> table_;
  const ColumnBindings& bindings_;
  std::vector<StatisticsColumn>& columns_;
};

}  // namespace bayou::scan
