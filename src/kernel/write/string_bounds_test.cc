// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/string_bounds.h"

#include <gtest/gtest.h>

namespace bayou::write {
namespace {

constexpr char kClef[] = "\U0001D11E";  // Two UTF-16 units.
constexpr char kLast[] = "\U0010FFFF";

std::string Repeat(const std::string& text, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) repeated += text;
  return repeated;
}

TEST(CutMinimum, KeepsWhatIsShortEnough) {
  EXPECT_EQ(CutMinimum("", 32), "");
  EXPECT_EQ(CutMinimum(std::string(32, 'x'), 32), std::string(32, 'x'));
}

TEST(CutMinimum, CountsUtf16UnitsAndNotBytes) {
  EXPECT_EQ(CutMinimum(Repeat("é", 40), 32), Repeat("é", 32));
  EXPECT_EQ(CutMinimum(Repeat(kClef, 20), 32), Repeat(kClef, 16));
}

TEST(CutMinimum, DoesNotSplitACharacterOfTwoUnits) {
  EXPECT_EQ(CutMinimum("x" + Repeat(kClef, 20), 32), "x" + Repeat(kClef, 16));
}

TEST(CutMaximum, KeepsWhatIsShortEnough) {
  EXPECT_EQ(CutMaximum("", 32), "");
  EXPECT_EQ(CutMaximum(std::string(32, 'x'), 32), std::string(32, 'x'));
  EXPECT_EQ(CutMaximum("x" + Repeat(kClef, 16), 32), "x" + Repeat(kClef, 16));
}

TEST(CutMaximum, EndsWithTheSmallestCharacterThatIsGreater) {
  const std::string prefix = Repeat("x", 32);
  EXPECT_EQ(CutMaximum(prefix + "y", 32), prefix + "\x7F");
  EXPECT_EQ(CutMaximum(prefix + "\x7F", 32), prefix + kLast);
  EXPECT_EQ(CutMaximum(prefix + "é", 32), prefix + kLast);
}

TEST(CutMaximum, GoesPastCharactersThatNothingIsGreaterThan) {
  const std::string prefix = Repeat("x", 32);
  EXPECT_EQ(CutMaximum(prefix + kLast + "a", 32), prefix + kLast + "\x7F");
  EXPECT_EQ(CutMaximum(prefix + kLast, 32), prefix + kLast);
}

TEST(CutMaximum, GivesUpAfterTwiceTheLength) {
  const std::string prefix = Repeat("x", 32);
  EXPECT_EQ(CutMaximum(prefix + Repeat(kLast, 40), 32), std::nullopt);
}

TEST(CutMaximum, IsNeverLessThanTheText) {
  for (const std::string& unit :
       {std::string("a"), std::string("é"), std::string("\x7F"),
        std::string("\uFFFD"), std::string(kClef), std::string(kLast)}) {
    for (int length = 0; length < 80; ++length) {
      const std::string text = Repeat(unit, length);
      EXPECT_LE(CutMinimum(text, 32), text);
      const auto maximum = CutMaximum(text, 32);
      EXPECT_TRUE(!maximum || *maximum >= text) << unit << " " << length;
    }
  }
}

}  // namespace
}  // namespace bayou::write
