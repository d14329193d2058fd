// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/log_segment.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::log {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Describes a log folder by what is in it; the names are the protocol's.
class Folder {
 public:
  Folder& Commits(Version first, Version last) {
    for (Version v = first; v <= last; ++v) Add(CommitName(v));
    return *this;
  }
  Folder& Checkpoint(Version v, std::int64_t size = 100) {
    return Add(CheckpointName(v), size);
  }
  Folder& CheckpointPart(Version v, int part, int parts) {
    return Add(
        fmt::format("{:020}.checkpoint.{:010}.{:010}.parquet", v, part, parts));
  }
  Folder& V2Checkpoint(Version v, const std::string& uuid) {
    return Add(fmt::format("{:020}.checkpoint.{}.json", v, uuid));
  }
  Folder& Compacted(Version first, Version last, std::int64_t size = 100) {
    return Add(fmt::format("{:020}.{:020}.compacted.json", first, last), size);
  }
  Folder& Add(const std::string& name, std::int64_t size = 100) {
    files_.push_back(ParseLogFileName(name));
    files_.back().size = size;
    return *this;
  }
  Result<LogSegment> Choose(
      std::optional<Version> target = {},
      const std::set<std::string>& passed_over = {}) const {
    return ChooseLogSegment(files_, target, passed_over);
  }

 private:
  std::vector<LogFileName> files_;
};

std::vector<Version> Versions(const std::vector<LogFileName>& files) {
  std::vector<Version> versions;
  for (const LogFileName& file : files) versions.push_back(file.version);
  return versions;
}

TEST(ChooseLogSegment, StartsAtVersionZeroWithoutACheckpoint) {
  const auto segment = Folder().Commits(0, 3).Choose();
  ASSERT_TRUE(segment);
  EXPECT_EQ(segment->version, 3);
  EXPECT_THAT(segment->checkpoint, IsEmpty());
  EXPECT_THAT(Versions(segment->deltas), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(segment->last_commit->version, 3);
}

TEST(ChooseLogSegment, StartsAfterTheNewestCheckpoint) {
  const auto segment =
      Folder().Commits(0, 9).Checkpoint(3).Checkpoint(7).Choose();
  ASSERT_TRUE(segment);
  EXPECT_THAT(Versions(segment->checkpoint), ElementsAre(7));
  EXPECT_THAT(Versions(segment->deltas), ElementsAre(8, 9));
}

TEST(ChooseLogSegment, TravelsToAVersionBeforeTheNewestCheckpoint) {
  const auto segment =
      Folder().Commits(0, 9).Checkpoint(3).Checkpoint(7).Choose(5);
  ASSERT_TRUE(segment);
  EXPECT_EQ(segment->version, 5);
  EXPECT_THAT(Versions(segment->checkpoint), ElementsAre(3));
  EXPECT_EQ(segment->last_commit->version, 5);
}

TEST(ChooseLogSegment, PassesOverACheckpointWithAMissingPart) {
  const auto segment = Folder()
                           .Commits(0, 9)
                           .Checkpoint(3)
                           .CheckpointPart(7, 1, 3)
                           .CheckpointPart(7, 3, 3)
                           .Choose();
  ASSERT_TRUE(segment);
  EXPECT_THAT(Versions(segment->checkpoint), ElementsAre(3));
  EXPECT_THAT(Versions(segment->deltas), ElementsAre(4, 5, 6, 7, 8, 9));
}

TEST(ChooseLogSegment, PassesOverEmptyAndUnreadableFiles) {
  const Folder folder =
      Folder().Commits(0, 4).Checkpoint(1).Checkpoint(2).Checkpoint(3, 0);
  EXPECT_THAT(Versions(folder.Choose()->checkpoint), ElementsAre(2));
  EXPECT_THAT(Versions(folder.Choose({}, {CheckpointName(2)})->checkpoint),
              ElementsAre(1));
}

TEST(ChooseLogSegment, PutsPartsInOrder) {
  const auto segment = Folder()
                           .Commits(0, 1)
                           .CheckpointPart(1, 2, 2)
                           .CheckpointPart(1, 1, 2)
                           .Choose();
  ASSERT_EQ(segment->checkpoint.size(), 2U);
  EXPECT_EQ(segment->checkpoint[0].part, 1);
  EXPECT_EQ(segment->checkpoint[1].part, 2);
}

TEST(ChooseLogSegment, OrdersCheckpointsOfOneVersion) {
  Folder folder = Folder().Commits(0, 1).Checkpoint(1);
  EXPECT_EQ(folder.Choose()->checkpoint.size(), 1U);
  folder.CheckpointPart(1, 1, 2).CheckpointPart(1, 2, 2);
  EXPECT_EQ(folder.Choose()->checkpoint.size(), 2U);
  folder.V2Checkpoint(1, "bb").V2Checkpoint(1, "aa");
  EXPECT_EQ(folder.Choose()->checkpoint.front().uuid, "bb");
}

TEST(ChooseLogSegment, NeedsNoCommitsWhenTheCheckpointIsTheTarget) {
  const auto segment = Folder().Checkpoint(7).Choose();
  ASSERT_TRUE(segment);
  EXPECT_EQ(segment->version, 7);
  EXPECT_THAT(segment->deltas, IsEmpty());
  EXPECT_FALSE(segment->last_commit);
}

TEST(ChooseLogSegment, PutsCompactedFilesInPlaceOfTheirCommits) {
  const Folder folder =
      Folder().Commits(0, 9).Compacted(1, 3).Compacted(1, 6).Compacted(7, 9, 0);
  EXPECT_THAT(Versions(folder.Choose()->deltas), ElementsAre(0, 1, 7, 8, 9));
  EXPECT_THAT(Versions(folder.Choose(5)->deltas), ElementsAre(0, 1, 4, 5));
  EXPECT_EQ(folder.Choose()->last_commit->version, 9);
}

TEST(ChooseLogSegment, IgnoresFilesItDoesNotKnow) {
  const auto segment = Folder()
                           .Commits(0, 1)
                           .Add("_last_checkpoint")
                           .Add("00000000000000000009.future")
                           .Choose();
  ASSERT_TRUE(segment);
  EXPECT_EQ(segment->version, 1);
}

struct Failure {
  std::string name;
  Folder folder;
  std::optional<Version> target;
  ErrorCode code;
  std::string condition;
  std::string says;
};

class ChooseLogSegmentFails : public ::testing::TestWithParam<Failure> {};

TEST_P(ChooseLogSegmentFails, SayingWhatToDo) {
  const auto segment = GetParam().folder.Choose(GetParam().target);
  ASSERT_FALSE(segment);
  EXPECT_EQ(segment.error().code, GetParam().code);
  EXPECT_EQ(segment.error().condition, GetParam().condition);
  EXPECT_THAT(segment.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    , ChooseLogSegmentFails,
    ::testing::Values(
        Failure{"EmptyFolder",
                Folder(),
                {},
                ErrorCode::kNotFound,
                "DELTA_TABLE_NOT_FOUND",
                "neither a commit nor a checkpoint"},
        Failure{"TargetCleanedUp", Folder().Commits(5, 9).Checkpoint(7), 5,
                ErrorCode::kNotFound, "DELTA_VERSION_NOT_FOUND",
                "earliest version that can is 7"},
        Failure{"TargetTooNew", Folder().Commits(0, 2), 3, ErrorCode::kNotFound,
                "DELTA_VERSION_NOT_FOUND", "the latest is 2"},
        Failure{"FirstCommitLost",
                Folder().Commits(1, 2),
                {},
                ErrorCode::kCorruption,
                "DELTA_LOG_GAP",
                "version 0"},
        Failure{"GapInTheMiddle",
                Folder().Commits(0, 2).Commits(4, 5),
                {},
                ErrorCode::kCorruption,
                "DELTA_LOG_GAP",
                "version 3"},
        Failure{"GapAfterCheckpoint",
                Folder().Checkpoint(3).Commits(5, 6),
                {},
                ErrorCode::kCorruption,
                "DELTA_LOG_GAP",
                "version 4"},
        // Version 5 existed: version 4 must not pass for the latest.
        Failure{"OnlyADamagedCheckpointOfTheLatest",
                Folder().Commits(0, 4).Checkpoint(5, 0),
                {},
                ErrorCode::kCorruption,
                "DELTA_LOG_GAP",
                "version 5"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace bayou::log
