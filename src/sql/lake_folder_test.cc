// SPDX-License-Identifier: Apache-2.0
#include "sql/lake_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace bayou::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::IsEmpty;
using ::testing::Optional;

class LakeFolderTest : public ::testing::Test {
 public:
  LakeFolderTest() {
    std::string pattern =
        std::filesystem::temp_directory_path() / "bayou-lake-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~LakeFolderTest() override { std::filesystem::remove_all(path_); }

  void MakeFolder(const std::string& name) {
    std::filesystem::create_directories(path_ + "/" + name);
  }
  void MakeTable(const std::string& name) {
    MakeFolder(name + "/_delta_log");
    std::ofstream(path_ + "/" + name + "/_delta_log/00000000000000000000.json")
        << "{}\n";
  }
  LakeFolder Lake() const { return LakeFolder(path_); }

  std::string path_;
};

TEST_F(LakeFolderTest, ListsTablesOfMainAndOfSchemas) {
  MakeTable("t");
  MakeTable("odd. name");
  MakeTable("sales/orders");
  MakeTable("t/inner");  // Inside of a table: no table of the lake.
  MakeTable(".hidden");
  MakeFolder("empty");
  MakeFolder("deep/er");
  EXPECT_THAT(Lake().Tables("main"), ElementsAre("odd. name", "t"));
  EXPECT_THAT(Lake().Schemas(), ElementsAre("sales"));
  EXPECT_THAT(Lake().Tables("sales"), ElementsAre("orders"));
  EXPECT_THAT(Lake().Tables("nowhere"), IsEmpty());
}

TEST_F(LakeFolderTest, FindsNamesInAnyCaseAndTheExactOneFirst) {
  MakeTable("Flights");
  EXPECT_THAT(Lake().FindTable("main", "flights"),
              Optional(Eq(path_ + "/Flights")));
  MakeTable("flights");
  EXPECT_THAT(Lake().FindTable("MAIN", "flights"),
              Optional(Eq(path_ + "/flights")));
  EXPECT_THAT(Lake().FindTable("main", "Flights"),
              Optional(Eq(path_ + "/Flights")));
  EXPECT_EQ(Lake().FindTable("main", "flight"), std::nullopt);
  MakeTable("Sales/orders");
  EXPECT_THAT(Lake().FindSchema("sales"), Optional(Eq("Sales")));
  EXPECT_EQ(Lake().FindSchema("Flights"), std::nullopt);  // A table.
}

TEST_F(LakeFolderTest, LetsNoNameLeaveTheFolder) {
  MakeTable("t");
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("../t"),
        std::string("a/b"), std::string("/t"), std::string(".t"),
        std::string("a\0b", 3), std::string("a\xff")}) {
    EXPECT_EQ(Lake().FindTable("main", name), std::nullopt) << name;
    EXPECT_EQ(Lake().NewTable("main", name).error().condition,
              "DELTA_INVALID_TABLE_NAME")
        << name;
    EXPECT_FALSE(Lake().CreateSchema(name)) << name;
  }
  for (const char* log : {"_delta_log", "_DELTA_LOG"}) {
    EXPECT_EQ(Lake().NewTable("main", log).error().condition,
              "DELTA_INVALID_TABLE_NAME");
    EXPECT_FALSE(Lake().CreateSchema(log));
  }
  EXPECT_EQ(Lake().NewTable("..", "t").error().condition,
            "DELTA_INVALID_TABLE_NAME");
  EXPECT_EQ(*Lake().NewTable("main", "a.b"), path_ + "/a.b");
}

TEST_F(LakeFolderTest, ListsNoNameThatIsNoText) {
  MakeTable("a\xff");
  MakeTable("b");
  EXPECT_THAT(Lake().Tables("main"), ElementsAre("b"));
}

TEST_F(LakeFolderTest, TellsWhatIsAtAPath) {
  MakeTable("t");
  std::ofstream(path_ + "/file") << "x";
  EXPECT_EQ(PlaceAt(path_), Place::kFolder);
  EXPECT_EQ(PlaceAt(path_ + "/t"), Place::kTable);
  EXPECT_EQ(PlaceAt("file:" + path_ + "/t"), Place::kTable);
  EXPECT_EQ(PlaceAt(path_ + "/file"), Place::kFile);
  EXPECT_EQ(PlaceAt(path_ + "/nothing"), Place::kNothing);
}

}  // namespace
}  // namespace bayou::sql
