// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/commit_history.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace bayou::log {
namespace {

using ::testing::HasSubstr;

// Commits with chosen file times and in-commit timestamps.
class History : public ::testing::Test {
 public:
  History() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "history-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    store_ = store::OpenLocalStore(folder_);
  }
  ~History() override { std::filesystem::remove_all(folder_); }

  void Commit(Version version, std::int64_t file_seconds,
              std::optional<std::int64_t> in_commit_ms = {}) {
    const std::string name = "_delta_log/" + CommitName(version);
    const std::string ict =
        in_commit_ms ? fmt::format(R"("inCommitTimestamp":{},)", *in_commit_ms)
                     : "";
    ASSERT_TRUE(store_->Put(
        name, fmt::format(
                  R"({{"commitInfo":{{{}"timestamp":1,"operation":"WRITE"}}}})"
                  "\n",
                  ict)));
    const timespec times[2] = {{file_seconds, 0}, {file_seconds, 0}};
    ::utimensat(AT_FDCWD, store_->NativePath(name).c_str(), times, 0);
  }
  Result<Version> At(std::int64_t ms,
                     std::optional<InCommitTimestampRange> range = {}) {
    return VersionAtTimestamp(*store_, ms, range, latest_, false);
  }

  std::string folder_;
  std::shared_ptr<store::Store> store_;
  Version latest_ = 5;
};

TEST_F(History, MakesFileTimesRise) {
  const std::int64_t seconds[] = {10, 9, 20, 15, 50, 50};
  for (Version v = 0; v < 6; ++v) Commit(v, seconds[v]);
  const std::int64_t expected[] = {10000, 10001, 20000, 20001, 50000, 50001};
  for (Version v = 0; v < 6; ++v) {
    EXPECT_EQ(CommitTimestamp(*store_, v, {}), expected[v]);
  }
  EXPECT_EQ(At(10000), 0);
  EXPECT_EQ(At(10001), 1);
  EXPECT_EQ(At(19999), 1);
  EXPECT_EQ(At(50001), 5);
}

TEST_F(History, SplitsAtTheVersionThatEnablesInCommitTimestamps) {
  const std::int64_t seconds[] = {10, 9, 20, 15};
  for (Version v = 0; v < 4; ++v) Commit(v, seconds[v]);
  Commit(4, 50, 100000);
  Commit(5, 50, 101000);
  const InCommitTimestampRange range{4};
  EXPECT_EQ(At(60000, range), 3);
  EXPECT_EQ(At(100000, range), 4);
  EXPECT_EQ(At(100999, range), 4);
  EXPECT_EQ(At(101000, range), 5);
  EXPECT_EQ(CommitTimestamp(*store_, 5, range), 101000);
  // A copy of the table has new file times: what is in the commits still holds.
  for (Version v = 0; v < 4; ++v) Commit(v, 1700000000 + v);
  EXPECT_EQ(At(100000, range), 4);
  EXPECT_TRUE(MayHaveInCommitTimestamps(*store_, 5));
  EXPECT_FALSE(MayHaveInCommitTimestamps(*store_, 3));
  EXPECT_TRUE(MayHaveInCommitTimestamps(*store_, 9)) << "nobody can tell";
}

TEST_F(History, SaysWhichTimesThereAre) {
  for (Version v = 0; v < 6; ++v) Commit(v, 10 + v);
  for (const std::int64_t ms : {9999, 15001}) {
    const auto version = At(ms);
    ASSERT_FALSE(version);
    EXPECT_EQ(version.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(version.error().condition, "DELTA_TIMESTAMP_OUT_OF_RANGE");
    EXPECT_THAT(version.error().message,
                HasSubstr("1970-01-01 00:00:10.000 UTC"));
    EXPECT_THAT(version.error().message,
                HasSubstr("1970-01-01 00:00:15.000 UTC"));
  }
  EXPECT_EQ(VersionAtTimestamp(*store_, 99999, {}, latest_, true), 5);
}

TEST_F(History, ReportsAMissingInCommitTimestamp) {
  Commit(0, 10);
  const auto time = CommitTimestamp(*store_, 0, InCommitTimestampRange{0});
  ASSERT_FALSE(time);
  EXPECT_EQ(time.error().condition, "DELTA_IN_COMMIT_TIMESTAMP_MISSING");
}

TEST_F(History, GoesFromNewToOldAndStopsAtTheOldestCommit) {
  for (Version v = 2; v < 6; ++v) Commit(v, 10 + v);
  const auto all = *ReadHistory(*store_, 5, 100, {});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all.front().version, 5);
  EXPECT_EQ(all.front().timestamp_ms, 15000);
  EXPECT_EQ(all.front().info->operation, "WRITE");
  EXPECT_EQ(all.back().version, 2);
  EXPECT_EQ(ReadHistory(*store_, 4, 2, {})->size(), 2U);
  EXPECT_EQ(ReadHistory(*store_, 4, 2, {})->front().version, 4);
}

TEST_F(History, ToleratesAnyCommitInfo) {
  ASSERT_TRUE(
      store_->Put("_delta_log/" + CommitName(0),
                  R"({"commitInfo":{"operation":7,"operationParameters":[1]}})"
                  "\n"));
  ASSERT_TRUE(store_->Put("_delta_log/" + CommitName(1),
                          "{\"txn\":{\"appId\":\"a\",\"version\":1}}\n"));
  const auto all = *ReadHistory(*store_, 1, 100, {});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_FALSE(all[0].info);
}

}  // namespace
}  // namespace bayou::log
