// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/row_level_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>

#include "base/env.h"
#include "kernel/engine/engine.h"

namespace bayou::transaction {
namespace {

using protocol::Action;
using protocol::AddFile;
using protocol::DeletionVector;
using protocol::RemoveFile;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

DeletionVector Rows(std::initializer_list<std::uint64_t> rows) {
  DeletionVector vector;
  for (const std::uint64_t row : rows) vector.Add(row);
  return vector;
}

AddFile With(const std::string& path,
             std::initializer_list<std::uint64_t> gone) {
  AddFile add;
  add.path = path;
  add.data_change = true;
  add.stats = R"({"numRecords":10})";
  add.base_row_id = 100;
  if (gone.size() > 0) add.deletion_vector = Rows(gone).EncodeInline();
  return add;
}

RemoveFile Without(const AddFile& file) {
  RemoveFile remove;
  remove.path = file.path;
  remove.data_change = true;
  remove.deletion_vector = file.deletion_vector;
  return remove;
}

// A table of which nothing is read but the vectors in the actions themselves.
class RowLevelMergeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    database_ = engine::StartEngine({}).value();
    folder_ = std::filesystem::temp_directory_path() /
              ("bayou-" + NewUuid(Env::System()));
    store_ = store::OpenLocalStore(folder_);
    ASSERT_TRUE(store_->PutIfAbsent(
        "_delta_log/00000000000000000000.json",
        R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})"
        "\n"
        R"({"metaData":{"id":"i","format":{"provider":"parquet"},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{}}})"
        "\n"));
    base_ = table::Snapshot::Open(store_, *database_->instance).value();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Each changes a file's vector.
  void WeChange(const AddFile& before, const AddFile& after) {
    staged_.removes.push_back(Without(before));
    staged_.adds.push_back(after);
  }
  void TheyChange(const AddFile& before, const AddFile& after) {
    winner_.actions.emplace_back(Without(before));
    winner_.actions.emplace_back(after);
  }
  std::set<std::string> Merge() {
    const auto merge = RowLevelMerge::Plan(base_, staged_, winner_);
    write::DeletionVectorWriter vectors(*store_, Env::System());
    EXPECT_TRUE(merge.Apply(staged_, vectors));
    std::vector<std::string> names;
    EXPECT_TRUE(vectors.Finish(&names));
    return merge.files();
  }

  std::shared_ptr<duckdb::DuckDB> database_;
  std::string folder_;
  std::shared_ptr<store::Store> store_;
  std::shared_ptr<const table::Snapshot> base_;
  StagedActions staged_;
  WinningCommit winner_;
};

TEST_F(RowLevelMergeTest, RowsOfBothGo) {
  WeChange(With("a b", {0}), With("a b", {0, 2}));
  AddFile theirs = With("a b", {0, 3, 4});
  theirs.tags["t"] = "theirs";
  TheyChange(With("a b", {0}), theirs);
  EXPECT_THAT(Merge(), ElementsAre("a b"));
  ASSERT_EQ(staged_.removes.size(), 1);
  EXPECT_EQ(staged_.removes[0].deletion_vector, theirs.deletion_vector);
  ASSERT_EQ(staged_.adds.size(), 1);
  const AddFile& merged = staged_.adds[0];
  EXPECT_EQ(merged.deletion_vector->cardinality, 4);
  EXPECT_EQ(merged.base_row_id, 100);
  EXPECT_EQ(merged.tags, theirs.tags);
}

TEST_F(RowLevelMergeTest, AFileWithoutVectorGetsBoth) {
  WeChange(With("a", {}), With("a", {1}));
  TheyChange(With("a", {}), With("a", {2}));
  EXPECT_THAT(Merge(), ElementsAre("a"));
  EXPECT_EQ(staged_.adds[0].deletion_vector->cardinality, 2);
}

TEST_F(RowLevelMergeTest, ARowThatBothChangeIsNotMerged) {
  WeChange(With("a", {0}), With("a", {0, 2}));
  TheyChange(With("a", {0}), With("a", {0, 2, 3}));
  EXPECT_THAT(Merge(), IsEmpty());
  EXPECT_EQ(staged_.adds[0].deletion_vector->cardinality, 2);
}

TEST_F(RowLevelMergeTest, RowsThatComeBackAreNotMerged) {
  WeChange(With("a", {0, 1}), With("a", {0, 1, 2}));
  TheyChange(With("a", {0, 1}), With("a", {1, 3}));  // RESTORE.
  EXPECT_THAT(Merge(), IsEmpty());
}

TEST_F(RowLevelMergeTest, AFileThatOneRewritesIsNotMerged) {
  staged_.removes.push_back(Without(With("a", {})));  // Its rows lie elsewhere.
  TheyChange(With("a", {}), With("a", {2}));
  EXPECT_THAT(Merge(), IsEmpty());
}

TEST_F(RowLevelMergeTest, AFileThatOnlyTheyChangeGainsNoRows) {
  TheyChange(With("other", {}), With("other", {2}));
  EXPECT_THAT(Merge(), ElementsAre("other"));
  EXPECT_THAT(staged_.adds, IsEmpty());
}

// How many rows there were, only its statistics say.
TEST_F(RowLevelMergeTest, AFileWithoutRowsLeftStays) {
  WeChange(With("a", {}), With("a", {0, 1, 2, 3, 4}));
  TheyChange(With("a", {}), With("a", {5, 6, 7, 8, 9}));
  EXPECT_THAT(Merge(), ElementsAre("a"));
  EXPECT_EQ(staged_.adds.at(0).deletion_vector->cardinality, 10);
  EXPECT_EQ(staged_.removes[0].deletion_vector->cardinality, 5);
}

TEST_F(RowLevelMergeTest, AVectorThatCannotBeReadIsNotMerged) {
  WeChange(With("a", {}), With("a", {1}));
  AddFile theirs = With("a", {2});
  theirs.deletion_vector->path_or_inline_dv = "nonsense";
  TheyChange(With("a", {}), theirs);
  EXPECT_THAT(Merge(), IsEmpty());
}

TEST_F(RowLevelMergeTest, ASecondWinnerFollowsOnTheFirst) {
  WeChange(With("a", {}), With("a", {1}));
  TheyChange(With("a", {}), With("a", {2}));
  Merge();
  winner_.actions.clear();
  TheyChange(With("a", {2}), With("a", {2, 3}));
  EXPECT_THAT(Merge(), ElementsAre("a"));
  EXPECT_EQ(staged_.adds[0].deletion_vector->cardinality, 3);
  winner_.actions.clear();
  TheyChange(With("a", {2, 3}), With("a", {1, 2, 3}));
  EXPECT_THAT(Merge(), IsEmpty());
}

}  // namespace
}  // namespace bayou::transaction
