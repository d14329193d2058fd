// SPDX-License-Identifier: Apache-2.0
#include "sql/maintenance_statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::sql {
namespace {

// What runs; empty for what is none of these statements.
std::string Call(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  const auto statement = ParseMaintenance(text, tokens.tokens);
  if (!statement) return "error: " + std::string(statement.error().condition);
  constexpr std::string_view kBegin = "SELECT * FROM ";
  return *statement ? (*statement)->run.substr(kBegin.size()) : "";
}

TEST(ParseMaintenance, MakesACallOfOptimize) {
  EXPECT_EQ(Call("OPTIMIZE t"), "bayou_optimize('\"t\"')");
  EXPECT_EQ(Call("optimize delta.`/a b`"),
            "bayou_optimize('\"delta\".\"main\".\"/a b\"')");
  EXPECT_EQ(Call("OPTIMIZE 'dir/t' DRY RUN"),
            "bayou_optimize('\"delta\".\"main\".\"dir/t\"', dry_run => true)");
  EXPECT_EQ(Call("OPTIMIZE a.t WHERE `p q` = 'it''s' AND r > 1 DRY RUN"),
            "bayou_optimize('\"a\".\"t\"', \"where\" => '\"p q\" = "
            "''it''''s'' AND r > 1', dry_run => true)");
  EXPECT_EQ(Call("OPTIMIZE t NOW"), "error: PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Call("OPTIMIZE t WHERE a = 1 ZORDER BY (b, `c d`.e) DRY RUN"),
            "bayou_optimize('\"t\"', \"where\" => 'a = 1', zorder_by => "
            "[['b'], ['c d', 'e']], dry_run => true)");
  EXPECT_EQ(Call("OPTIMIZE t ZORDER BY b"),
            "bayou_optimize('\"t\"', zorder_by => [['b']])");
  EXPECT_EQ(Call("OPTIMIZE t FULL"),
            "bayou_optimize('\"t\"', \"full\" => true)");
  EXPECT_EQ(Call("OPTIMIZE t ZORDER BY (b"), "error: PARSE_SYNTAX_ERROR");
}

TEST(ParseMaintenance, TellsTheLogOfATableFromATableNamedLog) {
  EXPECT_EQ(Call("OPTIMIZE LOG t"), "bayou_compact_log('\"t\"')");
  EXPECT_EQ(Call("OPTIMIZE LOG log"), "bayou_compact_log('\"log\"')");
  EXPECT_EQ(Call("OPTIMIZE log"), "bayou_optimize('\"log\"')");
  EXPECT_EQ(Call("OPTIMIZE log.t"), "bayou_optimize('\"log\".\"t\"')");
  EXPECT_EQ(Call("OPTIMIZE log DRY RUN"),
            "bayou_optimize('\"log\"', dry_run => true)");
  EXPECT_EQ(Call("OPTIMIZE LOG t DRY RUN"), "error: PARSE_SYNTAX_ERROR");
}

TEST(ParseMaintenance, MakesACallOfVacuum) {
  EXPECT_EQ(Call("VACUUM t"), "bayou_vacuum('\"t\"')");
  EXPECT_EQ(Call("VACUUM t RETAIN 12.5 HOURS DRY RUN LITE"),
            "bayou_vacuum('\"t\"', retain_hours => 12.5, dry_run => true, mode "
            "=> 'LITE')");
  EXPECT_EQ(Call("VACUUM t FULL RETAIN -1 HOURS"),
            "bayou_vacuum('\"t\"', mode => 'FULL', retain_hours => -1)");
  // DuckDB's own, or nobody's.
  EXPECT_EQ(Call("VACUUM t USING INVENTORY a.`b c` DRY RUN"),
            "bayou_vacuum('\"t\"', inventory => 'SELECT * FROM a.`b c`', "
            "dry_run => true)");
  EXPECT_EQ(Call("vacuum t full using inventory (SELECT f('x') FROM i) retain "
                 "1 hours"),
            "bayou_vacuum('\"t\"', mode => 'full', inventory => "
            "'SELECT f(''x'') FROM i', retain_hours => 1)");
  EXPECT_EQ(Call("VACUUM t USING INVENTORY"), "");
  EXPECT_EQ(Call("VACUUM t USING INVENTORY ()"), "");
  EXPECT_EQ(Call("VACUUM t USING INVENTORY (SELECT 1"), "");
  EXPECT_EQ(Call("VACUUM"), "");
  EXPECT_EQ(Call("VACUUM ANALYZE t"), "");
  EXPECT_EQ(Call("VACUUM t RETAIN"), "");
}

TEST(ParseMaintenance, MakesACallOfRestore) {
  EXPECT_EQ(Call("RESTORE TABLE t TO VERSION AS OF 3"),
            "bayou_restore('\"t\"', version => 3)");
  EXPECT_EQ(Call("RESTORE t VERSION AS OF 3"),
            "bayou_restore('\"t\"', version => 3)");
  EXPECT_EQ(Call("RESTORE TABLE t TO TIMESTAMP AS OF '2024-01-01'"),
            "bayou_restore('\"t\"', \"timestamp\" => '2024-01-01')");
  EXPECT_EQ(Call("RESTORE TABLE t TO VERSION AS OF 3 NOW"),
            "error: PARSE_SYNTAX_ERROR");
}

TEST(ParseConvert, MakesACall) {
  const auto convert = [](std::string_view text) -> std::string {
    const Tokens tokens = Tokenize(text);
    const auto statement = ParseConvert(text, tokens.tokens);
    if (!statement) return "error: " + std::string(statement.error().condition);
    return statement->value_or("");
  };
  EXPECT_EQ(convert("CONVERT TO DELTA parquet.`/a b`"),
            "SELECT * FROM bayou_convert('/a b')");
  EXPECT_EQ(convert("convert to delta '/x' partitioned by (a DECIMAL(4, 2), b "
                    "STRING) no statistics"),
            "SELECT * FROM bayou_convert('/x', partitioned_by => 'a DECIMAL(4, "
            "2), b STRING', statistics => false)");
  EXPECT_EQ(convert("CONVERT TO DELTA iceberg.`/x`"),
            "error: DELTA_UNSUPPORTED_OPERATION");
  EXPECT_EQ(convert("CONVERT TO DELTA parquet.`/x` NOW"),
            "error: PARSE_SYNTAX_ERROR");
  EXPECT_EQ(convert("CONVERT TO DELTA"), "error: PARSE_SYNTAX_ERROR");
  EXPECT_EQ(convert("SELECT 1"), "");
}

TEST(ParseMaintenance, LeavesOtherStatements) {
  for (const char* text : {"", "SELECT 1", "OPTIMIZE", "RESTORE 1"})
    EXPECT_EQ(Call(text), "") << text;
}

}  // namespace
}  // namespace bayou::sql
