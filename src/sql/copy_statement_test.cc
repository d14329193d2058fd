// SPDX-License-Identifier: Apache-2.0
#include "sql/copy_statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::sql {
namespace {

using ::testing::ElementsAre;

Result<std::optional<CopyStatement>> Parse(std::string_view text) {
  return ParseCopyInto(text, Tokenize(text).tokens, 0);
}

TEST(ParseCopyInto, TakesAllClauses) {
  const auto parsed = Parse(
      "COPY INTO lake.s.t (a, `b c`) FROM 'in' FILEFORMAT = csv "
      "FORMAT_OPTIONS ('HEADER' = 'true', 'sep' = ';') FILES = ('x', 'y') "
      "COPY_OPTIONS ('mergeSchema' = 'true', 'force' = 'false')");
  ASSERT_TRUE(parsed && *parsed);
  const CopyStatement& copy = **parsed;
  EXPECT_THAT(copy.target.parts, ElementsAre("lake", "s", "t"));
  EXPECT_THAT(copy.columns, ElementsAre("a", "b c"));
  EXPECT_EQ(copy.source, "in");
  EXPECT_EQ(copy.format, CopyFormat::kCsv);
  EXPECT_THAT(copy.files, ElementsAre("x", "y"));
  EXPECT_EQ(copy.format_options.at("header"), "true");
  EXPECT_EQ(copy.format_options.at("sep"), ";");
  EXPECT_TRUE(copy.merge_schema);
  EXPECT_FALSE(copy.force);
  EXPECT_FALSE(copy.query);
}

TEST(ParseCopyInto, TakesTheQueryApart) {
  const auto parsed = Parse(
      "COPY INTO t BY POSITION FROM (SELECT f((SELECT 1 FROM 'not')), x FROM "
      "'in' WHERE x > (2)) FILEFORMAT = JSON PATTERN = '*.json'");
  ASSERT_TRUE(parsed && *parsed);
  const CopyStatement& copy = **parsed;
  EXPECT_TRUE(copy.by_position);
  EXPECT_EQ(copy.source, "in");
  ASSERT_TRUE(copy.query);
  EXPECT_EQ(copy.query->before, "SELECT f((SELECT 1 FROM 'not')), x FROM");
  EXPECT_EQ(copy.query->behind, "WHERE x > (2)");
  EXPECT_EQ(copy.pattern, "*.json");
}

TEST(ParseCopyInto, LeavesOtherStatementsAlone) {
  for (const char* other : {"COPY t FROM 'x'", "COPY into FROM 'x'",
                            "COPY into TO 'x'", "SELECT 1", ""}) {
    const auto parsed = Parse(other);
    EXPECT_TRUE(parsed && !*parsed) << other;
  }
}

TEST(ParseCopyInto, RefusesWhatItWouldLose) {
  for (const char* broken :
       {"COPY INTO t", "COPY INTO t FROM in FILEFORMAT = CSV",
        "COPY INTO t FROM 'in'", "COPY INTO t FROM 'in' FILEFORMAT = ORC",
        "COPY INTO t FROM 'in' FILEFORMAT = CSV VALIDATE ALL",
        "COPY INTO t FROM 'in' WITH (CREDENTIAL c) FILEFORMAT = CSV",
        "COPY INTO t FROM 'in' FILEFORMAT = CSV FILES = ('a' PATTERN = 'b'",
        "COPY INTO t FROM 'in' FILEFORMAT = CSV FILES = ('a') PATTERN = 'b'",
        "COPY INTO t FROM 'in' FILEFORMAT = CSV COPY_OPTIONS ('x' = 'true')",
        "COPY INTO t FROM 'in' FILEFORMAT = CSV COPY_OPTIONS ('force' = '1')",
        "COPY INTO t FROM (SELECT 1) FILEFORMAT = CSV",
        "COPY INTO t FROM (SELECT * FROM 'in' FILEFORMAT = CSV",
        "COPY INTO t FROM 'in' FILEFORMAT = CSV and more"}) {
    EXPECT_FALSE(Parse(broken)) << broken;
  }
}

}  // namespace
}  // namespace bayou::sql
