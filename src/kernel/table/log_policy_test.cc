// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/log_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace bayou::table {
namespace {

class LogPolicyTest : public ::testing::Test {
 protected:
  // "c" for a checkpoint, "first-last" for a compacted file, else empty.
  std::string After(Version version, CommitSize size = {}) {
    const auto work = IntervalLogPolicy().After(
        version, size, protocol::TableProperties(configuration_),
        [&](log::VersionRange range) -> Result<std::vector<std::int64_t>> {
          ++listings_;
          std::vector<std::int64_t> bytes;
          for (Version v = range.first; v <= range.last; ++v) {
            if (!gone_.contains(v)) bytes.push_back(bytes_[v]);
          }
          return bytes;
        });
    if (!work) return work.error().message;
    std::string text = work->checkpoint ? "c" : "";
    if (work->compaction) {
      text += std::to_string(work->compaction->first) + "-" +
              std::to_string(work->compaction->last);
    }
    return text;
  }

  protocol::StringMap configuration_;
  std::map<Version, std::int64_t> bytes_;
  std::set<Version> gone_;
  int listings_ = 0;
};

TEST_F(LogPolicyTest, CheckpointsEveryIntervalButNeverAtVersionZero) {
  EXPECT_EQ(After(0), "");
  EXPECT_EQ(After(9), "");
  EXPECT_EQ(After(10), "c");
  EXPECT_EQ(After(15), "");
  EXPECT_EQ(listings_, 0);
}

TEST_F(LogPolicyTest, CompactsRunsThatBeginBehindACheckpoint) {
  configuration_ = {{"delta.checkpointInterval", "20"}};
  EXPECT_EQ(After(4), "");
  EXPECT_EQ(After(5), "1-5");
  EXPECT_EQ(After(20), "c");
  EXPECT_EQ(After(25), "21-25");
  EXPECT_EQ(listings_, 2);
}

TEST_F(LogPolicyTest, TheIntervalIsTheTables) {
  configuration_ = {{"delta.logCompaction.interval", "3"}};
  EXPECT_EQ(After(3), "1-3");
  configuration_ = {{"delta.logCompaction.interval", "1"}};
  EXPECT_EQ(After(3), "");
  configuration_ = {{"delta.checkpointInterval", "100"},
                    {"delta.logCompaction.interval", "0"}};
  EXPECT_EQ(After(5), "");
}

TEST_F(LogPolicyTest, LeavesRunsWithLargeOrMissingCommitsAlone) {
  configuration_ = {{"delta.checkpointInterval", "20"}};
  bytes_[3] = IntervalLogPolicy::kLargeBytes;
  EXPECT_EQ(After(5), "");
  EXPECT_EQ(After(10), "6-10");
  gone_ = {7};
  EXPECT_EQ(After(10), "");
}

TEST_F(LogPolicyTest, ALargeCommitIsCheckpointedAtOnce) {
  EXPECT_EQ(After(3, {IntervalLogPolicy::kLargeBytes, 1}), "c");
  EXPECT_EQ(After(0, {1, IntervalLogPolicy::kLargeActions}), "c");
  EXPECT_EQ(After(3, {IntervalLogPolicy::kLargeBytes - 1,
                      IntervalLogPolicy::kLargeActions - 1}),
            "");
}

}  // namespace
}  // namespace bayou::table
