// SPDX-License-Identifier: Apache-2.0
//
// What every row of a table has to satisfy besides NOT NULL: CHECK constraints,
// column invariants, the values of generated columns, and the lengths of
// columns that were declared CHAR(n) or VARCHAR(n).
//
// Protocol: "CHECK Constraints", "Column Invariants", "Generated Columns". A
// condition holds when it is true: unknown (NULL) breaks it as false does.
#pragma once

#include <cstddef>
#include <duckdb.hpp>
#include <duckdb/execution/expression_executor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/protocol/schema.h"

namespace bayou::write {

// A rule as the table has it.
struct RowRule {
  std::string name;  // As messages have it: `CHECK constraint positive`.
  std::string text;  // Spark SQL.
  std::string_view condition;                    // Of the error.
  std::vector<std::size_t> columns;              // That it looks at.
  duckdb::unique_ptr<duckdb::Expression> holds;  // BOOLEAN over the columns.
};

// All rules of a table. Shared by the threads of a statement.
class RowRules {
 public:
  // Errors: see engine::BindStoredExpression; a rule that cannot be understood
  // stops every write, and the message says which one it is.
  static Result<std::shared_ptr<const RowRules>> Bind(
      duckdb::ClientContext& context, const protocol::Metadata& metadata,
      const protocol::Schema& schema);

  // One condition alone, for rows that are there already.
  static Result<std::shared_ptr<const RowRules>> BindCondition(
      duckdb::ClientContext& context, const std::string& name,
      const std::string& text, const protocol::Schema& schema);

  const std::vector<RowRule>& rules() const { return rules_; }
  const protocol::Schema& schema() const { return schema_; }

 private:
  protocol::Schema schema_;
  std::vector<RowRule> rules_;
};

// Looks at rows; for one thread.
class RowRuleCheck {
 public:
  RowRuleCheck(duckdb::ClientContext& context,
               std::shared_ptr<const RowRules> rules);

  // `rows` have the schema's columns, in order.
  // Errors: kConstraint, condition DELTA_VIOLATE_CONSTRAINT_WITH_VALUES or
  // DELTA_EXCEED_CHAR_VARCHAR_LIMIT, with the rule, how many of these rows
  // break it and some of them; whatever an expression fails with.
  Status Check(duckdb::DataChunk& rows);

 private:
  Status Violation(const RowRule& rule, duckdb::DataChunk& rows,
                   const std::vector<duckdb::idx_t>& broken) const;

  std::shared_ptr<const RowRules> rules_;
  std::vector<std::unique_ptr<duckdb::ExpressionExecutor>> executors_;
};

}  // namespace bayou::write
