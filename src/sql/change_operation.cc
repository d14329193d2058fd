// SPDX-License-Identifier: Apache-2.0
#include "sql/change_operation.h"

#include <duckdb.hpp>
#include <duckdb/parser/parser.hpp>
#include <duckdb/parser/statement/delete_statement.hpp>
#include <duckdb/parser/statement/merge_into_statement.hpp>
#include <duckdb/parser/statement/update_statement.hpp>
#include <vector>

#include "base/json.h"
#include "kernel/engine/engine.h"
#include "sql/token.h"

namespace bayou::sql {
namespace {

using duckdb::MergeActionCondition;
using duckdb::MergeActionType;
using duckdb::ParsedExpression;
using transaction::Operation;

std::string PredicateList(
    const duckdb::unique_ptr<ParsedExpression>& condition) {
  std::vector<std::string> predicates;
  if (condition) predicates.push_back(condition->ToString());
  return transaction::ListParameter(predicates);
}

const char* ActionType(MergeActionType type) {
  switch (type) {
    case MergeActionType::MERGE_UPDATE:
      return "update";
    case MergeActionType::MERGE_DELETE:
      return "delete";
    case MergeActionType::MERGE_INSERT:
      return "insert";
    default:
      return nullptr;
  }
}

// The clauses of one kind: a JSON list of {predicate, actionType}, in a string.
std::string ClauseList(const duckdb::MergeIntoStatement& merge,
                       MergeActionCondition kind) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartArray();
  const auto clauses = merge.actions.find(kind);
  if (clauses != merge.actions.end()) {
    for (const auto& clause : clauses->second) {
      const char* type = ActionType(clause->action_type);
      if (type == nullptr) continue;
      writer.StartObject();
      if (clause->condition) {
        writer.Key("predicate");
        WriteString(writer, clause->condition->ToString());
      }
      writer.Key("actionType");
      writer.String(type);
      writer.EndObject();
    }
  }
  writer.EndArray();
  return transaction::TextParameter(TakeText(buffer));
}

void Describe(const duckdb::MergeIntoStatement& merge, Operation& operation) {
  operation.parameters = {
      {"predicate", PredicateList(merge.join_condition)},
      {"matchedPredicates",
       ClauseList(merge, MergeActionCondition::WHEN_MATCHED)},
      {"notMatchedPredicates",
       ClauseList(merge, MergeActionCondition::WHEN_NOT_MATCHED_BY_TARGET)},
      {"notMatchedBySourcePredicates",
       ClauseList(merge, MergeActionCondition::WHEN_NOT_MATCHED_BY_SOURCE)}};
}

void Describe(const duckdb::SQLStatement& statement, Operation& operation) {
  switch (statement.type) {
    case duckdb::StatementType::DELETE_STATEMENT:
      operation.parameters = {
          {"predicate",
           PredicateList(statement.Cast<duckdb::DeleteStatement>().condition)}};
      break;
    case duckdb::StatementType::UPDATE_STATEMENT:
      operation.parameters = {
          {"predicate",
           PredicateList(
               statement.Cast<duckdb::UpdateStatement>().set_info->condition)}};
      break;
    case duckdb::StatementType::MERGE_INTO_STATEMENT:
      Describe(statement.Cast<duckdb::MergeIntoStatement>(), operation);
      break;
    default:
      break;
  }
}

}  // namespace

Operation ChangeOperation(const std::string& name, const std::string& sql) {
  Operation operation{
      name, {{"predicate", transaction::ListParameter({})}}, {}};
  // What cannot be parsed is told without a condition.
  (void)engine::Guard([&] {
    duckdb::Parser parser;
    parser.ParseQuery(sql);
    if (parser.statements.size() == 1)
      Describe(*parser.statements[0], operation);
  });
  return operation;
}

bool IsTruncate(const std::string& sql) {
  const Tokens lexed = Tokenize(sql);
  return !lexed.tokens.empty() && lexed.tokens.front().Is("truncate");
}

Operation WriteOperation(const protocol::Metadata& metadata,
                         const std::optional<Overwrite>& overwrite) {
  Operation operation{"WRITE", {}, {}};
  operation.parameters = {
      {"mode", transaction::TextParameter(overwrite ? "Overwrite" : "Append")},
      {"partitionBy", transaction::ListParameter(metadata.partition_columns)}};
  if (overwrite && !overwrite->where.empty()) {
    operation.parameters.emplace_back(
        "predicate", transaction::TextParameter(overwrite->where));
  }
  if (overwrite && overwrite->dynamic)
    operation.parameters.emplace_back("isDynamicPartitionOverwrite", "true");
  return operation;
}

}  // namespace bayou::sql
