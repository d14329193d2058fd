// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/auto_compaction.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/engine/engine.h"
#include "kernel/log/log_file_name.h"
#include "kernel/store/memory_store.h"

namespace bayou::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

protocol::AddFile File(const std::string& partition, std::int64_t size) {
  protocol::AddFile file;
  file.path = partition + std::to_string(size);
  file.partition_values["p"] = partition;
  file.size = size;
  return file;
}

TEST(NoteWritten, NotesWhereSmallFilesCame) {
  AutoCompaction compaction;
  compaction.min_file_size = 100;
  transaction::StagedActions committed;
  committed.adds = {File("a", 99), File("b", 100), File("", 1)};
  NoteWritten(committed, compaction);
  const protocol::PartitionValues null = {{"p", std::nullopt}};
  const protocol::PartitionValues a = {{"p", "a"}};
  EXPECT_THAT(compaction.partitions, ElementsAre(null, a));
}

TEST(NoteWritten, LeavesOutFilesThatWereThereBefore) {
  AutoCompaction compaction;
  transaction::StagedActions committed;
  committed.adds = {File("a", 1), File("b", 1)};
  committed.adds[0].deletion_vector.emplace();
  committed.adds[1].data_change = false;
  NoteWritten(committed, compaction);
  EXPECT_TRUE(compaction.partitions.empty());
}

class PlanAutoCompactionTest : public ::testing::Test {
 protected:
  PlanAutoCompactionTest() {
    compaction_.min_file_size = 100;
    compaction_.max_file_size = 1000;
    compaction_.min_files = 3;
  }

  // Files of a partition, and whether it was written to.
  void Add(const std::string& partition, int files, std::int64_t size = 10,
           const std::string& more = "", bool written = true) {
    for (int i = 0; i < files; ++i) {
      adds_ += fmt::format(
          R"({{"add":{{"path":"{}","partitionValues":{{"p":"{}"}},"size":{},)"
          R"("modificationTime":{},"dataChange":true{}}}}})"
          "\n",
          next_++, partition, size, next_, more);
    }
    if (written) compaction_.partitions.insert({{"p", partition}});
  }

  OptimizePlan Plan() {
    const auto store = store::Memory::Make()->Open("t", "mem://t");
    const std::string head =
        R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})"
        "\n"
        R"({"metaData":{"id":"m","format":{"provider":"parquet",)"
        R"("options":{}},"schemaString":"{\"type\":\"struct\",)"
        R"(\"fields\":[{\"name\":\"a\",\"type\":\"long\",)"
        R"(\"nullable\":true,\"metadata\":{}},{\"name\":\"p\",)"
        R"(\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}",)"
        R"("partitionColumns":["p"],"configuration":{}}})"
        "\n";
    EXPECT_TRUE(store->Put("_delta_log/" + log::CommitName(0), head + adds_));
    engine_ = engine::StartEngine({.threads = 1}).value();
    snapshot_ = table::Snapshot::Open(store, *engine_->instance).value();
    return PlanAutoCompaction(*snapshot_, compaction_).value();
  }

  AutoCompaction compaction_;
  std::string adds_;
  int next_ = 0;
  std::shared_ptr<duckdb::DuckDB> engine_;
  std::shared_ptr<const table::Snapshot> snapshot_;
};

TEST_F(PlanAutoCompactionTest, TakesPartitionsWithManySmallFiles) {
  Add("few", 2);
  Add("large", 3, 100);
  Add("others", 5, 10, "", /*written=*/false);
  Add("many", 3);
  Add("many", 1, 500);
  Add("it's", 4);
  const OptimizePlan plan = Plan();
  ASSERT_EQ(plan.tasks.size(), 2);
  EXPECT_EQ(plan.tasks[0].files.size(), 4);
  EXPECT_EQ(plan.tasks[1].files.size(), 3);
  EXPECT_THAT(PartitionPredicates(*snapshot_, plan.tasks),
              ElementsAre("(p <=> 'it''s') OR (p <=> 'many')"));
}

TEST_F(PlanAutoCompactionTest, LeavesOrderedFilesAlone) {
  Add("a", 5, 10, R"(,"tags":{"ZCUBE_ID":"c"})");
  Add("a", 2);
  EXPECT_THAT(Plan().tasks, IsEmpty());
}

TEST_F(PlanAutoCompactionTest, TakesTheFullestPartitionsOfVeryMany) {
  for (int i = 0; i < 140; ++i) Add(std::to_string(i), i == 70 ? 3 : 4);
  const OptimizePlan plan = Plan();
  EXPECT_EQ(plan.tasks.size(), 128);
  for (const RewriteTask& task : plan.tasks) EXPECT_EQ(task.files.size(), 4);
}

}  // namespace
}  // namespace bayou::commands
