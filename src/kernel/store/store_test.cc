// SPDX-License-Identifier: Apache-2.0
//
// What store.h promises, held to every store there is.
#include "kernel/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "kernel/store/memory_store.h"

namespace bayou::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// A store, and how the engine writes a file into it.
struct Place {
  virtual ~Place() = default;
  virtual std::shared_ptr<Store> Open() = 0;
  virtual void WriteAsEngine(const std::string& name,
                             const std::string& content) = 0;
};

struct LocalPlace final : Place {
  LocalPlace() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "store-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~LocalPlace() override { std::filesystem::remove_all(folder); }
  std::shared_ptr<Store> Open() override {
    return OpenLocalStore(folder.string() + "/table");
  }
  void WriteAsEngine(const std::string& name,
                     const std::string& content) override {
    std::ofstream(Open()->NativePath(name)) << content;
  }
  std::filesystem::path folder;
};

struct MemoryPlace final : Place {
  std::shared_ptr<Store> Open() override {
    return memory->Open("lake/table", "mem://bucket/lake/table");
  }
  void WriteAsEngine(const std::string& name,
                     const std::string& content) override {
    (void)Open()->Put(name, content);
  }
  std::shared_ptr<Memory> memory = Memory::Make();
};

template <typename PlaceKind>
class StoreTest : public ::testing::Test {
 protected:
  std::vector<std::string> Names(std::string_view folder,
                                 std::string_view from = "") {
    std::vector<std::string> names;
    const auto found = store_->List(folder, from);
    if (!found) return {"error: " + found.error().message};
    for (const ObjectMeta& object : *found) names.push_back(object.name);
    return names;
  }

  PlaceKind place_;
  std::shared_ptr<Store> store_ = place_.Open();
};

struct PlaceName {
  template <typename PlaceKind>
  static std::string GetName(int) {
    return std::is_same_v<PlaceKind, LocalPlace> ? "Local" : "Memory";
  }
};

using Places = ::testing::Types<LocalPlace, MemoryPlace>;
TYPED_TEST_SUITE(StoreTest, Places, PlaceName);

TYPED_TEST(StoreTest, ReadsBackWhatItPut) {
  ASSERT_TRUE(this->store_->PutIfAbsent("_delta_log/a.json", "one"));
  EXPECT_EQ(this->store_->Read("_delta_log/a.json"), "one");
  ASSERT_TRUE(this->store_->Put("_delta_log/a.json", "other"));
  EXPECT_EQ(this->store_->Read("_delta_log/a.json"), "other");
  EXPECT_EQ(this->store_->ReadRange("_delta_log/a.json", 1, 3), "the");
  EXPECT_EQ(this->store_->Head("_delta_log/a.json")->size, 5);
  EXPECT_EQ(this->store_->Head("_delta_log/a.json")->name, "_delta_log/a.json");
  EXPECT_EQ(this->place_.Open()->Read("_delta_log/a.json"), "other");
}

TYPED_TEST(StoreTest, NeverReplacesWhatIsThere) {
  ASSERT_TRUE(this->store_->PutIfAbsent("a", "first"));
  const Status second = this->store_->PutIfAbsent("a", "second");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(this->store_->Read("a"), "first");
}

TYPED_TEST(StoreTest, LeavesNoTemporaryFileBehind) {
  ASSERT_TRUE(this->store_->PutIfAbsent("a", "1"));
  ASSERT_FALSE(this->store_->PutIfAbsent("a", "2"));
  ASSERT_TRUE(this->store_->Put("a", "3"));
  EXPECT_THAT(this->Names(""), ElementsAre("a"));
}

TYPED_TEST(StoreTest, LetsExactlyOneOfManyWritersWin) {
  for (int round = 0; round < 20; ++round) {
    const std::string name = "v" + std::to_string(round);
    std::atomic<int> winners = 0;
    std::vector<std::thread> writers;
    for (int i = 0; i < 8; ++i) {
      writers.emplace_back([&, i] {
        if (this->store_->PutIfAbsent(name, std::to_string(i))) ++winners;
      });
    }
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(winners, 1);
  }
}

TYPED_TEST(StoreTest, ListsFilesInOrderFromAName) {
  for (const char* name :
       {"log/b", "log/a", "log/c", "log/a-folder/d", "log/b.e", "log0"}) {
    ASSERT_TRUE(this->store_->Put(name, ""));
  }
  EXPECT_THAT(this->Names("log"), ElementsAre("a", "b", "b.e", "c"));
  EXPECT_THAT(this->Names("log", "b"), ElementsAre("b", "b.e", "c"));
  EXPECT_THAT(this->Names("log", "b."), ElementsAre("b.e", "c"));
  EXPECT_THAT(this->Names("log", "d"), IsEmpty());
  EXPECT_THAT(this->Names(""), ElementsAre("log0"));
}

TYPED_TEST(StoreTest, ListsATree) {
  for (const char* name : {"a", "p=1/q=2/b", "p=1/c", "p=1.d", "p"})
    ASSERT_TRUE(this->store_->Put(name, "text"));
  std::vector<std::string> found;
  const auto list = [&](std::string_view folder) {
    found.clear();
    return this->store_->ListTree(
        folder, {.enter = [](const ObjectMeta&) { return true; },
                 .file = [&](const ObjectMeta& file) -> Status {
                   EXPECT_EQ(file.size, 4);
                   found.push_back(file.name);
                   // What is found may be deleted.
                   return this->store_->Delete(file.name);
                 }});
  };
  ASSERT_TRUE(list("p=1"));
  EXPECT_THAT(found, UnorderedElementsAre("p=1/c", "p=1/q=2/b"));
  ASSERT_TRUE(list(""));
  EXPECT_THAT(found, UnorderedElementsAre("a", "p", "p=1.d"));
  EXPECT_EQ(list("none").error().code, ErrorCode::kNotFound);
}

TYPED_TEST(StoreTest, LeavesOutOfATreeWhatIsNotEntered) {
  for (const char* name : {"_log/a", "_log/b/c", "_log0/d", "p/_log/e", "p/f"})
    ASSERT_TRUE(this->store_->Put(name, ""));
  std::vector<std::string> folders;
  std::vector<std::string> found;
  const auto list = [&](std::string_view folder) {
    folders.clear();
    found.clear();
    return this->store_->ListTree(
        folder, {.enter =
                     [&](const ObjectMeta& entered) {
                       folders.push_back(entered.name);
                       return !entered.name.ends_with("_log");
                     },
                 .file = [&](const ObjectMeta& file) -> Status {
                   found.push_back(file.name);
                   return {};
                 }});
  };
  ASSERT_TRUE(list(""));
  EXPECT_THAT(folders, UnorderedElementsAre("_log", "_log0", "p", "p/_log"));
  EXPECT_THAT(found, UnorderedElementsAre("_log0/d", "p/f"));
  ASSERT_TRUE(list("_log"));  // Asked for by name, it is listed.
  EXPECT_THAT(folders, UnorderedElementsAre("_log/b"));
  EXPECT_THAT(found, UnorderedElementsAre("_log/a", "_log/b/c"));
}

TYPED_TEST(StoreTest, WhatIsKnownByItsNameIsNotVisited) {
  for (const char* name : {"a", "p/b", "p/c", "q/d"})
    ASSERT_TRUE(this->store_->Put(name, ""));
  std::vector<std::string> asked;
  std::vector<std::string> found;
  ASSERT_TRUE(this->store_->ListTree(
      "", {.enter = [](const ObjectMeta& folder) { return folder.name != "q"; },
           .file = [&](const ObjectMeta& file) -> Status {
             found.push_back(file.name);
             return {};
           },
           .knows =
               [&](std::string_view name) {
                 asked.emplace_back(name);
                 return name == "p/b";
               }}));
  EXPECT_THAT(asked, UnorderedElementsAre("a", "p/b", "p/c"));
  EXPECT_THAT(found, UnorderedElementsAre("a", "p/c"));
}

TYPED_TEST(StoreTest, AVisitThatFailsEndsTheListing) {
  for (const char* name : {"a", "b"}) ASSERT_TRUE(this->store_->Put(name, ""));
  int visits = 0;
  const Status listed = this->store_->ListTree(
      "", {.enter = [](const ObjectMeta&) { return true; },
           .file = [&](const ObjectMeta&) -> Status {
             ++visits;
             return Fail(ErrorCode::kCancelled, "INTERRUPTED", "enough");
           }});
  EXPECT_EQ(listed.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(visits, 1);
}

TYPED_TEST(StoreTest, DeletesNoFolderThatHoldsSomething) {
  ASSERT_TRUE(this->store_->Put("p=1/b", "text"));
  EXPECT_EQ(this->store_->DeleteEmptyFolder("p=1"), false);
  EXPECT_EQ(this->store_->DeleteEmptyFolder("none"), false);
  EXPECT_EQ(this->store_->Read("p=1/b"), "text");
}

TYPED_TEST(StoreTest, ListsBytesAboveAscii) {
  for (const char* name : {"z", "a", "\xc3\xa9", "Z", "+"})
    ASSERT_TRUE(this->store_->Put(name, ""));
  EXPECT_THAT(this->Names(""), ElementsAre("+", "Z", "a", "z", "\xc3\xa9"));
}

TYPED_TEST(StoreTest, TellsWhatIsMissing) {
  EXPECT_EQ(this->store_->Read("none").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(this->store_->Read("none").error().message, HasSubstr("none"));
  EXPECT_EQ(this->store_->ReadRange("none", 0, 0).error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(this->store_->List("none", "").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(this->store_->List("", "").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(this->store_->Delete("none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(this->store_->Head("none").error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(this->store_->Put("folder/a", ""));
  EXPECT_EQ(this->store_->Read("folder").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(this->store_->List("fold", "").error().code, ErrorCode::kNotFound);
}

TYPED_TEST(StoreTest, DeletesAFile) {
  ASSERT_TRUE(this->store_->Put("a", "x"));
  ASSERT_TRUE(this->store_->Put("b", "x"));
  EXPECT_TRUE(this->store_->Delete("a"));
  EXPECT_THAT(this->Names(""), ElementsAre("b"));
  EXPECT_TRUE(this->store_->PutIfAbsent("a", "again"));
}

TYPED_TEST(StoreTest, RefusesRangesBeyondTheEndBeforeItAllocates) {
  ASSERT_TRUE(this->store_->Put("a", "12345"));
  EXPECT_EQ(this->store_->ReadRange("a", 5, 0), "");
  for (const auto& [offset, length] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{
           {0, 6},
           {6, 0},
           {-1, 1},
           {0, -1},
           {1, INT64_MAX},
           {INT64_MAX, INT64_MAX}}) {
    EXPECT_EQ(this->store_->ReadRange("a", offset, length).error().code,
              ErrorCode::kCorruption);
  }
}

TYPED_TEST(StoreTest, TakesNamesLiterally) {
  for (const char* name : {"a b", "p%20q", "[z]", "a?b", "a\\b", "trailing "}) {
    const std::string file = std::string(name) + "/x";
    ASSERT_TRUE(this->store_->PutIfAbsent(file, name));
    EXPECT_EQ(this->store_->Read(file), name);
    EXPECT_THAT(this->Names(name), ElementsAre("x"));
  }
}

TYPED_TEST(StoreTest, SyncsFilesThatTheEngineWrote) {
  ASSERT_TRUE(this->store_->Put("p=1/first", ""));
  this->place_.WriteAsEngine("p=1/second", "x");
  EXPECT_TRUE(this->store_->Sync("p=1/second"));
  EXPECT_EQ(this->store_->Sync("p=1/third").error().code, ErrorCode::kNotFound);
}

TYPED_TEST(StoreTest, MovesAFileOverWhatIsThere) {
  ASSERT_TRUE(this->store_->Put("a", "old"));
  this->place_.WriteAsEngine(".a.tmp", "new");
  ASSERT_TRUE(this->store_->Move(".a.tmp", "a"));
  EXPECT_EQ(this->store_->Read("a"), "new");
  EXPECT_THAT(this->Names(""), ElementsAre("a"));
  EXPECT_EQ(this->store_->Move(".a.tmp", "a").error().code,
            ErrorCode::kNotFound);
}

TYPED_TEST(StoreTest, FindsNothingWrongWithItsOwnFiles) {
  ASSERT_TRUE(this->store_->PutIfAbsent("part/a", "inside"));
  for (const char* name : {"part/a", "none", "none/x"})
    EXPECT_TRUE(this->store_->CheckInside(name)) << name;
}

TYPED_TEST(StoreTest, NamesFilesForTheEngine) {
  EXPECT_EQ(this->store_->NativePath(""), this->store_->location());
  EXPECT_EQ(this->store_->NativePath("p=1/a.parquet"),
            this->store_->location() + "/p=1/a.parquet");
}

class SetClock final : public Env {
 public:
  std::int64_t NowMs() override { return now; }
  std::uint64_t Random() override { return 0; }
  std::int64_t now = 1;
};

TEST(MemoryStoreTest, TimesAreThoseOfItsClock) {
  SetClock clock;
  const auto store = Memory::Make(clock)->Open("", "mem://bucket");
  ASSERT_TRUE(store->Put("a", ""));
  clock.now = 1700000000123;
  ASSERT_TRUE(store->PutIfAbsent("b", ""));
  EXPECT_EQ(store->Head("a")->modified_ms, 1);
  EXPECT_EQ(store->List("", "b")->front().modified_ms, 1700000000123);
}

TEST(MemoryStoreTest, StoresOfOneMemorySeeOneAnother) {
  const auto memory = Memory::Make();
  ASSERT_TRUE(memory->Open("a/b", "mem://x/a/b")->Put("c", "1"));
  EXPECT_EQ(memory->Open("a", "mem://x/a")->Read("b/c"), "1");
  EXPECT_EQ(memory->Open("", "mem://y")->Read("a/b/c"), "1");
}

}  // namespace
}  // namespace bayou::store
