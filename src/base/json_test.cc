// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gtest/gtest.h>

namespace bayou {
namespace {

using namespace std::string_literals;

std::string Nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, TakesTextWithoutPadding) {
  simdjson::dom::parser parser;
  const std::string text = R"({"a":1}")";  // One byte more than is parsed.
  const auto value = ParseJson(parser, std::string_view(text).substr(0, 7));
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(JsonText(*value), R"({"a":1})");
}

TEST(ParseJson, CopiesEveryKindOfValue) {
  simdjson::dom::parser parser;
  const std::string text =
      R"({"a":[1,-9223372036854775808,18446744073709551615,0.1,1e300],)"
      R"("b":{"c":null,"d":true},"e":"q\"\\\né"})";
  const auto value = ParseJson(parser, text);
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(JsonText(*value), text);
}

TEST(ParseJson, KeepsItsDepthLimitWhateverWasParsedBefore) {
  simdjson::dom::parser parser;
  EXPECT_TRUE(ParseJson(parser, Nested(kMaxJsonDepth - 1)));
  EXPECT_FALSE(ParseJson(parser, Nested(kMaxJsonDepth + 1)));
  EXPECT_TRUE(ParseJson(parser, Nested(kMaxJsonDepth + 1), 1000));
  EXPECT_FALSE(ParseJson(parser, Nested(100'000), 1000));
  EXPECT_FALSE(ParseJson(parser, Nested(kMaxJsonDepth + 1)));
}

TEST(ParseJson, RefusesWhatIsNotJson) {
  simdjson::dom::parser parser;
  for (const std::string& text :
       {""s, " "s, "{"s, "{}}"s, "{} {}"s, R"({"a":})"s, R"({"a":1,})"s,
        "[NaN]"s, R"(["a)"s, "[\"\xff\"]"s, "[\"\n\"]"s, R"(["\ud800"])"s,
        "[18446744073709551616]"s, "[1e999]"s, "[01]"s, "\0"s, "{]"s}) {
    const auto value = ParseJson(parser, text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, ErrorCode::kCorruption);
  }
}

TEST(UnescapeJson, GivesTheMeaningOfAString) {
  EXPECT_EQ(UnescapeJson(""), "");
  EXPECT_EQ(UnescapeJson(R"(a\"b\\c\u00e9\ud83d\ude00)"),
            "a\"b\\c\xc3\xa9\xf0\x9f\x98\x80");
  for (std::string_view text :
       {"\\", "\\x", "\\u12", "a\"b", "\xff", "\\ud800", "\n"}) {
    EXPECT_EQ(UnescapeJson(text), std::nullopt) << text;
  }
}

TEST(WriteString, TakesAnEmptyView) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  WriteString(writer, {});
  EXPECT_EQ(TakeText(buffer), R"("")");
}

}  // namespace
}  // namespace bayou
