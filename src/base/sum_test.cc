// SPDX-License-Identifier: Apache-2.0
#include "base/sum.h"

#include <gtest/gtest.h>

namespace bayou {
namespace {

TEST(Sum, StopsAtTheEnds) {
  EXPECT_EQ(Sum(2, -3), -1);
  EXPECT_EQ(Sum(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(Sum(INT64_MAX, INT64_MIN), -1);
  EXPECT_EQ(Sum(-1, INT64_MIN), INT64_MIN);
}

TEST(Difference, StopsAtTheEnds) {
  EXPECT_EQ(Difference(2, 3), -1);
  EXPECT_EQ(Difference(INT64_MAX, -1), INT64_MAX);
  EXPECT_EQ(Difference(INT64_MIN, 1), INT64_MIN);
  EXPECT_EQ(Difference(0, INT64_MIN), INT64_MAX);
}

}  // namespace
}  // namespace bayou
