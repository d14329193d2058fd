// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/stored_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Stored(std::string_view text) {
  const auto parsed = ParseStoredExpression(text, Spelling::kSpark);
  return parsed ? SparkText(*parsed) : std::string(parsed.error().condition);
}

std::string FromDuckDB(std::string_view text) {
  auto parsed = ParseStoredExpression(text, Spelling::kDuckDB);
  if (!parsed) return std::string(parsed.error().condition);
  const auto words = InSparkWords(*std::move(parsed));
  return words ? SparkText(*words) : std::string(words.error().condition);
}

TEST(StoredExpressionTest, KeepsWhatSparkWrites) {
  for (const char* text : {"v > 0 AND LENGTH(s) < 10",
                           "CAST(ts AS DATE)",
                           "YEAR(ts)",
                           "c1 + 1",
                           "a IS NOT NULL",
                           "NOT (a AND b)",
                           "a NOT IN (1, 2)",
                           "a BETWEEN 1 AND 2",
                           "a NOT BETWEEN 1 AND 2",
                           "CASE WHEN a > 1 THEN 'x' ELSE NULL END",
                           "CASE a WHEN 1 THEN 2 ELSE 3 END",
                           "a - (b - c)",
                           "(a + b) * c",
                           "s LIKE 'a%'",
                           "s NOT LIKE 'a\\\\%'",
                           "`select` = 1",
                           "a.b.c > 1",
                           "DATE '2024-01-01' <= d",
                           "X'0AFF' = b",
                           "1L + 2S + 3Y",
                           "1.5D < 2.5F",
                           "a <=> b",
                           "a <> b",
                           "xs[0] = 1",
                           "-a",
                           "-(-1)",
                           "a || 'b'",
                           "a DIV 2 = 1",
                           "(a = b) = c",
                           "(a | b) & c ^ d"}) {
    EXPECT_EQ(Stored(text), text);
  }
}

TEST(StoredExpressionTest, ReadsTheSpellingsOfSpark) {
  EXPECT_EQ(Stored("\"x\" = 'it\\'s'"), "'x' = 'it\\'s'");
  EXPECT_EQ(Stored("a != 1 /* no */ -- at all"), "a <> 1");
  EXPECT_EQ(Stored("a == 1"), "a = 1");
  EXPECT_EQ(Stored("s rlike r'\\d+'"), "s RLIKE '\\\\d+'");
  EXPECT_EQ(Stored("extract(YEAR from d)"), "DATE_PART('YEAR', d)");
  EXPECT_EQ(Stored("cast(a as decimal(10, 2)) > .5"),
            "CAST(a AS DECIMAL(10,2)) > .5");
  EXPECT_EQ(Stored("a is distinct from b"), "NOT a <=> b");
  EXPECT_EQ(Stored("a OR b AND NOT c"), "a OR b AND NOT c");
  EXPECT_EQ(Stored("4.p"), "(4).p");
}

TEST(StoredExpressionTest, RefusesWhatIsNoScalarExpression) {
  for (const char* text :
       {"", "a +", "(a", "a)", "'a", "a b", "1 2", "a = = b", "case end",
        "a in ()", "f(,)", "\x01", "?", ":x", "a;b"}) {
    EXPECT_EQ(Stored(text), "DELTA_EXPRESSION_INVALID") << text;
  }
  for (const char* text :
       {"(SELECT 1)", "a IN (SELECT 1)", "EXISTS (SELECT 1)", "'a''b'",
        "sum(a) OVER (PARTITION BY b)", "count(DISTINCT a)",
        "d + INTERVAL 1 DAY", "TRY_CAST(a AS INT)", "CAST(a AS ARRAY<INT>)",
        "1e400D"}) {
    EXPECT_EQ(Stored(text), "DELTA_EXPRESSION_UNSUPPORTED") << text;
  }
}

TEST(StoredExpressionTest, BoundsDepthAndSize) {
  const auto repeat = [](std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  EXPECT_EQ(Stored(repeat("(", 5000) + "a"), "DELTA_EXPRESSION_UNSUPPORTED");
  EXPECT_EQ(Stored(repeat("NOT ", 5000) + "a"), "DELTA_EXPRESSION_UNSUPPORTED");
  EXPECT_EQ(Stored(repeat("~", 5000) + "a"), "DELTA_EXPRESSION_UNSUPPORTED");
  EXPECT_EQ(Stored("a" + repeat(" + 1", 5000)), "DELTA_EXPRESSION_UNSUPPORTED");
  EXPECT_EQ(Stored("a" + repeat("[0]", 5000)), "DELTA_EXPRESSION_UNSUPPORTED");
  EXPECT_EQ(Stored(repeat(" ", 70000) + "a"), "DELTA_EXPRESSION_UNSUPPORTED");
  EXPECT_THAT(Stored("a = 1" + repeat(" OR a = 1", 3000)), HasSubstr("OR"));
}

TEST(StoredExpressionTest, TurnsTheWordsOfDuckDBIntoSparks) {
  EXPECT_EQ(FromDuckDB("\"x\" = 'it''s'"), "x = 'it\\'s'");
  EXPECT_EQ(FromDuckDB("a::INT > 0"), "CAST(a AS INT) > 0");
  EXPECT_EQ(FromDuckDB("concat(a, b)"), "CONCAT_WS('', a, b)");
  EXPECT_EQ(FromDuckDB("a // 2"), "a DIV 2");
  EXPECT_EQ(FromDuckDB("a ^ 2"), "POWER(a, 2)");
  EXPECT_EQ(FromDuckDB("dayofweek(d)"), "DAYOFWEEK(d) - 1");
  EXPECT_EQ(FromDuckDB("date_part('isodow', d)"), "WEEKDAY(d) + 1");
  EXPECT_EQ(FromDuckDB("xs[1] = 2"), "xs[0] = 2");
  EXPECT_EQ(FromDuckDB("xs[i] = 2"), "ELEMENT_AT(xs, i) = 2");
  EXPECT_EQ(FromDuckDB("s ~ 'a+'"), "s RLIKE '^(?:a+)$'");
  EXPECT_EQ(FromDuckDB("strftime(d, '%Y-%m')"), "DATE_FORMAT(d, 'yyyy-MM')");
  EXPECT_EQ(FromDuckDB("TIMESTAMP '2024-01-01' > t"),
            "TIMESTAMP_NTZ '2024-01-01' > t");
  EXPECT_EQ(FromDuckDB("date_diff('day', a, b)"), "DATEDIFF(b, a)");
  EXPECT_EQ(FromDuckDB("s LIKE 'a\\b'"), "s LIKE 'a\\\\\\\\b'");
  EXPECT_EQ(FromDuckDB("strftime(d, '%A')"), "DELTA_EXPRESSION_UNSUPPORTED");
}

TEST(StoredExpressionTest, NamesItsColumnsOnce) {
  const auto parsed =
      ParseStoredExpression("a + A.b + `C` > f(a)", Spelling::kSpark);
  EXPECT_THAT(ColumnsOf(*parsed), ElementsAre("a", "C"));
}

}  // namespace
}  // namespace bayou::protocol
