// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/combined_statistics.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernel/write/file_statistics_writer.h"
#include "kernel/write/rows_for_test.h"

namespace bayou::write {
namespace {

constexpr const char* kRows =
    "SELECT 1 AS i, 2.5::DOUBLE AS d, 'a' AS s, [1] AS l, "
    "{'x': 1.25::DECIMAL(5, 2)} AS st, TIMESTAMPTZ '2024-01-01' AS t";

class CombinedStatistics : public ::testing::Test {
 protected:
  // What the rows of a query tell, written anew.
  CountedFile File(const std::string& query) {
    FileStatisticsWriter writer(layout_);
    for (const auto& chunk : rows_.Chunks(query)) writer.Update(*chunk);
    return {writer.ToJson(), writer.num_records()};
  }
  std::optional<std::string> Combine(const std::vector<CountedFile>& files) {
    return CombineStatistics(layout_, files);
  }
  std::string Where(const std::string& condition) {
    return "SELECT i::INTEGER AS i, (i / 4.0)::DOUBLE AS d, repeat(chr(97 + "
           "i::INTEGER), "
           "30) AS s, [i::INTEGER] AS l, {'x': i::DECIMAL(5, 2)} AS st, "
           "to_timestamp(1704067200.123456 + i) AS t "
           "FROM range(20) t(i) WHERE " +
           condition;
  }

  SqlRows rows_;
  std::shared_ptr<const FileLayout> layout_ =
      LayoutFor(rows_.SchemaOf(kRows), {}, {}, {});
};

TEST_F(CombinedStatistics, AreThoseOfAllRows) {
  const auto combined = Combine({File(Where("i < 3")), File(Where("i >= 15")),
                                 File(Where("i BETWEEN 3 AND 14"))});
  EXPECT_EQ(combined, File(Where("true")).stats);
}

TEST_F(CombinedStatistics, AFileOfNullsHasNoBoundsToGive) {
  const std::string nulls =
      "SELECT " +
      std::string(
          "NULL::INTEGER AS i, NULL::DOUBLE AS d, NULL::VARCHAR AS s, "
          "NULL::INTEGER[] AS l, NULL::STRUCT(x DECIMAL(5, 2)) AS st, "
          "NULL::TIMESTAMPTZ AS t");
  EXPECT_EQ(Combine({File(nulls), File(Where("i = 7")), File(nulls)}),
            File(Where("i = 7") + " UNION ALL " + nulls + " UNION ALL " + nulls)
                .stats);
  EXPECT_EQ(Combine({File(nulls), File(nulls)}),
            File(nulls + " UNION ALL " + nulls).stats);
}

TEST_F(CombinedStatistics, ABoundThatOneFileDoesNotHaveNobodyHas) {
  const std::string nan =
      "SELECT 3 AS i, 'NaN'::DOUBLE AS d, 'x' AS s, [1] AS l, "
      "{'x': 1::DECIMAL(5, 2)} AS st, TIMESTAMPTZ '2024-01-01' AS t";
  EXPECT_EQ(Combine({File(Where("i = 7")), File(nan)}),
            File(Where("i = 7") + " UNION ALL " + nan).stats);
  EXPECT_EQ(Combine({File(nan), File(Where("i = 7"))}),
            File(Where("i = 7") + " UNION ALL " + nan).stats);
}

// Cut twice, a text ends with another last character, and then with no other.
TEST_F(CombinedStatistics, TextsThatWereCutStayBounds) {
  const CountedFile file = File(
      "SELECT 1 AS i, 1::DOUBLE AS d, repeat('x', 40) AS s, [1] AS l, "
      "{'x': 1::DECIMAL(5, 2)} AS st, to_timestamp(0) AS t");
  const auto once = Combine({file});
  ASSERT_TRUE(once);
  EXPECT_NE(once->find(std::string(32, 'x') + "\U0010FFFF"), std::string::npos);
  EXPECT_EQ(Combine({{once, 1}}), once);
}

TEST_F(CombinedStatistics, FilesThatTellLessThanTheirRowsHaveNone) {
  const CountedFile good = File(Where("i = 7"));
  for (const char* stats :
       {"", "{}", R"({"numRecords":2})", R"({"numRecords":1})",
        R"({"numRecords":1,"nullCount":{"i":0}})", "no JSON"}) {
    EXPECT_EQ(Combine({good, {stats, 1}}), std::nullopt) << stats;
  }
  EXPECT_EQ(Combine({good, {std::nullopt, 1}}), std::nullopt);
  EXPECT_EQ(Combine({good, {good.stats, 2}}), std::nullopt);
  CountedFile wide = good;
  wide.stats->insert(wide.stats->size() - 1, R"(,"tightBounds":false)");
  EXPECT_EQ(Combine({good, wide}), std::nullopt);
}

// Writers that count no nulls of arrays leave nothing to be found out.
TEST_F(CombinedStatistics, NullsOfWhatHasNoBoundsMayBeUnknown) {
  CountedFile other = File(Where("i = 7"));
  const std::string nulls = R"("l":0,)";
  other.stats->erase(other.stats->find(nulls), nulls.size());
  const auto combined = Combine({File(Where("i = 8")), other});
  ASSERT_TRUE(combined);
  EXPECT_EQ(combined->find("\"l\""), std::string::npos) << *combined;
}

}  // namespace
}  // namespace bayou::write
