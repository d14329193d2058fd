// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/space_filling_curve.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <vector>

namespace bayou::commands {
namespace {

using Point = std::vector<std::uint32_t>;

TEST(ZOrder, TakesTheBitsByTurns) {
  EXPECT_EQ(ZOrder(Point{0b10, 0b01}, 2), 0b1001);
  EXPECT_EQ(ZOrder(Point{5}, 16), 5);
  EXPECT_EQ(ZOrder(Point{0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF}, 16), UINT64_MAX);
}

// All points of a space by their positions.
std::map<std::uint64_t, Point> Curve(std::size_t dimensions, int bits) {
  std::map<std::uint64_t, Point> curve;
  const std::size_t count = std::size_t{1} << (dimensions * bits);
  for (std::size_t i = 0; i < count; ++i) {
    Point point;
    for (std::size_t d = 0; d < dimensions; ++d) {
      point.push_back(static_cast<std::uint32_t>(i >> (d * bits)) &
                      ((1U << bits) - 1));
    }
    curve.emplace(Hilbert(point, bits), point);
  }
  return curve;
}

TEST(Hilbert, StepsFromEachPointToTheNext) {
  for (const auto& [dimensions, bits] :
       {std::pair<std::size_t, int>{2, 4}, {3, 3}, {4, 2}, {1, 6}, {2, 1}}) {
    const auto curve = Curve(dimensions, bits);
    ASSERT_EQ(curve.size(), std::size_t{1} << (dimensions * bits));
    EXPECT_EQ(curve.rbegin()->first, curve.size() - 1);
    const Point* before = nullptr;
    for (const auto& [position, point] : curve) {
      int distance = 0;
      for (std::size_t d = 0; before != nullptr && d < dimensions; ++d)
        distance += std::abs(static_cast<int>(point[d]) -
                             static_cast<int>((*before)[d]));
      if (before != nullptr) {
        EXPECT_EQ(distance, 1) << position;
      }
      before = &point;
    }
  }
}

TEST(CurveBits, FitIntoAPosition) {
  EXPECT_EQ(CurveBits(1), 16);
  EXPECT_EQ(CurveBits(4), 16);
  EXPECT_EQ(CurveBits(5), 12);
  EXPECT_EQ(CurveBits(64), 1);
}

}  // namespace
}  // namespace bayou::commands
