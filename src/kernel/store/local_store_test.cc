// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "kernel/store/store.h"

namespace bayou::store {
namespace {

using ::testing::UnorderedElementsAre;

// A store over a new folder that goes with the test.
class LocalStoreTest : public ::testing::Test {
 public:
  LocalStoreTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "store-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    store_ = OpenLocalStore(folder_.string() + "/table");
  }
  ~LocalStoreTest() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> Names(std::string_view folder,
                                 std::string_view from = "") {
    std::vector<std::string> names;
    const auto found = store_->List(folder, from);
    if (!found) return {"error: " + found.error().message};
    for (const ObjectMeta& object : *found) names.push_back(object.name);
    return names;
  }

  std::filesystem::path folder_;
  std::shared_ptr<Store> store_;
};

TEST_F(LocalStoreTest, ListsATreeAndFollowsNoLink) {
  namespace fs = std::filesystem;
  for (const char* name : {"a", "p=1/q=2/b", "p=1/c", "_hidden/d"}) {
    ASSERT_TRUE(store_->PutIfAbsent(name, "text"));
  }
  ASSERT_TRUE(OpenLocalStore(folder_)->PutIfAbsent("outside/e", "other's"));
  fs::create_directory_symlink("../outside", folder_ / "table/link");
  fs::create_symlink("a", folder_ / "table/link_to_a");
  fs::create_directory(folder_ / "table/empty");

  std::vector<std::string> found;
  std::vector<std::string> folders;
  const auto list = [&](std::string_view folder) {
    found.clear();
    folders.clear();
    return store_->ListTree(folder, {.enter =
                                         [&](const ObjectMeta& entered) {
                                           folders.push_back(entered.name);
                                           return entered.name != "_hidden";
                                         },
                                     .file =
                                         [&](const ObjectMeta& file) {
                                           EXPECT_EQ(file.size, 4);
                                           EXPECT_GT(file.modified_ms, 0);
                                           found.push_back(file.name);
                                           return Status();
                                         }});
  };
  ASSERT_TRUE(list(""));
  EXPECT_THAT(found, UnorderedElementsAre("a", "p=1/c", "p=1/q=2/b"));
  EXPECT_THAT(folders,
              UnorderedElementsAre("p=1", "p=1/q=2", "_hidden", "empty"));
  ASSERT_TRUE(list("p=1"));
  EXPECT_THAT(found, UnorderedElementsAre("p=1/c", "p=1/q=2/b"));
  EXPECT_EQ(list("none").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(list("link"));

  fs::create_directory_symlink("table", folder_ / "other_way");
  store_ = OpenLocalStore(folder_ / "other_way");
  ASSERT_TRUE(list(""));
  EXPECT_EQ(found.size(), 3);
}

TEST_F(LocalStoreTest, DeletesFoldersThatHoldNothing) {
  ASSERT_TRUE(store_->PutIfAbsent("p=1/q=2/b", "text"));
  EXPECT_FALSE(*store_->DeleteEmptyFolder("p=1/q=2"));
  EXPECT_FALSE(*store_->DeleteEmptyFolder("p=1/q=2/b"));
  EXPECT_FALSE(*store_->DeleteEmptyFolder("none"));
  ASSERT_TRUE(store_->Delete("p=1/q=2/b"));
  EXPECT_FALSE(*store_->DeleteEmptyFolder("p=1"));
  EXPECT_TRUE(*store_->DeleteEmptyFolder("p=1/q=2"));
  EXPECT_TRUE(*store_->DeleteEmptyFolder("p=1"));
}

TEST_F(LocalStoreTest, FindsLinksThatLeadOut) {
  namespace fs = std::filesystem;
  ASSERT_TRUE(store_->PutIfAbsent("part/a", "inside"));
  ASSERT_TRUE(OpenLocalStore(folder_)->PutIfAbsent("secret", "outside"));
  fs::create_symlink("a", folder_ / "table/part/b");
  fs::create_symlink("../part", folder_ / "table/part/c");
  fs::create_symlink("../../secret", folder_ / "table/part/d");
  fs::create_symlink(folder_ / "secret", folder_ / "table/e");
  fs::create_symlink("..", folder_ / "table/f");
  fs::create_symlink(folder_ / "table", folder_ / "other");
  for (const char* name : {"part/a", "part/b", "part/c/a", "none", "none/x"}) {
    EXPECT_TRUE(store_->CheckInside(name)) << name;
    EXPECT_TRUE(OpenLocalStore(folder_ / "other")->CheckInside(name)) << name;
  }
  for (const char* name : {"part/d", "e", "f/secret", "part/c/d"}) {
    const Status checked = store_->CheckInside(name);
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().condition, "DELTA_PATH_OUTSIDE_TABLE") << name;
  }
}

TEST_F(LocalStoreTest, NeverWaitsForTheWriterOfAPipe) {
  ASSERT_TRUE(store_->PutIfAbsent("a", "file"));
  const std::string pipe = folder_.string() + "/table/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(store_->Read("pipe").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store_->ReadRange("pipe", 0, 0).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store_->CheckInside("pipe").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(Names(""), ::testing::ElementsAre("a"));
}

TEST_F(LocalStoreTest, GivesTheTimeInMilliseconds) {
  ASSERT_TRUE(store_->Put("a", ""));
  const timespec times[2] = {{0, 0}, {1700000000, 123456789}};
  ASSERT_EQ(::utimensat(AT_FDCWD, store_->NativePath("a").c_str(), times, 0),
            0);
  EXPECT_EQ(store_->Head("a")->modified_ms, 1700000000123);
  EXPECT_EQ(store_->List("", "")->front().modified_ms, 1700000000123);
}

TEST_F(LocalStoreTest, TakesNamesLiterally) {
  for (const char* name : {"a b", "p%20q", "[z]", "a?b", "a\\b", "trailing "}) {
    ASSERT_TRUE(store_->PutIfAbsent(std::string(name) + "/x", name));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "table" / name / "x"));
  }
}

TEST_F(LocalStoreTest, ReportsAFolderThatItMayNotWrite) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ASSERT_TRUE(store_->Put("a", ""));
  ::chmod(store_->NativePath("").c_str(), 0555);
  EXPECT_EQ(store_->PutIfAbsent("b", "").error().code,
            ErrorCode::kPermissionDenied);
  ::chmod(store_->NativePath("").c_str(), 0755);
}

}  // namespace
}  // namespace bayou::store
