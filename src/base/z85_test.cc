// SPDX-License-Identifier: Apache-2.0
#include "base/z85.h"

#include <gtest/gtest.h>

namespace bayou {
namespace {

using namespace std::string_literals;

TEST(Z85, EncodesTheExampleOfItsSpecification) {
  const std::string bytes = "\x86\x4F\xD2\x6F\xB5\x59\xF7\x5B";
  EXPECT_EQ(Z85Encode(bytes), "HelloWorld");
  EXPECT_EQ(Z85Decode("HelloWorld"), bytes);
}

TEST(Z85, ReturnsEveryByteAsItWas) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(Z85Decode(Z85Encode(bytes)), bytes);
  const std::string largest = "\xff\xff\xff\xff";
  EXPECT_EQ(Z85Encode(largest), "%nSc0");
  EXPECT_EQ(Z85Decode("%nSc0"), largest);
  EXPECT_EQ(Z85Decode("00000"), "\0\0\0\0"s);
  EXPECT_EQ(Z85Decode(""), "");
}

TEST(Z85, RefusesWhatIsNotZ85) {
  for (const std::string& text :
       {"a"s, "abcd"s, "abcdef"s, "abc d"s, "abc\0d"s, "abc\"d"s,
        "ab\xc3\xa9z"s, "%nSc1"s, "#####"s, "##093"s}) {
    const auto bytes = Z85Decode(text);
    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.error().code, ErrorCode::kCorruption);
  }
}

}  // namespace
}  // namespace bayou
