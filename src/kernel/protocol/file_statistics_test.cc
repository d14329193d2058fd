// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/file_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace bayou::protocol {
namespace {

using namespace std::string_literals;
using ::testing::SizeIs;

ColumnBounds Column(std::string_view json, const ColumnPath& path) {
  return ReadStatistics(json, std::span(&path, 1)).columns.at(0);
}

// The text of a bound that the JSON value `json` gives.
std::optional<std::string> Bound(const std::string& json) {
  return Column(R"({"minValues":{"c":)" + json + "}}", {"c"}).min;
}

TEST(ReadStatistics, ReadsWhatIsAskedFor) {
  const std::string json =
      R"({"numRecords":3,"minValues":{"a":1,"s":{"x":"p","y":2.50}},)"
      R"("maxValues":{"a":9,"s":{"x":"q","y":7e2}},"nullCount":{"a":0,"s":{"x":1,"y":3}},)"
      R"("tightBounds":false})";
  const std::vector<ColumnPath> paths = {
      {"s", "y"}, {"a"}, {"s", "x"}, {"b"}, {"s"}, {"a", "z"}, {"a"}};
  const auto statistics = ReadStatistics(json, paths);
  EXPECT_EQ(statistics.num_records, 3);
  EXPECT_FALSE(statistics.tight_bounds);
  ASSERT_THAT(statistics.columns, SizeIs(paths.size()));
  EXPECT_EQ(statistics.columns[0].min, "2.50");
  EXPECT_EQ(statistics.columns[0].max, "7e2");
  EXPECT_EQ(statistics.columns[0].null_count, 3);
  EXPECT_EQ(statistics.columns[1].min, "1");
  EXPECT_EQ(statistics.columns[1].max, "9");
  EXPECT_EQ(statistics.columns[1].null_count, 0);
  EXPECT_EQ(statistics.columns[2].min, "p");
  EXPECT_EQ(statistics.columns[2].max, "q");
  for (std::size_t absent : {3, 4, 5}) {
    EXPECT_EQ(statistics.columns[absent].min, std::nullopt);
    EXPECT_EQ(statistics.columns[absent].max, std::nullopt);
    EXPECT_EQ(statistics.columns[absent].null_count, std::nullopt);
  }
  EXPECT_EQ(statistics.columns[6].min, "1");
}

TEST(ReadStatistics, KeepsTheTextOfScalars) {
  EXPECT_EQ(Bound("12345678901234567890123456789012345.678"),
            "12345678901234567890123456789012345.678");
  EXPECT_EQ(Bound("-1"), "-1");
  EXPECT_EQ(Bound(" 1 \n"), "1");
  EXPECT_EQ(Bound(R"("a\"b\\c\u00e9\n")"), "a\"b\\c\xc3\xa9\n");
  EXPECT_EQ(Bound(R"("")"), "");
  EXPECT_EQ(Bound("true"), "true");
  EXPECT_EQ(Bound("false"), "false");
  EXPECT_EQ(Bound(R"("NaN")"), "NaN");
  EXPECT_EQ(Bound("\"a\\u0000b\""), "a\0b"s);
}

TEST(ReadStatistics, HasNoBoundWhereThereIsNoScalar) {
  for (const char* json : {"null", "{}", "[]", R"({"c":1})", "[1]", "NaN",
                           "Infinity", "-Infinity", "-NaN", "nul", "tru", "1x",
                           "-", "1-2", "1.", ".5", "1e", "--1", "+1"}) {
    EXPECT_EQ(Bound(json), std::nullopt) << json;
  }
}

TEST(ReadStatistics, HasNoBoundThatIsNoText) {
  EXPECT_EQ(Bound("\"a\xff\""), std::nullopt);
  EXPECT_EQ(Bound(R"("a\ud800")"), std::nullopt);
  EXPECT_EQ(Bound(R"("a\x")"), std::nullopt);
}

TEST(ReadStatistics, ReadsOnPastABareNaN) {
  const std::string json =
      R"({"numRecords":2,"minValues":{"a":NaN,"b":1},"maxValues":{"a":-Infinity,"b":Infinity,"c":2},)"
      R"("nullCount":{"a":0,"b":1}})";
  EXPECT_EQ(Column(json, {"a"}).min, std::nullopt);
  EXPECT_EQ(Column(json, {"a"}).max, std::nullopt);
  EXPECT_EQ(Column(json, {"a"}).null_count, 0);
  EXPECT_EQ(Column(json, {"b"}).min, "1");
  EXPECT_EQ(Column(json, {"b"}).max, std::nullopt);
  EXPECT_EQ(Column(json, {"c"}).max, "2");
  EXPECT_EQ(ReadStatistics(json, {}).num_records, 2);
}

TEST(ReadStatistics, FindsNamesHoweverTheyAreSpelled) {
  const std::string json =
      R"({"minValues":{"a\"b":1,"c\\d":2,"\u00e9":3,"é2":4,"":5,"x.y":6,"e\u0066":7}})";
  EXPECT_EQ(Column(json, {"a\"b"}).min, "1");
  EXPECT_EQ(Column(json, {"c\\d"}).min, "2");
  EXPECT_EQ(Column(json, {"\xc3\xa9"}).min, "3");
  EXPECT_EQ(Column(json, {"\xc3\xa9"
                          "2"})
                .min,
            "4");
  EXPECT_EQ(Column(json, {""}).min, "5");
  EXPECT_EQ(Column(json, {"x.y"}).min, "6");
  EXPECT_EQ(Column(json, {"ef"}).min, "7");
  EXPECT_EQ(Column(json, {"e"}).min, std::nullopt);
  EXPECT_EQ(Column(json, {"a"}).min, std::nullopt);
  EXPECT_EQ(Column(json, {"x", "y"}).min, std::nullopt);
}

TEST(ReadStatistics, IsEmptyForWhatIsNoJsonObject) {
  const std::vector<ColumnPath> paths = {{"c"}};
  for (const std::string& json :
       {""s,
        " "s,
        "null"s,
        "1"s,
        "[]"s,
        "\"x\""s,
        "{"s,
        "}"s,
        "NaN"s,
        "\0"s,
        R"({"numRecords":1)"s,
        R"({"numRecords":1}})"s,
        R"({"numRecords":1} {})"s,
        R"({"numRecords":1,"minValues":{"c":1})"s,
        R"({"numRecords":1 "x":2})"s,
        R"({"numRecords":1,"minValues":{"d","c":1}})"s,
        R"({"numRecords":1,"x":[}})"s,
        R"({"numRecords":1,"x":{]})"s,
        R"({"numRecords":1,"x":,"y":1})"s,
        R"({"numRecords":1,,"y":1})"s,
        R"({,"numRecords":1})"s,
        R"({"numRecords":1,"x":"\")"s,
        R"({"numRecords":1,"x":"unclosed})"s,
        R"({"numRecords":1,"minValues":{"c":1},"x")"s}) {
    const auto statistics = ReadStatistics(json, paths);
    EXPECT_EQ(statistics.num_records, std::nullopt) << json;
    ASSERT_THAT(statistics.columns, SizeIs(1));
    EXPECT_EQ(statistics.columns[0].min, std::nullopt) << json;
    EXPECT_TRUE(statistics.tight_bounds);
  }
}

TEST(ReadStatistics, DoubtsOddValues) {
  const auto read = [](std::string_view json) {
    return ReadStatistics(json, {});
  };
  EXPECT_EQ(read(R"({"numRecords":-1})").num_records, std::nullopt);
  EXPECT_EQ(read(R"({"numRecords":1.5})").num_records, std::nullopt);
  EXPECT_EQ(read(R"({"numRecords":"1"})").num_records, std::nullopt);
  EXPECT_EQ(read(R"({"numRecords":null})").num_records, std::nullopt);
  EXPECT_EQ(read(R"({"numRecords":99999999999999999999})").num_records,
            std::nullopt);
  EXPECT_TRUE(read(R"({"tightBounds":null})").tight_bounds);
  EXPECT_TRUE(read(R"({"tightBounds":true})").tight_bounds);
  EXPECT_FALSE(read(R"({"tightBounds":"true"})").tight_bounds);
  EXPECT_FALSE(read(R"({"tightBounds":1})").tight_bounds);
  EXPECT_EQ(Column(R"({"nullCount":{"c":-1}})", {"c"}).null_count,
            std::nullopt);
  EXPECT_EQ(Column(R"({"nullCount":{"c":"1"}})", {"c"}).null_count,
            std::nullopt);
  EXPECT_EQ(
      Column(R"({"nullCount":null,"minValues":[],"maxValues":1})", {"c"}).min,
      std::nullopt);
}

TEST(ReadStatistics, TakesTextsOfAnySizeAndDepth) {
  const auto nested = [](std::size_t depth) {
    return R"({"numRecords":1,"x":)" + std::string(depth, '[') +
           std::string(depth, ']') + "}";
  };
  EXPECT_EQ(ReadStatistics(nested(64), {}).num_records, 1);
  EXPECT_EQ(ReadStatistics(nested(65), {}).num_records, std::nullopt);
  EXPECT_EQ(ReadStatistics(nested(200'000), {}).num_records, std::nullopt);
  std::string large = R"({"numRecords":1,"minValues":{"c":")" +
                      std::string(3 << 20, 'x') + R"("}})";
  EXPECT_EQ(Column(large, {"c"}).min->size(), 3u << 20);
  EXPECT_EQ(Column(R"({"minValues":{"c":1}})", {"c"}).min, "1");
}

TEST(ReadStatistics, RunsOnManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      const std::string json = R"({"numRecords":)" + std::to_string(t) +
                               R"(,"minValues":{"c":"x"}})";
      const std::vector<ColumnPath> paths = {{"c"}};
      for (int i = 0; i < 2000; ++i) {
        const auto statistics = ReadStatistics(json, paths);
        ASSERT_EQ(statistics.num_records, t);
        ASSERT_EQ(statistics.columns.at(0).min, "x");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace bayou::protocol
