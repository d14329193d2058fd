// SPDX-License-Identifier: Apache-2.0
#include "sql/change_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <duckdb/execution/operator/projection/physical_projection.hpp>
#include <duckdb/execution/operator/scan/physical_empty_result.hpp>
#include <duckdb/execution/operator/scan/physical_table_scan.hpp>
#include <duckdb/planner/expression/bound_case_expression.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression/bound_columnref_expression.hpp>
#include <duckdb/planner/expression/bound_comparison_expression.hpp>
#include <duckdb/planner/expression/bound_conjunction_expression.hpp>
#include <duckdb/planner/expression/bound_constant_expression.hpp>
#include <duckdb/planner/expression/bound_operator_expression.hpp>
#include <duckdb/planner/expression/bound_reference_expression.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "kernel/protocol/table_features.h"
#include "kernel/scan/file_pruning.h"
#include "kernel/scan/hidden_columns.h"
#include "kernel/scan/scan_binding.h"
#include "kernel/write/identity_values.h"
#include "ops/commands/change_metrics.h"
#include "ops/commands/row_tracking_columns.h"
#include "sql/change_operation.h"
#include "sql/change_result.h"
#include "sql/insert_columns.h"
#include "sql/physical_row_changes.h"
#include "sql/physical_row_counter.h"
#include "sql/settings.h"
#include "sql/write_mode.h"

namespace bayou::sql {
namespace {

using commands::ChangeCounts;
using commands::RowChange;
using duckdb::BoundReferenceExpression;
using duckdb::ClientContext;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::MergeActionCondition;
using duckdb::MergeActionType;
using duckdb::PhysicalOperator;
using duckdb::PhysicalPlanGenerator;
using duckdb::Value;
using Expression = duckdb::unique_ptr<duckdb::Expression>;
using Expressions = duckdb::vector<Expression>;

Expression Constant(Value value) {
  return duckdb::make_uniq<duckdb::BoundConstantExpression>(std::move(value));
}

Expression Reference(const PhysicalOperator& rows, idx_t column) {
  return duckdb::make_uniq<BoundReferenceExpression>(rows.types[column],
                                                     column);
}

PhysicalOperator& Project(PhysicalPlanGenerator& planner,
                          PhysicalOperator& rows, Expressions columns) {
  duckdb::vector<LogicalType> types;
  for (const Expression& column : columns) types.push_back(column->return_type);
  auto& projection = planner.Make<duckdb::PhysicalProjection>(
      std::move(types), std::move(columns), rows.estimated_cardinality);
  projection.children.push_back(rows);
  return projection;
}

// -------------------------------------------------------------- the target

void RefuseReturning(bool asked, const char* statement) {
  if (!asked) return;
  engine::Throw({ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_RETURNING",
                 std::string(statement) +
                     " ... RETURNING is not supported for Delta tables"});
}

// Before anything is read. The transaction says it again, of the rows that go.
void CheckChangeable(const table::Snapshot& snapshot, const char* statement) {
  engine::Unwrap(protocol::CheckWritable(
      snapshot.protocol(), snapshot.metadata(), snapshot.location()));
  if (!snapshot.properties().append_only()) return;
  engine::Throw(
      {ErrorCode::kConstraint, "DELTA_CANNOT_MODIFY_APPEND_ONLY",
       fmt::format(
           "{} on table {}: it has delta.appendOnly = true, so its rows "
           "cannot be changed or deleted",
           statement, snapshot.location())});
}

using Scan = duckdb::PhysicalTableScan;

void CollectScans(PhysicalOperator& plan, std::vector<Scan*>& scans) {
  if (plan.type == duckdb::PhysicalOperatorType::TABLE_SCAN) {
    auto& scan = plan.Cast<Scan>();
    if (scan::IsTableScan(scan.function)) scans.push_back(&scan);
  }
  for (auto& child : plan.children) CollectScans(child, scans);
}

bool NumbersFiles(const Scan& scan) {
  const auto number = scan::HiddenColumnId(scan::HiddenColumn::kFileNumber);
  return std::ranges::any_of(scan.column_ids, [&](const auto& column) {
    return column.GetPrimaryIndex() == number;
  });
}

class EveryFile final : public log::FilePredicate {
 public:
  bool Keep(const log::FileView&) const override { return true; }
  bool NeedsStats() const override { return false; }
};

// How a statement reads the rows that it may change. Other scans of the table
// are noted when they run: see scan_reads.h.
struct TargetRead {
  Scan* scan = nullptr;  // Null: the plan finds no row, whatever there is.
  // What becomes of a row depends on no other row of the table.
  bool row_by_row = true;
  std::shared_ptr<const log::FilePredicate> files =
      std::make_shared<EveryFile>();

  void Note(transaction::Transaction& transaction) const {
    if (scan == nullptr) return;
    row_by_row ? transaction.ReadRows(files) : transaction.ReadFiles(files);
  }
};

TargetRead TargetOf(PhysicalOperator& plan) {
  std::vector<Scan*> scans;
  CollectScans(plan, scans);
  TargetRead target;
  for (Scan* scan : scans) {
    if (NumbersFiles(*scan)) target.scan = scan;
  }
  if (target.scan == nullptr) return target;
  const auto& pruning = scan::FilesOf(*target.scan->bind_data).pruning();
  if (pruning) target.files = pruning;
  return target;
}

// ------------------------------------------------------------ the row changes

RowChangePlan NewPlan(ClientContext& context,
                      std::shared_ptr<const table::Snapshot> snapshot,
                      const TargetRead& reads) {
  RowChangePlan plan;
  plan.tracks_rows = commands::TracksRows(*snapshot);
  plan.feeds_changes =
      snapshot->properties().change_data_feed() &&
      protocol::Supports(snapshot->protocol(), "changeDataFeed");
  plan.options.allow_external_paths = BoolSetting(context, kAllowExternalPaths);
  plan.opened = reads.scan != nullptr
                    ? scan::OpenedFilesOf(*reads.scan->bind_data)
                    : std::make_shared<scan::OpenedFiles>();
  plan.snapshot = std::move(snapshot);
  return plan;
}

ChangeCounts CountsOf(const PhysicalRowChanges& changes) {
  const PhysicalRowChanges::Outcome& outcome = changes.outcome();
  ChangeCounts counts;
  counts.rows_deleted = outcome.files.rows_deleted();
  counts.rows_updated = outcome.files.rows_updated();
  counts.rows_copied = outcome.files.rows_copied();
  const auto& clauses = changes.changes().clauses;
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    const std::int64_t rows = outcome.counts[i];
    switch (clauses[i].change) {
      case RowChange::kInsert:
        counts.rows_inserted += rows;
        break;
      case RowChange::kUpdate:
        if (clauses[i].by_source) counts.rows_updated_by_source += rows;
        break;
      case RowChange::kDelete:
        if (clauses[i].by_source) counts.rows_deleted_by_source += rows;
        break;
    }
  }
  return counts;
}

using MetricsOf = commands::Metrics (*)(const ChangeCounts&);

// What a statement tells, the history and who ran it.
struct Report {
  MetricsOf metrics = nullptr;
  MetricsOf result = nullptr;  // nullptr: nothing.
};

// Stages the change once the rows are written.
ChangeCounts Finish(const PhysicalRowChanges& changes,
                    const PhysicalRowCounter* source, PendingWrite& pending,
                    write::WrittenFiles data,
                    std::vector<protocol::CdcFile> feed) {
  transaction::Transaction& transaction = pending.change();
  ChangeCounts counts = CountsOf(changes);
  if (source != nullptr) counts.source_rows = source->count();
  counts.files_added = static_cast<std::int64_t>(data.files.size());
  counts.bytes_added = data.bytes;
  counts.change_files = static_cast<std::int64_t>(feed.size());
  transaction.AddFiles(std::move(data.files));
  transaction.AddChangeFiles(std::move(feed));
  if (const auto& identity = changes.changes().identity)
    engine::Unwrap(pending.MoveIdentityMarks(*identity));
  counts.old_files =
      engine::Unwrap(changes.outcome().files.Stage(transaction, Env::System()));
  counts.scan_ms =
      changes.outcome().rows_were_in_ms - changes.outcome().started_ms;
  counts.rewrite_ms = Env::System().NowMs() - changes.outcome().rows_were_in_ms;
  return counts;
}

struct ChangeStatement {
  transaction::Operation operation;
  Report report;
  PendingWriteOf pending;
  const PhysicalRowCounter* source =
      nullptr;  // Of MERGE, where it can be told.
};

// A DELETE may be TRUNCATE, or half of an INSERT OVERWRITE.
ChangeStatement DeleteStatement(ClientContext& context,
                                const table::Snapshot& snapshot,
                                PendingWriteOf pending) {
  if (const auto& overwrite = WriteMode::Of(context)) {
    return {WriteOperation(snapshot.metadata(), overwrite),
            {overwrite->where.empty() ? commands::OverwriteMetrics
                                      : commands::ReplaceWhereMetrics},
            std::move(pending)};
  }
  const std::string& sql = context.GetCurrentQuery();
  if (IsTruncate(sql)) {
    return {transaction::Operation{"TRUNCATE", {}, {}},
            {commands::TruncateMetrics},
            std::move(pending)};
  }
  return {ChangeOperation("DELETE", sql),
          {commands::DeleteMetrics, commands::RowsChangedResult},
          std::move(pending)};
}

// The rest of the plan behind `rows`, which have the form that
// physical_row_changes.h asks for.
PhysicalOperator& ChangeRows(PhysicalPlanGenerator& planner,
                             const duckdb::LogicalOperator& op,
                             PhysicalOperator& rows, RowChangePlan plan,
                             TargetRead reads, ChangeStatement statement) {
  auto& changes =
      planner
          .Make<PhysicalRowChanges>(std::move(plan), rows.estimated_cardinality)
          .Cast<PhysicalRowChanges>();
  changes.children.push_back(rows);
  const RowChangePlan& planned = changes.changes();

  RowTarget target;
  target.checks_rows = false;  // New rows have been checked when they came in.
  target.extra_columns =
      engine::Unwrap(commands::RowTrackingColumns(*planned.snapshot));
  if (planned.feeds_changes) target.change_type = planned.ChangeTypeOut();
  // One large file is read by one thread, and others have nothing to do. A
  // writer for each partition would need the memory of two.
  if (planned.snapshot->metadata().partition_columns.empty())
    target.encoding = write::Encoding::kBeside;
  target.begin = [snapshot = planned.snapshot, reads = std::move(reads),
                  operation = std::move(statement.operation),
                  tracks_rows = planned.tracks_rows,
                  pending = std::move(statement.pending)](
                     ClientContext& running) -> PendingWrite& {
    PendingWrite& write = pending(running);
    transaction::Operation named = operation;
    if (tracks_rows) named.tags["delta.rowTracking.preserved"] = "true";
    engine::Unwrap(write.BeginChange(snapshot, std::move(named)));
    reads.Note(write.change());
    return write;
  };
  target.finish =
      [&changes, report = statement.report, source = statement.source](
          ClientContext& running, PendingWrite& write, write::WrittenFiles data,
          std::vector<protocol::CdcFile> feed) {
        const ChangeCounts counts =
            Finish(changes, source, write, std::move(data), std::move(feed));
        write.FinishChange(report.metrics(counts));
        if (report.result != nullptr)
          ChangeResult::Of(running).Set(report.result(counts));
        return counts.rows_deleted + counts.rows_updated + counts.rows_inserted;
      };
  return WriteRows(planner, op, changes, PartitionPositions(*planned.snapshot),
                   std::move(target));
}

// ---------------------------------------------------------------------- DELETE

// The scan that alone makes up the plan, if it is one without conditions that
// rows decide: then all rows of its files go.
Scan* ScanOfWholeFiles(PhysicalOperator& plan) {
  PhysicalOperator* root = &plan;
  while (root->type == duckdb::PhysicalOperatorType::PROJECTION)
    root = &root->children[0].get();
  if (root->type != duckdb::PhysicalOperatorType::TABLE_SCAN) return nullptr;
  auto& scan = root->Cast<Scan>();
  const bool has_filters =
      (scan.table_filters && !scan.table_filters->filters.empty()) ||
      scan.dynamic_filters || scan.extra_info.sample_options;
  const bool is_target = scan::IsTableScan(scan.function) && NumbersFiles(scan);
  return is_target && !has_filters ? &scan : nullptr;
}

// ----------------------------------------------------------------------- MERGE

// The clauses of a MERGE, numbered over all kinds of match.
struct MergeClauses {
  std::vector<ChangeClause> clauses;
  std::vector<duckdb::BoundMergeIntoAction*> actions;
};

Expression IsNull(const PhysicalOperator& rows, idx_t column, bool is_null) {
  auto test = duckdb::make_uniq<duckdb::BoundOperatorExpression>(
      is_null ? duckdb::ExpressionType::OPERATOR_IS_NULL
              : duckdb::ExpressionType::OPERATOR_IS_NOT_NULL,
      LogicalType::BOOLEAN);
  test->children.push_back(Reference(rows, column));
  return test;
}

Expression And(Expression a, Expression b) {
  return duckdb::make_uniq<duckdb::BoundConjunctionExpression>(
      duckdb::ExpressionType::CONJUNCTION_AND, std::move(a), std::move(b));
}

// Whether a row of the join is of the kind of match.
Expression IsMatch(const duckdb::LogicalMergeInto& op,
                   const PhysicalOperator& rows, MergeActionCondition kind) {
  const idx_t target = op.row_id_start;
  const bool has_marker = op.source_marker.IsValid();
  switch (kind) {
    case MergeActionCondition::WHEN_NOT_MATCHED_BY_TARGET:
      return IsNull(rows, target, true);
    case MergeActionCondition::WHEN_NOT_MATCHED_BY_SOURCE:
      return IsNull(rows, op.source_marker.GetIndex(), true);
    case MergeActionCondition::WHEN_MATCHED:
      break;
  }
  Expression matched = IsNull(rows, target, false);
  if (!has_marker) return matched;
  return And(std::move(matched),
             IsNull(rows, op.source_marker.GetIndex(), false));
}

RowChange ChangeOf(MergeActionType type) {
  switch (type) {
    case MergeActionType::MERGE_UPDATE:
      return RowChange::kUpdate;
    case MergeActionType::MERGE_INSERT:
      return RowChange::kInsert;
    default:
      return RowChange::kDelete;
  }
}

// The expression of the column in a clause's rows; null for a clause that
// writes none.
Expression ClauseColumn(duckdb::LogicalMergeInto& op,
                        duckdb::BoundMergeIntoAction& action,
                        const duckdb::ColumnDefinition& column) {
  const idx_t position = column.StorageOid();
  const auto default_value = [&] {
    return op.bound_defaults[position]->Copy();
  };
  if (action.action_type == MergeActionType::MERGE_UPDATE) {
    for (idx_t i = 0; i < action.columns.size(); ++i) {
      if (action.columns[i] != column.Physical()) continue;
      const duckdb::Expression& value = *action.expressions[i];
      if (value.GetExpressionType() == duckdb::ExpressionType::VALUE_DEFAULT)
        return default_value();
      return value.Copy();
    }
    return Constant(Value(column.Type()));  // Generated; see AddAllColumns.
  }
  if (action.action_type != MergeActionType::MERGE_INSERT) return nullptr;
  if (action.column_index_map.empty())
    return action.expressions[position]->Copy();
  const idx_t mapped = action.column_index_map[column.Physical()];
  if (mapped == duckdb::DConstants::INVALID_INDEX) return default_value();
  return action.expressions[mapped]->Copy();
}

// Whether every clause that writes rows has a value for the column.
bool IsGiven(const MergeClauses& merge,
             const duckdb::ColumnDefinition& column) {
  return std::ranges::all_of(merge.actions, [&](const auto* action) {
    if (action->action_type == MergeActionType::MERGE_UPDATE) {
      return std::ranges::find(action->columns, column.Physical()) !=
             action->columns.end();
    }
    return action->action_type != MergeActionType::MERGE_INSERT ||
           action->column_index_map.empty() ||
           action->column_index_map[column.Physical()] !=
               duckdb::DConstants::INVALID_INDEX;
  });
}

// The number of the clause that applies to a row: the first whose condition is
// true; NULL: none.
Expression ClauseNumber(duckdb::LogicalMergeInto& op,
                        const PhysicalOperator& rows, MergeClauses& merge) {
  auto number =
      duckdb::make_uniq<duckdb::BoundCaseExpression>(LogicalType::TINYINT);
  number->else_expr = Constant(Value(LogicalType::TINYINT));
  for (auto& [kind, actions] : op.actions) {
    for (auto& action : actions) {
      duckdb::BoundCaseCheck check;
      check.when_expr = IsMatch(op, rows, kind);
      if (action->condition) {
        check.when_expr =
            And(std::move(check.when_expr), action->condition->Copy());
      }
      switch (action->action_type) {
        case MergeActionType::MERGE_DO_NOTHING:
          check.then_expr = Constant(Value(LogicalType::TINYINT));
          break;
        case MergeActionType::MERGE_ERROR:
          engine::Throw({ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                         "MERGE ... THEN ERROR is not supported for Delta "
                         "tables; nothing was changed"});
        default:
          check.then_expr = Constant(
              Value::TINYINT(static_cast<std::int8_t>(merge.clauses.size())));
          merge.actions.push_back(action.get());
          merge.clauses.push_back(
              {ChangeOf(action->action_type),
               kind == MergeActionCondition::WHEN_NOT_MATCHED_BY_SOURCE});
      }
      number->case_checks.push_back(std::move(check));
    }
  }
  constexpr std::size_t kMostClauses = 127;
  if (merge.clauses.size() > kMostClauses) {
    engine::Throw({ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                   "MERGE with more than 127 clauses is not supported"});
  }
  return number;
}

// A column of the new rows: what the clause of each row says. `rows` have the
// clause's number in `number_column`.
Expression MergedColumn(duckdb::LogicalMergeInto& op,
                        const PhysicalOperator& rows, idx_t number_column,
                        const MergeClauses& merge,
                        const duckdb::ColumnDefinition& column) {
  auto merged = duckdb::make_uniq<duckdb::BoundCaseExpression>(column.Type());
  merged->else_expr = Constant(Value(column.Type()));
  for (std::size_t i = 0; i < merge.actions.size(); ++i) {
    Expression value = ClauseColumn(op, *merge.actions[i], column);
    if (!value) continue;
    duckdb::BoundCaseCheck check;
    check.when_expr = duckdb::make_uniq<duckdb::BoundComparisonExpression>(
        duckdb::ExpressionType::COMPARE_EQUAL, Reference(rows, number_column),
        Constant(Value::TINYINT(static_cast<std::int8_t>(i))));
    check.then_expr = std::move(value);
    merged->case_checks.push_back(std::move(check));
  }
  if (merged->case_checks.size() == 1)  // Rows of other clauses have no values.
    return std::move(merged->case_checks[0].then_expr);
  return merged;
}

// The identity column's value in the rows of a MERGE: new rows get one.
Expression WithIdentity(Expression value, const PhysicalOperator& rows,
                        idx_t number_column, const MergeClauses& merge,
                        const protocol::Field& field, std::size_t position,
                        const IdentityOfStatement& identity) {
  auto merged =
      duckdb::make_uniq<duckdb::BoundCaseExpression>(LogicalType::BIGINT);
  for (std::size_t i = 0; i < merge.clauses.size(); ++i) {
    if (merge.clauses[i].change != RowChange::kInsert) continue;
    duckdb::BoundCaseCheck check;
    check.when_expr = duckdb::make_uniq<duckdb::BoundComparisonExpression>(
        duckdb::ExpressionType::COMPARE_EQUAL, Reference(rows, number_column),
        Constant(Value::TINYINT(static_cast<std::int8_t>(i))));
    check.then_expr = IdentityValue(value->Copy(), field, position, identity);
    merged->case_checks.push_back(std::move(check));
  }
  if (merged->case_checks.empty()) return value;
  merged->else_expr = std::move(value);
  return merged;
}

bool NumbersRows(const table::Snapshot& snapshot,
                 const std::vector<ChangeClause>& clauses) {
  return std::ranges::any_of(clauses,
                             [](const ChangeClause& clause) {
                               return clause.change == RowChange::kInsert;
                             }) &&
         !write::IdentityValues::ColumnsOf(snapshot.schema()).empty();
}

bool Contains(PhysicalOperator& plan, const Scan* scan) {
  std::vector<Scan*> scans;
  CollectScans(plan, scans);
  return std::ranges::find(scans, scan) != scans.end();
}

// Puts a counter behind the source: the side of the first join that has no scan
// of the target. Null when there is no such join.
PhysicalRowCounter* CountSource(PhysicalPlanGenerator& planner,
                                PhysicalOperator& plan, const Scan* target) {
  PhysicalOperator* join = &plan;
  while (join->children.size() == 1) join = &join->children[0].get();
  if (join->children.size() != 2 || target == nullptr) return nullptr;
  const bool target_first = Contains(join->children[0], target);
  if (target_first == Contains(join->children[1], target)) return nullptr;
  auto& source = join->children[target_first ? 1 : 0];
  auto& counter =
      planner.Make<PhysicalRowCounter>(source.get()).Cast<PhysicalRowCounter>();
  source = counter;
  return &counter;
}

// A row that is not matched is inserted, which depends on every row that could
// match it; on those that are changed already, two writers collide anyway.
bool MatchesOnlyRowsThatItChanges(const duckdb::LogicalMergeInto& op) {
  if (!op.actions.contains(MergeActionCondition::WHEN_NOT_MATCHED_BY_TARGET))
    return true;
  const auto matched = op.actions.find(MergeActionCondition::WHEN_MATCHED);
  if (matched == op.actions.end() || matched->second.back()->condition)
    return false;
  return std::ranges::none_of(matched->second, [](const auto& action) {
    return action->action_type == MergeActionType::MERGE_DO_NOTHING;
  });
}

// Spark's rule: what cannot change a row in two ways may meet it twice.
bool OnlyDeletesMatches(const duckdb::LogicalMergeInto& op) {
  const auto matched = op.actions.find(MergeActionCondition::WHEN_MATCHED);
  if (matched == op.actions.end()) return true;
  return matched->second.size() == 1 && !matched->second[0]->condition &&
         matched->second[0]->action_type == MergeActionType::MERGE_DELETE;
}

}  // namespace

duckdb::vector<duckdb::column_t> RowIdColumns(const table::Snapshot& snapshot) {
  duckdb::vector<duckdb::column_t> columns = {
      scan::HiddenColumnId(scan::HiddenColumn::kFileNumber),
      scan::HiddenColumnId(scan::HiddenColumn::kRowIndex)};
  if (commands::TracksRows(snapshot))
    columns.push_back(scan::HiddenColumnId(scan::HiddenColumn::kRowId));
  return columns;
}

void AddAllColumns(const DeltaTable& table, duckdb::LogicalGet& get,
                   duckdb::LogicalProjection& projection,
                   duckdb::LogicalUpdate& update) {
  const protocol::Schema& schema = table.snapshot()->schema();
  for (const std::size_t identity : write::IdentityValues::ColumnsOf(schema)) {
    if (std::ranges::find(update.columns, duckdb::PhysicalIndex(identity)) ==
        update.columns.end()) {
      continue;
    }
    engine::Throw({ErrorCode::kInvalidArgument,
                   "DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED",
                   "column " + schema.fields[identity].name + " of table " +
                       table.snapshot()->location() +
                       " is an identity column, whose values cannot be "
                       "updated"});
  }
  const auto position_in_scan = [&](idx_t column) {
    const auto& ids = get.GetColumnIds();
    for (idx_t i = 0; i < ids.size(); ++i) {
      if (ids[i].GetPrimaryIndex() == column && !ids[i].HasChildren()) return i;
    }
    get.AddColumnId(column);
    return get.GetColumnIds().size() - 1;
  };
  for (const auto& column : table.GetColumns().Physical()) {
    const bool is_updated = std::ranges::any_of(
        update.columns,
        [&](const auto& updated) { return updated == column.Physical(); });
    // What a generated column is to be follows from the others.
    const bool is_generated = schema.fields[column.Physical().index]
                                  .MetadataText("delta.generationExpression")
                                  .has_value();
    if (is_updated || is_generated) continue;
    update.expressions.push_back(
        duckdb::make_uniq<duckdb::BoundColumnRefExpression>(
            column.Type(),
            duckdb::ColumnBinding(projection.table_index,
                                  projection.expressions.size())));
    projection.expressions.push_back(
        duckdb::make_uniq<duckdb::BoundColumnRefExpression>(
            column.Type(),
            duckdb::ColumnBinding(get.table_index,
                                  position_in_scan(column.Physical().index))));
    update.columns.push_back(column.Physical());
  }
}

PhysicalOperator& PlanDelete(ClientContext& context,
                             PhysicalPlanGenerator& planner,
                             duckdb::LogicalDelete& op, PhysicalOperator& plan,
                             PendingWriteOf pending) {
  const auto& snapshot = op.table.Cast<DeltaTable>().snapshot();
  RefuseReturning(op.return_chunk, "DELETE");
  CheckChangeable(*snapshot, "DELETE");
  TargetRead reads = TargetOf(plan);
  RowChangePlan changes = NewPlan(context, snapshot, reads);
  changes.clauses = {{RowChange::kDelete}};
  changes.allows_repeats = true;  // DELETE ... USING.

  Expressions columns;
  columns.push_back(Constant(Value::TINYINT(0)));
  for (const Expression& row_id : op.expressions)
    columns.push_back(row_id->Copy());
  PhysicalOperator* rows = &plan;
  if (Scan* scan = ScanOfWholeFiles(plan)) {
    changes.whole_files = scan::FilesOf(*scan->bind_data).Copy();
    rows = &planner.Make<duckdb::PhysicalEmptyResult>(plan.types, 0);
  }
  return ChangeRows(planner, op, Project(planner, *rows, std::move(columns)),
                    std::move(changes), std::move(reads),
                    DeleteStatement(context, *snapshot, std::move(pending)));
}

PhysicalOperator& PlanUpdate(ClientContext& context,
                             PhysicalPlanGenerator& planner,
                             duckdb::LogicalUpdate& op, PhysicalOperator& plan,
                             PendingWriteOf pending) {
  const auto& snapshot = op.table.Cast<DeltaTable>().snapshot();
  RefuseReturning(op.return_chunk, "UPDATE");
  CheckChangeable(*snapshot, "UPDATE");
  TargetRead reads = TargetOf(plan);
  RowChangePlan changes = NewPlan(context, snapshot, reads);
  changes.clauses = {{RowChange::kUpdate}};

  Expressions columns;
  std::vector<bool> given;
  for (const auto& column : op.table.GetColumns().Physical()) {
    const auto found = std::ranges::find(op.columns, column.Physical());
    given.push_back(found != op.columns.end());
    if (!given.back()) {  // Generated; see AddAllColumns.
      columns.push_back(Constant(Value(column.Type())));
      continue;
    }
    const auto& value =
        op.expressions[static_cast<idx_t>(found - op.columns.begin())];
    const bool is_default =
        value->GetExpressionType() == duckdb::ExpressionType::VALUE_DEFAULT;
    columns.push_back(is_default
                          ? op.bound_defaults[column.StorageOid()]->Copy()
                          : value->Copy());
  }
  columns.push_back(Constant(Value::TINYINT(0)));
  for (idx_t i = plan.types.size() - changes.RowIdColumns();
       i < plan.types.size(); ++i) {
    columns.push_back(Reference(plan, i));
  }
  PhysicalOperator& rows =
      CompleteGenerated(context, planner, snapshot->schema(), given,
                        Project(planner, plan, std::move(columns)));
  return ChangeRows(planner, op, rows, std::move(changes), std::move(reads),
                    {ChangeOperation("UPDATE", context.GetCurrentQuery()),
                     {commands::UpdateMetrics, commands::RowsChangedResult},
                     std::move(pending)});
}

PhysicalOperator& PlanMergeInto(ClientContext& context,
                                PhysicalPlanGenerator& planner,
                                duckdb::LogicalMergeInto& op,
                                PhysicalOperator& plan,
                                PendingWriteOf pending) {
  const auto& snapshot = op.table.Cast<DeltaTable>().snapshot();
  RefuseReturning(op.return_chunk, "MERGE");
  TargetRead reads = TargetOf(plan);
  RowChangePlan changes = NewPlan(context, snapshot, reads);
  reads.row_by_row = MatchesOnlyRowsThatItChanges(op);
  changes.allows_repeats = OnlyDeletesMatches(op);
  const PhysicalRowCounter* source = CountSource(planner, plan, reads.scan);

  // Two projections, so that the clause of a row is found once.
  MergeClauses merge;
  Expressions with_number;
  for (idx_t i = 0; i < plan.types.size(); ++i)
    with_number.push_back(Reference(plan, i));
  const idx_t number_column = with_number.size();
  with_number.push_back(ClauseNumber(op, plan, merge));
  changes.clauses = merge.clauses;
  const bool only_inserts =
      std::ranges::all_of(merge.clauses, [](const ChangeClause& clause) {
        return clause.change == RowChange::kInsert;
      });
  if (!only_inserts) CheckChangeable(*snapshot, "MERGE");
  if (NumbersRows(*snapshot, merge.clauses))
    changes.identity = std::make_shared<write::IdentityValues>();
  PhysicalOperator& numbered = Project(planner, plan, std::move(with_number));

  Expressions columns;
  std::vector<bool> given;
  if (changes.WritesRows()) {
    for (const auto& column : op.table.GetColumns().Physical()) {
      const std::size_t position = columns.size();
      const protocol::Field& field = snapshot->schema().fields[position];
      given.push_back(IsGiven(merge, column));
      columns.push_back(
          MergedColumn(op, numbered, number_column, merge, column));
      if (changes.identity && field.metadata.contains("delta.identity.start")) {
        columns.back() =
            WithIdentity(std::move(columns.back()), numbered, number_column,
                         merge, field, position, changes.identity);
      }
    }
  }
  columns.push_back(Reference(numbered, number_column));
  for (idx_t i = 0; i < changes.RowIdColumns(); ++i)
    columns.push_back(Reference(numbered, op.row_id_start + i));
  PhysicalOperator* rows = &Project(planner, numbered, std::move(columns));
  if (changes.WritesRows()) {
    rows =
        &CompleteGenerated(context, planner, snapshot->schema(), given, *rows);
  }
  return ChangeRows(planner, op, *rows, std::move(changes), std::move(reads),
                    {ChangeOperation("MERGE", context.GetCurrentQuery()),
                     {commands::MergeMetrics, commands::MergeResult},
                     std::move(pending),
                     source});
}

}  // namespace bayou::sql
