// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/value_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace bayou::commands {
namespace {

TEST(ValueRanks, BeginAtValuesOfTheSample) {
  const ValueRanks ranks({"c", "a", "b", "d"}, 15);
  EXPECT_EQ(ranks.size(), 3U);
  EXPECT_EQ(ranks.RankOf(""), 0U);
  EXPECT_EQ(ranks.RankOf("a"), 0U);
  EXPECT_EQ(ranks.RankOf("b"), 1U);
  EXPECT_EQ(ranks.RankOf("bb"), 1U);
  EXPECT_EQ(ranks.RankOf("z"), 3U);
}

TEST(ValueRanks, NoneOfOneValueOrNone) {
  EXPECT_EQ(ValueRanks({}, 15).size(), 0U);
  const ValueRanks same({"a", "a", "a"}, 15);
  EXPECT_EQ(same.size(), 0U);
  EXPECT_EQ(same.RankOf("b"), 0U);
}

TEST(ValueRanks, AreAsManyAsAreAskedFor) {
  std::vector<std::string> sample;
  for (int i = 0; i < 1000; ++i) sample.push_back(std::to_string(10'000 + i));
  EXPECT_LE(ValueRanks(sample, 15).size(), 16U);
  EXPECT_GE(ValueRanks(sample, 15).size(), 14U);
}

// Also of keys that differ behind their first bytes, or in zeros at their end.
TEST(ValueRanks, CountTheBoundariesThatAreNotGreater) {
  std::mt19937 random(7);
  const std::string zero(1, '\0');
  const auto key = [&] {
    std::string text = random() % 2 == 0 ? "0123456789abcdef" : "";
    for (auto n = random() % 20; n > 0; --n)
      text +=
          random() % 3 == 0 ? zero : std::string(1, "\x01z\xff"[random() % 3]);
    return text;
  };
  std::vector<std::string> sample;
  for (int i = 0; i < 500; ++i) sample.push_back(key());
  const ValueRanks ranks(sample, 10'000);
  std::ranges::sort(sample);
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
  sample.erase(sample.begin());  // Rank 0 begins anywhere.
  for (int i = 0; i < 2000; ++i) {
    const std::string value = i < 500 ? sample[i % sample.size()] : key();
    const auto expected = std::ranges::upper_bound(sample, value);
    EXPECT_EQ(ranks.RankOf(value),
              static_cast<std::size_t>(expected - sample.begin()));
  }
}

}  // namespace
}  // namespace bayou::commands
