// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/optimize_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Candidate File(std::string path, std::int64_t size,
               std::optional<std::string> partition = "a",
               bool has_many_deleted_rows = false) {
  Candidate candidate;
  candidate.file.path = std::move(path);
  candidate.file.size = size;
  candidate.file.partition_values["p"] = std::move(partition);
  candidate.has_many_deleted_rows = has_many_deleted_rows;
  return candidate;
}

RewriteCandidates Together(std::vector<Candidate> files) {
  RewriteCandidates candidates;
  for (Candidate& file : files) candidates.Add(std::move(file));
  return candidates;
}

// The paths of each task.
std::vector<std::vector<std::string>> Pack(std::vector<Candidate> candidates,
                                           std::int64_t max_bin_size = 100) {
  std::vector<std::vector<std::string>> bins;
  for (const RewriteTask& task :
       PackFiles(Together(std::move(candidates)), max_bin_size)) {
    std::vector<std::string>& bin = bins.emplace_back();
    for (const auto& file : task.files) bin.push_back(file.path);
  }
  return bins;
}

TEST(PackFiles, PutsTheSmallestTogetherUntilABinIsFull) {
  EXPECT_THAT(Pack({File("a", 60), File("b", 10), File("c", 50), File("d", 40),
                    File("e", 45), File("f", 40)}),
              ElementsAre(ElementsAre("b", "d", "f"), ElementsAre("c", "e")));
}

TEST(PackFiles, LeavesAFileAloneThatHasNoCompany) {
  EXPECT_THAT(Pack({File("a", 60)}), IsEmpty());
  EXPECT_THAT(Pack({File("a", 60), File("b", 60)}), IsEmpty());
  EXPECT_THAT(Pack({}), IsEmpty());
}

TEST(PackFiles, TakesAFileAloneForItsDeletedRows) {
  EXPECT_THAT(Pack({File("a", 300, "a", true), File("b", 10), File("c", 20)}),
              ElementsAre(ElementsAre("b", "c"), ElementsAre("a")));
}

TEST(PackFiles, NeverMixesPartitions) {
  EXPECT_THAT(Pack({File("a", 1, "x"), File("b", 1, "y"), File("c", 1, "x"),
                    File("d", 1, "X")}),
              ElementsAre(ElementsAre("a", "c")));
}

TEST(PackFiles, TakesTheEmptyTextForNull) {
  const auto tasks =
      PackFiles(Together({File("a", 1, ""), File("b", 1, std::nullopt)}), 100);
  ASSERT_EQ(tasks.size(), 1);
  EXPECT_EQ(tasks[0].partition.at("p"), std::nullopt);
}

TEST(PackFiles, ReadsFilesInTheOrderInWhichTheyCame) {
  auto late = File("a", 1);
  late.file.modification_time = 2;
  auto early = File("z", 5);
  early.file.modification_time = 1;
  EXPECT_THAT(Pack({late, early}), ElementsAre(ElementsAre("z", "a")));
}

TEST(PackFiles, BearsSizesThatCannotBe) {
  EXPECT_THAT(Pack({File("a", INT64_MAX), File("b", INT64_MAX), File("c", -5),
                    File("d", 0)}),
              ElementsAre(ElementsAre("c", "d")));
}

}  // namespace
}  // namespace bayou::commands
