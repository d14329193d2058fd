// SPDX-License-Identifier: Apache-2.0
#include "sql/write_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <duckdb/execution/operator/order/physical_order.hpp>
#include <duckdb/execution/operator/projection/physical_projection.hpp>
#include <duckdb/execution/operator/scan/physical_dummy_scan.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression/bound_constant_expression.hpp>
#include <duckdb/planner/expression/bound_reference_expression.hpp>
#include <map>
#include <set>
#include <utility>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/log/file_view.h"
#include "kernel/transaction/commit_info.h"
#include "ops/commands/overwrite_schema.h"
#include "sql/change_operation.h"
#include "sql/insert_columns.h"
#include "sql/physical_insert.h"
#include "sql/stored_text.h"
#include "sql/table_definition.h"
#include "sql/write_mode.h"

namespace bayou::sql {
namespace {

using duckdb::BoundReferenceExpression;
using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::PhysicalOperator;
using duckdb::PhysicalPlanGenerator;

tl::unexpected<Error> Unsupported(std::string_view condition,
                                  std::string message) {
  return Fail(ErrorCode::kUnsupported, condition, std::move(message));
}

std::vector<duckdb::idx_t> PositionsOf(const protocol::Schema& schema,
                                       const std::vector<std::string>& names) {
  std::vector<duckdb::idx_t> positions;
  for (const std::string& name : names) {
    const protocol::Field* field = schema.Find(name);
    if (field == nullptr) continue;  // PlanFileLayout reports it.
    positions.push_back(
        static_cast<duckdb::idx_t>(field - schema.fields.data()));
  }
  return positions;
}

// Which columns the statement has values for.
std::vector<bool> GivenColumns(const duckdb::LogicalInsert& op,
                               const protocol::Schema& schema) {
  std::vector<bool> given(schema.fields.size(), true);
  if (op.column_index_map.empty()) return given;
  for (std::size_t i = 0; i < given.size(); ++i) {
    given[i] = op.column_index_map[duckdb::PhysicalIndex(i)] !=
               duckdb::DConstants::INVALID_INDEX;
  }
  return given;
}

// Rows of one partition come together: a thread then has one file open, however
// many partitions there are. The sort moves to disk what memory cannot hold.
PhysicalOperator& SortByPartition(PhysicalPlanGenerator& planner,
                                  PhysicalOperator& rows,
                                  const std::vector<duckdb::idx_t>& columns) {
  duckdb::vector<duckdb::BoundOrderByNode> orders;
  for (const duckdb::idx_t column : columns) {
    orders.emplace_back(duckdb::OrderType::ASCENDING,
                        duckdb::OrderByNullType::NULLS_LAST,
                        duckdb::make_uniq<BoundReferenceExpression>(
                            rows.types[column], column));
  }
  duckdb::vector<duckdb::idx_t> all;
  for (duckdb::idx_t i = 0; i < rows.types.size(); ++i) all.push_back(i);
  auto& sort = planner.Make<duckdb::PhysicalOrder>(
      rows.types, std::move(orders), std::move(all),
      rows.estimated_cardinality);
  sort.children.push_back(rows);
  return sort;
}

PhysicalOperator& CastRows(ClientContext& context,
                           PhysicalPlanGenerator& planner,
                           PhysicalOperator& rows,
                           const duckdb::vector<LogicalType>& types) {
  if (rows.types == types) return rows;
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> columns;
  for (duckdb::idx_t i = 0; i < types.size(); ++i) {
    columns.push_back(duckdb::BoundCastExpression::AddCastToType(
        context, duckdb::make_uniq<BoundReferenceExpression>(rows.types[i], i),
        types[i]));
  }
  auto& projection = planner.Make<duckdb::PhysicalProjection>(
      types, std::move(columns), rows.estimated_cardinality);
  projection.children.push_back(rows);
  return projection;
}

RowTarget AppendedRows(std::function<PendingWrite&(ClientContext&)> begin,
                       IdentityOfStatement identity = nullptr) {
  RowTarget target;
  target.begin = std::move(begin);
  target.finish = [identity = std::move(identity)](
                      ClientContext&, PendingWrite& pending,
                      write::WrittenFiles data,
                      std::vector<protocol::CdcFile> feed) {
    const std::int64_t rows = data.rows;
    pending.AddFiles(std::move(data));
    pending.change().AddChangeFiles(std::move(feed));
    if (identity) engine::Unwrap(pending.MoveIdentityMarks(*identity));
    return rows;
  };
  return target;
}

// The files of the partitions that `files` are in. Other writers may spell a
// value otherwise, so values are compared and not their texts.
class InPartitions final : public log::FilePredicate {
 public:
  InPartitions(const table::Snapshot& snapshot,
               const std::vector<protocol::AddFile>& files) {
    for (const std::string& name : snapshot.metadata().partition_columns) {
      const protocol::Field& field = *snapshot.schema().Find(name);
      types_.emplace(field.physical_name(), field.type);
    }
    log::PartitionView values;
    for (const protocol::AddFile& file : files)
      partitions_.insert(Spelled(log::ViewOf(file, values)));
  }
  bool Keep(const log::FileView& file) const override {
    return partitions_.contains(Spelled(file));
  }
  bool NeedsStats() const override { return false; }

 private:
  // As we spell them. A value that cannot be read is one of its own.
  protocol::PartitionValues Spelled(const log::FileView& file) const {
    protocol::PartitionValues spelled;
    for (const auto& [key, text] : file.partition_values) {
      const std::string name(key);
      std::optional<std::string>& value = spelled[name];
      if (text.empty()) continue;
      value = std::string(text);
      const auto type = types_.find(name);
      if (type == types_.end()) continue;
      const auto parsed = engine::ParsePartitionValue(value, type->second);
      if (!parsed) continue;
      auto ours = engine::FormatPartitionValue(*parsed, type->second);
      if (ours) value = *std::move(ours);
    }
    return spelled;
  }

  std::map<std::string, protocol::DataType> types_;
  std::set<protocol::PartitionValues> partitions_;
};

// INSERT OVERWRITE in the dynamic mode.
void RemovePartitionsOf(const write::WrittenFiles& written,
                        transaction::Transaction& transaction) {
  const auto replaced =
      std::make_shared<InPartitions>(*transaction.base(), written.files);
  transaction.ReadFiles(replaced);
  const log::FileFields fields{
      .stats = true, .tags = true, .row_tracking = true};
  const auto files =
      engine::Unwrap(transaction.base()->state().Files(fields, replaced));
  std::vector<protocol::AddFile> batch;
  for (bool more = true; more;) {
    more = engine::Unwrap(files->Next(batch));
    for (const protocol::AddFile& file : batch) transaction.RemoveFile(file);
  }
}

bool IfNotExists(const duckdb::CreateTableInfo& info) {
  return info.on_conflict == duckdb::OnCreateConflict::IGNORE_ON_CONFLICT;
}

}  // namespace

PhysicalOperator& WriteRows(PhysicalPlanGenerator& planner,
                            const duckdb::LogicalOperator& op,
                            PhysicalOperator& rows,
                            const std::vector<duckdb::idx_t>& partition_columns,
                            RowTarget target) {
  // A query with ORDER BY keeps its order, in the files of one thread.
  const bool ordered = partition_columns.empty() &&
                       PhysicalPlanGenerator::OrderPreservationRecursive(
                           rows) == duckdb::OrderPreservationType::FIXED_ORDER;
  PhysicalOperator& sorted =
      partition_columns.empty()
          ? rows
          : SortByPartition(planner, rows, partition_columns);
  auto& insert = planner.Make<PhysicalDeltaInsert>(
      op.types, std::move(target), !ordered, op.estimated_cardinality);
  insert.children.push_back(sorted);
  return insert;
}

PhysicalOperator& NoRows(PhysicalPlanGenerator& planner,
                         const duckdb::LogicalOperator& op) {
  auto& one_row =
      planner.Make<duckdb::PhysicalDummyScan>(op.types, duckdb::idx_t{1});
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> columns;
  columns.push_back(duckdb::make_uniq<duckdb::BoundConstantExpression>(
      duckdb::Value::BIGINT(0)));
  auto& none = planner.Make<duckdb::PhysicalProjection>(
      op.types, std::move(columns), duckdb::idx_t{1});
  none.children.push_back(one_row);
  return none;
}

std::vector<duckdb::idx_t> PartitionPositions(const table::Snapshot& snapshot) {
  return PositionsOf(snapshot.schema(), snapshot.metadata().partition_columns);
}

void CreateTable(ClientContext& context, const duckdb::CreateTableInfo& info,
                 const std::string& location,
                 const std::shared_ptr<const table::Snapshot>& replaced,
                 PendingWrite& pending) {
  const auto definition = engine::Unwrap(DefinitionOf(context, info));
  const Creation creation{.if_not_exists = IfNotExists(info)};
  engine::Unwrap(replaced
                     ? pending.BeginReplace(replaced, definition, false)
                     : pending.BeginCreate(location, definition, creation));
}

PhysicalOperator& PlanInsert(
    ClientContext& context, PhysicalPlanGenerator& planner,
    duckdb::LogicalInsert& op, PhysicalOperator& plan,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    PendingWriteOf pending) {
  if (op.return_chunk) {
    engine::Throw(
        Unsupported("DELTA_UNSUPPORTED_RETURNING",
                    "INSERT ... RETURNING is not supported for Delta tables")
            .value());
  }
  if (op.on_conflict_info.action_type != duckdb::OnConflictAction::THROW) {
    engine::Throw(
        Unsupported("DELTA_UNSUPPORTED_ON_CONFLICT",
                    "ON CONFLICT needs a unique constraint, which Delta "
                    "tables do not have; use MERGE")
            .value());
  }
  PhysicalOperator& defaulted =
      op.column_index_map.empty() ? plan
                                  : planner.ResolveDefaultsProjection(op, plan);
  const auto identity = std::make_shared<write::IdentityValues>();
  PhysicalOperator& rows =
      CompleteRows(context, planner, snapshot->schema(),
                   GivenColumns(op, snapshot->schema()), defaulted, identity);
  const auto partition_columns = PartitionPositions(*snapshot);
  const std::optional<Overwrite>& overwrite = WriteMode::Of(context);
  const bool is_dynamic = overwrite && overwrite->dynamic;
  auto begin = [snapshot, identity, is_dynamic, pending = std::move(pending),
                operation = WriteOperation(snapshot->metadata(), overwrite)](
                   ClientContext& running) -> PendingWrite& {
    PendingWrite& write = pending(running);
    // Rows of this transaction would be in no partition that is looked up.
    if (is_dynamic) {
      engine::Unwrap(write.CheckUnchanged(snapshot->location(),
                                          "replace partitions of it"));
    }
    engine::Unwrap(write.BeginChange(snapshot, operation));
    if (snapshot->is_changed())
      engine::Unwrap(commands::KeepClustering(write.change()));
    engine::Unwrap(write.BeginIdentity(*identity));
    return write;
  };
  RowTarget target = AppendedRows(std::move(begin), identity);
  if (is_dynamic) {
    target.finish = [append = std::move(target.finish)](
                        ClientContext& context, PendingWrite& write,
                        write::WrittenFiles data,
                        std::vector<protocol::CdcFile> feed) {
      RemovePartitionsOf(data, write.change());
      return append(context, write, std::move(data), std::move(feed));
    };
  } else if (overwrite && !overwrite->where.empty()) {
    const std::string condition = engine::Unwrap(
        StoredCondition(context, overwrite->where, snapshot->schema()));
    target.more_rules = engine::Unwrap(write::RowRules::BindCondition(
        context, "REPLACE WHERE", condition, snapshot->schema()));
  }
  return WriteRows(planner, op, rows, partition_columns, std::move(target));
}

PhysicalOperator& PlanCreateTableAs(
    ClientContext& context, PhysicalPlanGenerator& planner,
    duckdb::LogicalCreateTable& op, PhysicalOperator& plan,
    std::string location, std::shared_ptr<const table::Snapshot> replaced,
    PendingWriteOf pending) {
  const auto& info = op.info->Base().Cast<duckdb::CreateTableInfo>();
  commands::TableDefinition definition =
      engine::Unwrap(DefinitionOf(context, info));
  duckdb::vector<LogicalType> types;
  for (const protocol::Field& field : definition.columns) {
    types.push_back(engine::ToLogicalType(field.type));
  }
  auto partition_columns = PositionsOf(protocol::Schema{definition.columns},
                                       definition.partition_columns);
  const Creation creation{.as_select = true,
                          .if_not_exists = IfNotExists(info)};
  auto begin =
      [definition = std::move(definition), location = std::move(location),
       replaced = std::move(replaced), creation,
       pending = std::move(pending)](ClientContext& running) -> PendingWrite& {
    PendingWrite& write = pending(running);
    engine::Unwrap(replaced
                       ? write.BeginReplace(replaced, definition, true)
                       : write.BeginCreate(location, definition, creation));
    return write;
  };
  PhysicalOperator& rows = CastRows(context, planner, plan, types);
  return WriteRows(planner, op, rows, partition_columns,
                   AppendedRows(std::move(begin)));
}

}  // namespace bayou::sql
