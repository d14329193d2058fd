// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/text_width.h"

#include <gtest/gtest.h>

namespace bayou::cli {
namespace {

TEST(Printable, EscapesWhatWouldMoveTheCursor) {
  EXPECT_EQ(Printable("a\nb\tc\r"), "a\\nb\\tc\\r");
  EXPECT_EQ(Printable("\x1b[2J"), "\\x1B[2J");
  EXPECT_EQ(Printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(Printable("\xE2\x80\xAE"
                      "abc"),
            "\\xE2\\x80\\xAEabc");  // Right to left.
  EXPECT_EQ(Printable("größe 日本 👍"), "größe 日本 👍");
}

TEST(Printable, ShowsBytesThatAreNoText) {
  EXPECT_EQ(Printable("\xff\xc3"), "\\xFF\\xC3");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xED\\xA0\\x80");  // A surrogate.
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xC0\\xAF");           // Overlong.
}

TEST(Width, CountsColumnsOfATerminal) {
  EXPECT_EQ(Width("abc"), 3u);
  EXPECT_EQ(Width("größe"), 5u);
  EXPECT_EQ(Width("e\u0301"), 1u);
  EXPECT_EQ(Width("日本"), 4u);
  EXPECT_EQ(Width("👍"), 2u);
}

TEST(CutToWidth, EndsWithAnEllipsis) {
  EXPECT_EQ(CutToWidth("abc", 3), "abc");
  EXPECT_EQ(CutToWidth("abcd", 3), "ab…");
  EXPECT_EQ(CutToWidth("日本語", 4), "日…");
  EXPECT_EQ(CutToWidth("abcd", 1), "…");
  EXPECT_EQ(CutToWidth("abcd", 0), "");
}

}  // namespace
}  // namespace bayou::cli
