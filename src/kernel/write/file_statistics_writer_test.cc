// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/file_statistics_writer.h"

#include <gtest/gtest.h>

#include "kernel/write/rows_for_test.h"

namespace bayou::write {
namespace {

class FileStatistics : public ::testing::Test {
 protected:
  // The statistics of a file with the rows of `query`.
  std::string Of(const std::string& query, protocol::StringMap properties = {},
                 const protocol::Protocol& protocol = {}) {
    FileStatisticsWriter writer(
        LayoutFor(rows_.SchemaOf(query), {}, std::move(properties), protocol));
    for (const auto& chunk : rows_.Chunks(query)) writer.Update(*chunk);
    return writer.ToJson();
  }

  // As Of(), for one column `c` with these values.
  std::string OfColumn(const std::string& type, const std::string& values) {
    return Of("SELECT c::" + type + " AS c FROM (VALUES " + values + ") t(c)");
  }

  static std::string Json(const std::string& rows, const std::string& low,
                          const std::string& high, const std::string& nulls) {
    return R"({"numRecords":)" + rows + R"(,"minValues":)" + low +
           R"(,"maxValues":)" + high + R"(,"nullCount":)" + nulls + "}";
  }

  SqlRows rows_;
};

TEST_F(FileStatistics, IntegersOfEveryWidth) {
  for (const char* type : {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}) {
    EXPECT_EQ(OfColumn(type, "(3), (NULL), (-7), (100)"),
              Json("4", R"({"c":-7})", R"({"c":100})", R"({"c":1})"))
        << type;
  }
  EXPECT_EQ(OfColumn("BIGINT", "(9223372036854775807), (-9223372036854775808)"),
            Json("2", R"({"c":-9223372036854775808})",
                 R"({"c":9223372036854775807})", R"({"c":0})"));
}

TEST_F(FileStatistics, ManyChunks) {
  EXPECT_EQ(Of("SELECT CASE WHEN range % 10 <> 0 THEN range END AS c FROM "
               "range(10000)"),
            Json("10000", R"({"c":1})", R"({"c":9999})", R"({"c":1000})"));
}

TEST_F(FileStatistics, OnlyNullsHaveNoBounds) {
  EXPECT_EQ(OfColumn("INTEGER", "(NULL), (NULL)"),
            Json("2", "{}", "{}", R"({"c":2})"));
}

TEST_F(FileStatistics, DecimalsAreExact) {
  EXPECT_EQ(OfColumn("DECIMAL(4,2)", "('1.50'), ('-0.05')"),
            Json("2", R"({"c":-0.05})", R"({"c":1.50})", R"({"c":0})"));
  EXPECT_EQ(OfColumn("DECIMAL(18,4)", "('90071992547409.9301')"),
            Json("1", R"({"c":90071992547409.9301})",
                 R"({"c":90071992547409.9301})", R"({"c":0})"));
  EXPECT_EQ(OfColumn("DECIMAL(2,2)", "('.25'), ('-.5')"),
            Json("2", R"({"c":-0.50})", R"({"c":0.25})", R"({"c":0})"));
  const std::string widest(38, '9');
  EXPECT_EQ(
      OfColumn("DECIMAL(38,0)", "('" + widest + "'), ('-" + widest + "')"),
      Json("2", R"({"c":-)" + widest + "}", R"({"c":)" + widest + "}",
           R"({"c":0})"));
}

TEST_F(FileStatistics, NanLeavesNoBounds) {
  EXPECT_EQ(OfColumn("DOUBLE", "('1'), ('NaN'), ('3')"),
            Json("3", "{}", "{}", R"({"c":0})"));
  EXPECT_EQ(OfColumn("FLOAT", "('NaN')"), Json("1", "{}", "{}", R"({"c":0})"));
}

TEST_F(FileStatistics, InfinityIsNoBound) {
  EXPECT_EQ(OfColumn("DOUBLE", "('inf'), ('-inf'), ('3')"),
            Json("3", "{}", "{}", R"({"c":0})"));
  EXPECT_EQ(OfColumn("DOUBLE", "('inf'), ('3')"),
            Json("2", R"({"c":3})", "{}", R"({"c":0})"));
}

TEST_F(FileStatistics, FloatingNumbersRoundTrip) {
  EXPECT_EQ(OfColumn("DOUBLE", "(0.1), (1e300)"),
            Json("2", R"({"c":0.1})", R"({"c":1e+300})", R"({"c":0})"));
  // 0.1f is not 0.1: a reader that compares doubles must see the greater one.
  EXPECT_EQ(OfColumn("FLOAT", "(0.1)"),
            Json("1", R"({"c":0.10000000149011612})",
                 R"({"c":0.10000000149011612})", R"({"c":0})"));
  EXPECT_EQ(OfColumn("DOUBLE", "('-0.0')"),
            Json("1", R"({"c":0})", R"({"c":0})", R"({"c":0})"));
}

TEST_F(FileStatistics, DatesAndTimes) {
  EXPECT_EQ(OfColumn("DATE", "('1850-01-01'), ('9999-12-31')"),
            Json("2", R"({"c":"1850-01-01"})", R"({"c":"9999-12-31"})",
                 R"({"c":0})"));
  EXPECT_EQ(OfColumn("TIMESTAMP", "('2024-01-01 00:00:00.123456')"),
            Json("1", R"({"c":"2024-01-01T00:00:00.123"})",
                 R"({"c":"2024-01-01T00:00:00.123"})", R"({"c":0})"));
}

TEST_F(FileStatistics, InstantsAreInUtcWhateverTheSessionsZone) {
  rows_.connection().Query("SET TimeZone = 'Europe/Berlin'");
  EXPECT_EQ(OfColumn("TIMESTAMPTZ", "('1850-01-01 00:07:33.9999+00')"),
            Json("1", R"({"c":"1850-01-01T00:07:33.999Z"})",
                 R"({"c":"1850-01-01T00:07:33.999Z"})", R"({"c":0})"));
}

TEST_F(FileStatistics, TimesThatOthersCannotReadAreNoBounds) {
  EXPECT_EQ(OfColumn("DATE", "('20000-01-01'), ('2000-01-01')"),
            Json("2", R"({"c":"2000-01-01"})", "{}", R"({"c":0})"));
  EXPECT_EQ(OfColumn("TIMESTAMP", "('infinity'), ('0001-01-01 (BC)')"),
            Json("2", "{}", "{}", R"({"c":0})"));
}

TEST_F(FileStatistics, StringsAreCut) {
  EXPECT_EQ(
      OfColumn("VARCHAR", "('" + std::string(40, 'b') + "'), ('a\"c'), (NULL)"),
      Json("3", R"({"c":"a\"c"})",
           R"({"c":")" + std::string(32, 'b') + "\x7F\"}", R"({"c":1})"));
}

TEST_F(FileStatistics, StringsComparePastTheSignBit) {
  EXPECT_EQ(OfColumn("VARCHAR", "('é'), ('z')"),
            Json("2", R"({"c":"z"})", R"({"c":"é"})", R"({"c":0})"));
}

TEST_F(FileStatistics, TypesWithoutBoundsCountTheirOwnNulls) {
  EXPECT_EQ(OfColumn("BIGINT[]", "([NULL, NULL]), ([1]), (NULL)"),
            Json("3", "{}", "{}", R"({"c":1})"));
  EXPECT_EQ(OfColumn("MAP(VARCHAR, INTEGER)", "(MAP {'a': NULL}), (NULL)"),
            Json("2", "{}", "{}", R"({"c":1})"));
  EXPECT_EQ(OfColumn("BLOB", "('a'), (NULL)"),
            Json("2", "{}", "{}", R"({"c":1})"));
  EXPECT_EQ(OfColumn("BOOLEAN", "(true), (NULL)"),
            Json("2", "{}", "{}", R"({"c":1})"));
}

TEST_F(FileStatistics, StructsNestAndANullStructHasNullFields) {
  EXPECT_EQ(
      Of("SELECT * FROM (VALUES (1, {'a': 1, 'b': {'c': 'x'}}), (2, NULL), "
         "(3, {'a': NULL, 'b': NULL})) t(i, s)"),
      Json("3", R"({"i":1,"s":{"a":1,"b":{"c":"x"}}})",
           R"({"i":3,"s":{"a":1,"b":{"c":"x"}}})",
           R"({"i":0,"s":{"a":2,"b":{"c":2}}})"));
}

TEST_F(FileStatistics, OnlySoManyLeaves) {
  const std::string query = "SELECT 1 AS a, {'x': 2, 'y': 3} AS s, 4 AS d";
  EXPECT_EQ(Of(query, {{"delta.dataSkippingNumIndexedCols", "2"}}),
            Json("1", R"({"a":1,"s":{"x":2}})", R"({"a":1,"s":{"x":2}})",
                 R"({"a":0,"s":{"x":0}})"));
  EXPECT_EQ(Of(query, {{"delta.dataSkippingNumIndexedCols", "0"}}),
            Json("1", "{}", "{}", "{}"));
}

TEST_F(FileStatistics, OnlyTheNamedColumns) {
  const std::string query =
      "SELECT 1 AS a, {'x': 2, 'y': 3} AS s, 4 AS \"d.e\"";
  EXPECT_EQ(Of(query, {{"delta.dataSkippingStatsColumns", "s.y, `d.e`"}}),
            Json("1", R"({"s":{"y":3},"d.e":4})", R"({"s":{"y":3},"d.e":4})",
                 R"({"s":{"y":0},"d.e":0})"));
  EXPECT_EQ(Of(query, {{"delta.dataSkippingStatsColumns", "s"}}),
            Json("1", R"({"s":{"x":2,"y":3}})", R"({"s":{"x":2,"y":3}})",
                 R"({"s":{"x":0,"y":0}})"));
}

TEST_F(FileStatistics, BoundsAreTightWhereVectorsCanCome) {
  protocol::Protocol protocol;
  protocol.min_reader_version = 3;
  protocol.min_writer_version = 7;
  protocol.reader_features = {{"deletionVectors"}};
  protocol.writer_features = {{"deletionVectors"}};
  EXPECT_EQ(Of("SELECT 1 AS a", {}, protocol),
            R"({"numRecords":1,"minValues":{"a":1},"maxValues":{"a":1},)"
            R"("nullCount":{"a":0},"tightBounds":true})");
}

}  // namespace
}  // namespace bayou::write
