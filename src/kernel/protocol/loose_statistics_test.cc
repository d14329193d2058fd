// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/loose_statistics.h"

#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

TEST(LooseStatistics, NothingButTheBoundsChanges) {
  EXPECT_EQ(LooseStatistics(R"({"numRecords":3,"tightBounds":true})", 3),
            R"({"numRecords":3,"tightBounds":false})");
  EXPECT_EQ(LooseStatistics(R"({"tightBounds" : null, "numRecords":3})", 3),
            R"({"tightBounds" : false, "numRecords":3})");
  EXPECT_EQ(
      LooseStatistics(
          R"({"numRecords":3,"minValues":{"tightBounds":true,"d":0.10}})", 3),
      R"({"numRecords":3,"minValues":{"tightBounds":true,"d":0.10},"tightBounds":false})");
}

TEST(LooseStatistics, TheNumberOfRowsIsAdded) {
  constexpr const char* kOnly = R"({"numRecords":7,"tightBounds":false})";
  EXPECT_EQ(LooseStatistics(std::nullopt, 7), kOnly);
  EXPECT_EQ(LooseStatistics("{ }", 7),
            R"({"numRecords":7, "tightBounds":false})");
  EXPECT_EQ(LooseStatistics("", 7), kOnly);
  EXPECT_EQ(LooseStatistics("[1]", 7), kOnly);
  EXPECT_EQ(LooseStatistics(R"({"tightBounds":"yes"})", 7), kOnly);
  EXPECT_EQ(LooseStatistics(R"({"numRecords":)", 7), kOnly);
}

}  // namespace
}  // namespace bayou::protocol
