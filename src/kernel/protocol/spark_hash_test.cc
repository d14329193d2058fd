// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/spark_hash.h"

#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

// As Spark's hash() has them.
TEST(SparkHashTest, IsThatOfSpark) {
  EXPECT_EQ(SparkHash(""), 142593372);
  EXPECT_EQ(SparkHash("ABC"), -757602832);
  EXPECT_EQ(SparkHash("DEF", SparkHash("ABC")), 599895104);
  EXPECT_EQ(SparkHash("Spark"), 228093765);
  EXPECT_EQ(SparkHash("\xd0\xba\xd0\xbb\xd1\x8e\xd1\x87"), -188579267);
}

TEST(SparkHashTest, EachHashHasAPart) {
  EXPECT_EQ(SparkPart(7, 3), 1);
  EXPECT_EQ(SparkPart(-7, 3), 2);
  EXPECT_EQ(SparkPart(INT32_MIN, 1), 0);
}

}  // namespace
}  // namespace bayou::protocol
