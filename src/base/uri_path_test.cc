// SPDX-License-Identifier: Apache-2.0
#include "base/uri_path.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace bayou {
namespace {

using namespace std::string_literals;

TEST(PercentDecode, DecodesOnce) {
  EXPECT_EQ(PercentDecode("a%20b"), "a b");
  EXPECT_EQ(PercentDecode("a%253Ab"), "a%3Ab");
  EXPECT_EQ(PercentDecode("%c3%A9"), "\xc3\xa9");
  EXPECT_EQ(PercentDecode("a+b"), "a+b");
  EXPECT_EQ(PercentDecode("%00"), "\0"s);
}

TEST(PercentDecode, LeavesAStrayPercentSign) {
  for (std::string text : {"%", "%%", "100%", "%2", "%zz", "%2g", "a%-1"}) {
    EXPECT_EQ(PercentDecode(text), text);
  }
  EXPECT_EQ(PercentDecode("%%41"), "%A");
}

TEST(PercentEncodePath, EncodesWhatAUriCannotHold) {
  EXPECT_EQ(PercentEncodePath("p=a b/x.parquet"), "p=a%20b/x.parquet");
  EXPECT_EQ(PercentEncodePath("p=a%3Ab"), "p=a%253Ab");
  EXPECT_EQ(PercentEncodePath("a:b?#[]\xc3\xa9"), "a%3Ab%3F%23%5B%5D%C3%A9");
  EXPECT_EQ(PercentEncodePath("-_.!~*'();@&=+$,"), "-_.!~*'();@&=+$,");
}

TEST(PercentEncodePath, IsUndoneByPercentDecode) {
  std::string path;
  for (int i = 1; i < 256; ++i) path += static_cast<char>(i);
  EXPECT_EQ(PercentDecode(PercentEncodePath(path)), path);
}

TEST(HiveEscape, EscapesAsHiveDoes) {
  EXPECT_EQ(HiveEscape("2020-01-01 10:00:00"), "2020-01-01 10%3A00%3A00");
  EXPECT_EQ(HiveEscape("a/b=c%d"), "a%2Fb%3Dc%25d");
  EXPECT_EQ(HiveEscape("\x01\x7f\"#'*?\\{[]^"),
            "%01%7F%22%23%27%2A%3F%5C%7B%5B%5D%5E");
  EXPECT_EQ(HiveEscape("\xc3\xa9 }<>|"), "\xc3\xa9 }<>|");
}

TEST(CanonicalPath, GivesOneFormToOneFile) {
  for (std::string path :
       {"/some/a%20b", "file:/some/a%20b", "file:///some/a%20b",
        "FILE:///some/a%20b", "file://localhost/some/a%20b", "/some//a%20b"}) {
    EXPECT_EQ(CanonicalPath(path), "/some/a b") << path;
  }
}

TEST(CanonicalPath, DecodesRelativePathsAndOtherStores) {
  EXPECT_EQ(CanonicalPath("special%20p@%23h"), "special p@#h");
  EXPECT_EQ(CanonicalPath("s3://bucket/a%20b"), "s3://bucket/a b");
  EXPECT_EQ(CanonicalPath("file://host/a"), "file://host/a");
  EXPECT_EQ(CanonicalPath(""), "");
}

TEST(CanonicalPath, TakesAColonInAFolderNameForNoScheme) {
  for (std::string path :
       {"ts=2020-01-01 10:00:00/f", "a:b", "file:a", "x:/y", ":/a"}) {
    EXPECT_EQ(CanonicalPath(path), path);
    EXPECT_FALSE(IsAbsolutePath(path)) << path;
  }
}

TEST(IsAbsolutePath, KnowsLocalPathsAndUris) {
  EXPECT_TRUE(IsAbsolutePath("/a"));
  EXPECT_TRUE(IsAbsolutePath("s3://b/c"));
  EXPECT_TRUE(IsAbsolutePath("file://host/a"));
  EXPECT_FALSE(IsAbsolutePath("a/b"));
  EXPECT_FALSE(IsAbsolutePath(""));
}

TEST(LocationFromUser, IsAbsoluteAndPlain) {
  EXPECT_EQ(LocationFromUser("/a/./b//c/"), "/a/b/c");
  EXPECT_EQ(LocationFromUser("/"), "/");
  EXPECT_EQ(LocationFromUser("/a/../b"), "/a/../b");
  EXPECT_EQ(LocationFromUser("file:///a%20b/"), "/a b");
  EXPECT_EQ(LocationFromUser("/a%20b"), "/a%20b");
  EXPECT_EQ(LocationFromUser("x/y"),
            JoinPath(std::filesystem::current_path().native(), "x/y"));
}

TEST(LocationFromUser, RefusesWhatCannotBeAFolder) {
  for (const std::string& text : {""s, "s3://bucket/a"s, "file:///a%00b"s,
                                  "a\0b"s, "file://host/share"s}) {
    EXPECT_FALSE(LocationFromUser(text)) << text;
  }
}

TEST(CheckRelativePath, AllowsWhatStaysInTheFolder) {
  for (std::string path :
       {"a", "a/b", "p=1/a.parquet", "a..b/...", "a:b/c", "back\\slash", " "}) {
    EXPECT_TRUE(CheckRelativePath(path)) << path;
  }
}

TEST(CheckRelativePath, RefusesWhatLeavesTheFolder) {
  for (const std::string& path :
       {""s, ".."s, "../a"s, "a/../../b"s, "a/.."s, "./a"s, "a/."s, "/a"s,
        "//host/a"s, "a//b"s, "a/"s, "a\0b"s, "s3://b/c"s, "http://h/"s,
        CanonicalPath("%2e%2e/a"), CanonicalPath("%2Fetc/passwd"),
        CanonicalPath("a/%2E%2E/b")}) {
    const auto status = CheckRelativePath(path);
    ASSERT_FALSE(status) << path;
    EXPECT_EQ(status.error().condition, "DELTA_PATH_OUTSIDE_TABLE");
  }
}

}  // namespace
}  // namespace bayou
