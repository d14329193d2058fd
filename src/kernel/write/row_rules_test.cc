// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/row_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"

namespace bayou::write {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RowRulesTest : public testing::Test {
 protected:
  RowRulesTest()
      : engine_(*engine::StartEngine({})),
        connection_(engine::Connect(*engine_->instance)) {}

  // The outcome for the rows of a query.
  Error Outcome(const std::string& query) {
    const auto rows = connection_->Query(query);
    EXPECT_FALSE(rows->HasError()) << rows->GetError();
    schema_.fields.resize(rows->names.size());
    for (std::size_t i = 0; i < rows->names.size(); ++i) {
      schema_.fields[i].name = rows->names[i];
      schema_.fields[i].type = *engine::FromLogicalType(rows->types[i]);
    }
    connection_->BeginTransaction();
    const Status status = Check(*rows);
    connection_->Rollback();
    return status ? Error{ErrorCode::kInternal, "none", ""} : status.error();
  }

  Status Check(duckdb::MaterializedQueryResult& rows) {
    BAYOU_ASSIGN(auto rules,
                 RowRules::Bind(*connection_->context, metadata_, schema_));
    RowRuleCheck check(*connection_->context, std::move(rules));
    while (const auto chunk = rows.Fetch()) BAYOU_TRY(check.Check(*chunk));
    return {};
  }

  std::shared_ptr<duckdb::DuckDB> engine_;
  std::unique_ptr<duckdb::Connection> connection_;
  protocol::Metadata metadata_;
  protocol::Schema schema_;
};

TEST_F(RowRulesTest, AConstraintMustBeTrue) {
  metadata_.configuration["delta.constraints.positive"] = "v > 0";
  EXPECT_EQ(Outcome("SELECT 1 AS id, 2 AS v").condition, "none");
  const Error error = Outcome(
      "SELECT id, v FROM (VALUES (1, 5), (2, NULL), (3, -1)) AS t(id, v)");
  EXPECT_EQ(error.code, ErrorCode::kConstraint);
  EXPECT_EQ(error.condition, "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES");
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("positive (v > 0)"), HasSubstr("2 of 3 rows"),
                    HasSubstr("(v = NULL), (v = -1)")));
}

TEST_F(RowRulesTest, NamesTheConstraintThatItCannotRead) {
  metadata_.configuration["delta.constraints.odd"] = "magic(v)";
  const Error error = Outcome("SELECT 1 AS v");
  EXPECT_EQ(error.condition, "DELTA_EXPRESSION_UNSUPPORTED");
  EXPECT_THAT(error.message, HasSubstr("CHECK constraint odd"));
  metadata_.configuration["delta.constraints.odd"] = "v + 1";
  EXPECT_EQ(Outcome("SELECT 1 AS v").condition, "DELTA_EXPRESSION_INVALID");
}

TEST_F(RowRulesTest, KeepsInvariantsOfNestedFieldsToo) {
  schema_.fields.resize(1);
  schema_.fields[0].metadata["delta.invariants"] =
      R"("{\"expression\":{\"expression\":\"v.a > 3\"}}")";
  EXPECT_EQ(Outcome("SELECT {'a': 4} AS v").condition, "none");
  EXPECT_THAT(Outcome("SELECT {'a': 3} AS v").message,
              HasSubstr("invariant of column v (v.a > 3)"));
  schema_.fields[0].metadata["delta.invariants"] = "\"{}\"";
  EXPECT_EQ(Outcome("SELECT {'a': 4} AS v").condition, "DELTA_SCHEMA_INVALID");
}

TEST_F(RowRulesTest, VerifiesGeneratedColumns) {
  schema_.fields.resize(2);
  schema_.fields[1].metadata["delta.generationExpression"] = "\"YEAR(d)\"";
  const std::string dates = "SELECT d::DATE AS d, y::INT AS y FROM ";
  EXPECT_EQ(
      Outcome(dates + "(VALUES ('2024-01-01', 2024), (NULL, NULL)) AS t(d, y)")
          .condition,
      "none");
  EXPECT_THAT(
      Outcome(dates + "(VALUES ('2024-01-01', 2023)) AS t(d, y)").message,
      HasSubstr("generated column y"));
}

TEST_F(RowRulesTest, CountsTheCharactersOfVarchar) {
  schema_.fields.resize(1);
  schema_.fields[0].metadata["__CHAR_VARCHAR_TYPE_STRING"] = "\"varchar(3)\"";
  EXPECT_EQ(Outcome("SELECT unnest(['äöü', NULL, '']) AS s").condition, "none");
  EXPECT_EQ(Outcome("SELECT 'abcd' AS s").condition,
            "DELTA_EXCEED_CHAR_VARCHAR_LIMIT");
  schema_.fields[0].metadata["__CHAR_VARCHAR_TYPE_STRING"] =
      "\"array<varchar(3)>\"";
  EXPECT_EQ(Outcome("SELECT 'abc' AS s").condition, "DELTA_UNSUPPORTED_TYPE");
}

TEST_F(RowRulesTest, FailsWithTheExpression) {
  metadata_.configuration["delta.constraints.division"] = "10 / v > 1";
  EXPECT_THAT(Outcome("SELECT 0 AS v").message,
              AllOf(HasSubstr("division"), HasSubstr("divided by zero")));
}

}  // namespace
}  // namespace bayou::write
