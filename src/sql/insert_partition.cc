// SPDX-License-Identifier: Apache-2.0
#include "sql/insert_partition.h"

#include <algorithm>
#include <duckdb/parser/expression/star_expression.hpp>
#include <duckdb/parser/parser.hpp>
#include <duckdb/parser/query_node/select_node.hpp>
#include <duckdb/parser/statement/select_statement.hpp>
#include <duckdb/parser/tableref/subqueryref.hpp>
#include <string>
#include <utility>

#include "kernel/engine/engine.h"
#include "sql/delta_table.h"
#include "sql/statement_target.h"

namespace bayou::sql {
namespace {

bool Contains(const std::vector<PartitionValue>& partition,
              const std::string& column) {
  return std::ranges::any_of(partition, [&](const PartitionValue& part) {
    return EqualIgnoringCase(part.column, column);
  });
}

// The columns that the query's are for by their position.
std::vector<std::string> OtherColumns(
    const DeltaTable& table, const std::vector<PartitionValue>& partition) {
  const auto& metadata = table.snapshot()->metadata();
  for (const PartitionValue& part : partition) {
    const bool known = std::ranges::any_of(
        metadata.partition_columns,
        [&](const auto& name) { return EqualIgnoringCase(name, part.column); });
    if (known) continue;
    engine::Throw({ErrorCode::kInvalidArgument, "NON_PARTITION_COLUMN",
                   "table " + table.snapshot()->location() +
                       " is not partitioned by " + part.column +
                       "; leave it out of PARTITION (...)"});
  }
  std::vector<std::string> columns;
  for (const auto& field : table.snapshot()->schema().fields) {
    if (!Contains(partition, field.name)) columns.push_back(field.name);
  }
  return columns;
}

duckdb::unique_ptr<duckdb::ParsedExpression> ValueOf(
    const PartitionValue& part) {
  auto parsed = duckdb::Parser::ParseExpressionList(part.value);
  if (parsed.size() != 1) {
    engine::Throw({ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
                   "PARTITION (" + part.column + " = " + part.value + ")"});
  }
  parsed[0]->SetAlias(part.column);
  return std::move(parsed[0]);
}

}  // namespace

void AddPartitionValues(duckdb::ClientContext& context,
                        const std::vector<PartitionValue>& partition,
                        duckdb::InsertStatement& insert) {
  if (partition.empty() || !insert.select_statement) return;
  std::vector<std::string> columns;
  context.RunFunctionInTransaction([&] {
    const DeltaTable* table = FindTarget(context, insert);
    if (table == nullptr) {
      engine::Throw({ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                     "INSERT ... PARTITION is for Delta tables, which " +
                         insert.table + " is not"});
    }
    columns = OtherColumns(*table, partition);
  });
  // SELECT *, 'x' AS p FROM (query)
  auto node = duckdb::make_uniq<duckdb::SelectNode>();
  node->select_list.push_back(duckdb::make_uniq<duckdb::StarExpression>());
  for (const PartitionValue& part : partition)
    node->select_list.push_back(ValueOf(part));
  node->from_table = duckdb::make_uniq<duckdb::SubqueryRef>(
      std::move(insert.select_statement));
  insert.select_statement = duckdb::make_uniq<duckdb::SelectStatement>();
  insert.select_statement->node = std::move(node);
  if (insert.column_order == duckdb::InsertColumnOrder::INSERT_BY_NAME) return;
  if (insert.columns.empty())
    insert.columns.assign(columns.begin(), columns.end());
  for (const PartitionValue& part : partition)
    insert.columns.push_back(part.column);
}

}  // namespace bayou::sql
