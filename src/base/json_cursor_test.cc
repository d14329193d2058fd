// SPDX-License-Identifier: Apache-2.0
#include "base/json_cursor.h"

#include <gtest/gtest.h>

#include <string>

namespace bayou {
namespace {

using namespace std::string_literals;

bool Skips(std::string_view text) {
  JsonCursor json(text);
  json.SkipValue();
  return json.AtEnd();
}

TEST(JsonCursor, WalksThroughAnObject) {
  JsonCursor json(R"( { "a" : 1.50 , "b\"c":"x" ,"d":{},"e":[1,{"f":2}]} )");
  RawJsonString name;
  json.EnterObject();
  ASSERT_TRUE(json.NextField(name));
  EXPECT_EQ(name.text, "a");
  EXPECT_EQ(json.TakeToken(), "1.50");
  ASSERT_TRUE(json.NextField(name));
  EXPECT_EQ(name.text, R"(b\"c)");
  EXPECT_TRUE(name.has_escapes);
  EXPECT_EQ(json.TakeString().text, "x");
  ASSERT_TRUE(json.NextField(name));
  json.EnterObject();
  EXPECT_FALSE(json.NextField(name));
  ASSERT_TRUE(json.NextField(name));
  EXPECT_EQ(name.text, "e");
  json.SkipValue();
  EXPECT_FALSE(json.NextField(name));
  EXPECT_TRUE(json.AtEnd());
}

TEST(JsonCursor, FindsTheEndOfStringsOfAnyLength) {
  for (std::size_t size = 0; size < 70; ++size) {
    const std::string plain(size, 'x');
    const std::string text = "\"" + plain + "\" ";
    JsonCursor whole(text);
    EXPECT_EQ(whole.TakeString().text, plain);
    EXPECT_TRUE(whole.AtEnd());
    const std::string escaped = "\"" + plain + "\\\\\\\"\"";
    EXPECT_TRUE(Skips(escaped)) << escaped;
    for (std::size_t cut = 1; cut < escaped.size(); ++cut) {
      EXPECT_FALSE(Skips(std::string_view(escaped).substr(0, cut))) << cut;
    }
  }
}

TEST(JsonCursor, SkipsValuesWhoseBracketsMatch) {
  for (const std::string& text :
       {"1"s, "null"s, "NaN"s, "\"]\""s, "[]"s, "{}"s, R"({"a":[{"b":"}"}]})"s,
        std::string(64, '[') + std::string(64, ']')}) {
    EXPECT_TRUE(Skips(text)) << text;
  }
  for (const std::string& text :
       {""s, ","s, "]"s, "["s, "[}"s, "{]"s, "[{]}"s, "1 2"s, "\""s,
        "\0"s + "]", std::string(65, '[') + std::string(65, ']')}) {
    EXPECT_FALSE(Skips(text)) << text;
  }
}

TEST(JsonCursor, SkipsTheOtherFieldsOfAnObject) {
  JsonCursor json(R"({"a":{"b":1,"c":["}",{}],"d":{"e":2}},"f":3})");
  RawJsonString name;
  json.EnterObject();
  ASSERT_TRUE(json.NextField(name));
  json.EnterObject();
  ASSERT_TRUE(json.NextField(name));
  EXPECT_EQ(json.TakeToken(), "1");
  json.SkipFields();
  ASSERT_TRUE(json.NextField(name));
  EXPECT_EQ(name.text, "f");
  json.SkipFields();
  EXPECT_TRUE(json.AtEnd());
  json.SkipFields();
  EXPECT_FALSE(json.AtEnd());
}

TEST(JsonCursor, FailsForGood) {
  JsonCursor json("[1] {}");
  RawJsonString name;
  json.EnterObject();
  EXPECT_FALSE(json.NextField(name));
  json.SkipValue();
  EXPECT_EQ(json.TakeToken(), "");
  EXPECT_EQ(json.TakeString().text, "");
  EXPECT_FALSE(json.AtEnd());
}

}  // namespace
}  // namespace bayou
