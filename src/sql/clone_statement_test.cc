// SPDX-License-Identifier: Apache-2.0
#include "sql/clone_statement.h"

#include <gtest/gtest.h>

namespace bayou::sql {
namespace {

// What runs; empty for what is no such statement.
std::string Call(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  const auto statement = ParseClone(text, tokens.tokens);
  if (!statement) return "error: " + std::string(statement.error().condition);
  constexpr std::string_view kBegin = "SELECT * FROM ";
  return *statement ? (*statement)->run.substr(kBegin.size()) : "";
}

TEST(ParseClone, IsDeepUnlessItSaysShallow) {
  EXPECT_EQ(Call("CREATE TABLE c DEEP CLONE a.s"),
            "bayou_clone('\"c\"', '\"a\".\"s\"')");
  EXPECT_EQ(Call("create table c clone s"), "bayou_clone('\"c\"', '\"s\"')");
  EXPECT_EQ(Call("CREATE TABLE delta.`/c d` SHALLOW CLONE '/s'"),
            "bayou_clone('\"delta\".\"main\".\"/c d\"', "
            "'\"delta\".\"main\".\"/s\"', shallow => true)");
}

TEST(ParseClone, KnowsWhatBecomesOfATableThatIsThere) {
  EXPECT_EQ(Call("CREATE OR REPLACE TABLE c CLONE s"),
            "bayou_clone('\"c\"', '\"s\"', mode => 'create_or_replace')");
  EXPECT_EQ(Call("CREATE TABLE IF NOT EXISTS c CLONE s"),
            "bayou_clone('\"c\"', '\"s\"', mode => 'create_if_not_exists')");
  EXPECT_EQ(Call("REPLACE TABLE c CLONE s"),
            "bayou_clone('\"c\"', '\"s\"', mode => 'replace')");
}

TEST(ParseClone, TakesAVersionPropertiesAndAPlace) {
  EXPECT_EQ(Call("CREATE TABLE c CLONE s VERSION AS OF 3 TBLPROPERTIES ('a' = "
                 "'it''s', delta.appendOnly = true) LOCATION '/c'"),
            "bayou_clone('\"c\"', '\"s\"', version => 3, properties => MAP "
            "{'a': 'it''s', 'delta.appendOnly': 'true'}, location => '/c')");
  EXPECT_EQ(Call("CREATE TABLE c CLONE s TIMESTAMP AS OF '2024-01-01'"),
            "bayou_clone('\"c\"', '\"s\"', \"timestamp\" => '2024-01-01')");
  EXPECT_EQ(Call("CREATE TABLE c CLONE s@v3"),
            "bayou_clone('\"c\"', '\"s\"', version => 3)");
}

TEST(ParseClone, LeavesOtherStatementsAlone) {
  for (const char* text :
       {"", "CREATE", "CREATE TABLE", "CREATE TABLE clone (a INT)",
        "CREATE TABLE c AS SELECT 1", "CREATE VIEW c AS SELECT 1",
        "REPLACE TABLE c AS SELECT 1", "CREATE OR REPLACE TABLE c (a INT)"}) {
    EXPECT_EQ(Call(text), "") << text;
  }
}

TEST(ParseClone, SaysWhatIsNotExpected) {
  EXPECT_EQ(Call("CREATE TABLE c CLONE"), "error: PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Call("CREATE TABLE c CLONE s PARTITIONED BY (a)"),
            "error: PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Call("CREATE TABLE c CLONE s LOCATION"),
            "error: PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Call("CREATE TABLE c CLONE s TBLPROPERTIES ('a' = 'b', 'a' = 'c')"),
            "error: DUPLICATE_KEY");
}

}  // namespace
}  // namespace bayou::sql
