// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/auto_compaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::commands {
namespace {

using ::testing::ElementsAre;

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

}  // namespace
}  // namespace bayou::commands
