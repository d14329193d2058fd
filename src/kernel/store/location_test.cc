// SPDX-License-Identifier: Apache-2.0
#include "kernel/store/location.h"

#include <gtest/gtest.h>

#include "kernel/store/memory_store.h"

namespace bayou::store {
namespace {

TEST(LocationTest, APathIsOfTheLocalFileSystem) {
  EXPECT_FALSE(HasRegisteredScheme("/data/t"));
  EXPECT_EQ(ParseLocation("/data//t/"), "/data/t");
  EXPECT_EQ(OpenStore("/data/t")->location(), "/data/t");
}

TEST(LocationTest, AnUnknownSchemeIsRefused) {
  EXPECT_FALSE(HasRegisteredScheme("unheard-of://bucket/t"));
  EXPECT_EQ(ParseLocation("unheard-of://bucket/t").error().code,
            ErrorCode::kUnsupported);
}

TEST(LocationTest, ARegisteredSchemeOpensItsOwnStores) {
  const auto memory = Memory::Make();
  RegisterScheme("location-test", [memory](const std::string& location) {
    return memory->Open(location.substr(location.find("//") + 2), location);
  });
  EXPECT_TRUE(HasRegisteredScheme("location-test://bucket/t/a.parquet"));
  EXPECT_EQ(ParseLocation("location-test://bucket/t/"),
            "location-test://bucket/t");
  ASSERT_TRUE(OpenStore("location-test://bucket/t")->Put("a", "1"));
  EXPECT_EQ(OpenStore("location-test://bucket")->Read("t/a"), "1");
}

}  // namespace
}  // namespace bayou::store
