// SPDX-License-Identifier: Apache-2.0
#include "sql/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::sql {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Texts(std::string_view text) {
  std::vector<std::string> texts;
  for (const Token& token : Tokenize(text).tokens)
    texts.emplace_back(token.text);
  return texts;
}

Token Only(std::string_view text) {
  const Tokens found = Tokenize(text);
  EXPECT_EQ(found.tokens.size(), 1u) << text;
  return found.tokens.empty() ? Token{} : found.tokens.front();
}

TEST(Tokenize, SplitsWordsNumbersAndSymbols) {
  EXPECT_THAT(
      Texts("SELECT a.b,1.5e3 FROM t1;"),
      ElementsAre("SELECT", "a", ".", "b", ",", "1.5e3", "FROM", "t1", ";"));
  EXPECT_THAT(Texts("a<=b"), ElementsAre("a", "<", "=", "b"));
  EXPECT_THAT(Texts("t@v3"), ElementsAre("t", "@", "v3"));
  EXPECT_THAT(Texts("1e"), ElementsAre("1", "e"));
  EXPECT_THAT(Texts("größe"), ElementsAre("größe"));
}

TEST(Tokenize, LeavesCommentsOut) {
  EXPECT_THAT(Texts("a -- b ; 'c\nd"), ElementsAre("a", "d"));
  EXPECT_THAT(Texts("a /* b /* nested */ ; */ c"), ElementsAre("a", "c"));
  EXPECT_TRUE(Tokenize("a /* b").open_comment);
  EXPECT_FALSE(Tokenize("a /* b */").open_comment);
  EXPECT_FALSE(Tokenize("a -- b").open_comment);
}

TEST(Tokenize, KeepsQuotedTextTogether) {
  EXPECT_THAT(Texts("'a;''b' \"c;\"\"d\" `e;``f` $$g;'h$$ $x$i$$j$x$"),
              ElementsAre("'a;''b'", "\"c;\"\"d\"", "`e;``f`", "$$g;'h$$",
                          "$x$i$$j$x$"));
  EXPECT_THAT(Texts(R"(E'a\'b' c)"), ElementsAre(R"(E'a\'b')", "c"));
  EXPECT_THAT(Texts("$1 $name"), ElementsAre("$", "1", "$", "name"));
}

TEST(Tokenize, TellsWhatIsNotClosed) {
  for (const char* text :
       {"'a", "\"a", "`a", "$$a", "$x$a$$", "'a''", "E'a\\'"}) {
    EXPECT_FALSE(Only(text).closed) << text;
  }
  EXPECT_TRUE(Only("'a'''").closed);
}

TEST(TokenValue, UndoesTheQuotes) {
  EXPECT_EQ(Only("'it''s'").Value(), "it's");
  EXPECT_EQ(Only("\"a\"\"b\"").Value(), "a\"b");
  EXPECT_EQ(Only("`a``b\"c`").Value(), "a`b\"c");
  EXPECT_EQ(Only("$$it's$$").Value(), "it's");
  EXPECT_EQ(Only("$t$x$$y$t$").Value(), "x$$y");
  EXPECT_EQ(Only(R"(E'a\tb\\c\'d')").Value(), "a\tb\\c'd");
  EXPECT_EQ(Only(R"('a\b')").Value(), R"(a\b)");
  EXPECT_EQ(Only("word").Value(), "word");
  EXPECT_EQ(Only("''").Value(), "");
}

}  // namespace
}  // namespace bayou::sql
