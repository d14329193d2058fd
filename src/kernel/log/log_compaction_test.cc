// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/log_compaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/uri_path.h"
#include "kernel/store/memory_store.h"

namespace bayou::log {
namespace {

using ::testing::HasSubstr;

class LogCompactionTest : public ::testing::Test {
 protected:
  void Commit(const std::string& lines) {
    ASSERT_TRUE(
        store_->Put(JoinPath(kLogFolder, CommitName(next_++)), lines + "\n"));
  }
  std::string Compacted(VersionRange range) {
    const auto compacted = CompactLog(*store_, range);
    if (!compacted) return compacted.error().message;
    return *store_->Read(JoinPath(kLogFolder, compacted->name));
  }
  static std::string Add(const std::string& path,
                         const std::string& rest = "") {
    return R"({"add":{"path":")" + path +
           R"(","partitionValues":{},"size":1,"modificationTime":5,)"
           R"("dataChange":true)" +
           rest + "}}";
  }
  static std::string Remove(const std::string& path) {
    return R"({"remove":{"path":")" + path +
           R"(","deletionTimestamp":9,"dataChange":true}})";
  }

  std::shared_ptr<store::Store> store_ =
      store::Memory::Make()->Open("t", "mem://t");
  Version next_ = 0;
};

TEST_F(LogCompactionTest, TheLastWordOnEverySubjectRemains) {
  Commit(Add("before"));
  Commit(R"({"commitInfo":{"operation":"WRITE"}})"
         "\n"
         R"({"txn":{"appId":"a","version":1}})"
         "\n" +
         Add("x") + "\n" + Add("y"));
  Commit(
      R"({"txn":{"appId":"a","version":2}})"
      "\n"
      R"({"domainMetadata":{"domain":"d","configuration":"","removed":true}})"
      "\n" +
      Remove("x") + "\n" + Remove("before"));
  Commit(Add("x"));
  EXPECT_EQ(
      Compacted({1, 3}),
      R"({"txn":{"appId":"a","version":2}})"
      "\n"
      R"({"domainMetadata":{"domain":"d","configuration":"","removed":true}})"
      "\n" +
          Remove("before") + "\n" + Add("x") + "\n" + Add("y") + "\n");
}

TEST_F(LogCompactionTest, AFileWithAnotherDeletionVectorIsAnotherFile) {
  const std::string vector =
      R"(,"deletionVector":{"storageType":"i","pathOrInlineDv":"abc",)"
      R"("sizeInBytes":40,"cardinality":1})";
  Commit(Add("x"));
  Commit(Remove("x") + "\n" + Add("x", vector));
  const std::string text = Compacted({0, 1});
  EXPECT_THAT(text, HasSubstr("\"remove\""));
  EXPECT_THAT(text, HasSubstr("\"deletionVector\""));
}

TEST_F(LogCompactionTest, OneOfSeveralWritersPutsTheFile) {
  Commit(Add("x"));
  Commit(Add("y"));
  EXPECT_TRUE(CompactLog(*store_, {0, 1})->written);
  const auto again = CompactLog(*store_, {0, 1});
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->written);
}

TEST_F(LogCompactionTest, CommitsThatChangedNothingMakeNoEmptyFile) {
  Commit(R"({"commitInfo":{}})");
  Commit(R"({"commitInfo":{}})");
  const auto compacted = CompactLog(*store_, {0, 1});
  ASSERT_TRUE(compacted);
  EXPECT_FALSE(compacted->written);
  EXPECT_FALSE(store_->Head(JoinPath(kLogFolder, compacted->name)));
}

TEST_F(LogCompactionTest, RefusesARangeWithoutEachOfItsCommits) {
  Commit(Add("a"));
  Commit(Add("b"));
  Commit(Add("c"));
  EXPECT_EQ(CompactLog(*store_, {1, 1}).error().condition,
            "DELTA_INVALID_COMPACTION_RANGE");
  EXPECT_EQ(CompactLog(*store_, {-1, 2}).error().condition,
            "DELTA_INVALID_COMPACTION_RANGE");
  EXPECT_EQ(CompactLog(*store_, {1, 3}).error().condition, "DELTA_LOG_GAP");
  ASSERT_TRUE(store_->Delete(JoinPath(kLogFolder, CommitName(1))));
  const auto gap = CompactLog(*store_, {0, 2});
  EXPECT_EQ(gap.error().condition, "DELTA_LOG_GAP");
  EXPECT_THAT(gap.error().message, HasSubstr("version 1 is missing"));
}

}  // namespace
}  // namespace bayou::log
