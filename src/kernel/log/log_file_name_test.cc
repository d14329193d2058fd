// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/log_file_name.h"

#include <gtest/gtest.h>

namespace bayou::log {
namespace {

TEST(ParseLogFileName, KnowsCommits) {
  const LogFileName file = ParseLogFileName("00000000000000000007.json");
  EXPECT_EQ(file.kind, LogFileKind::kCommit);
  EXPECT_EQ(file.version, 7);
  EXPECT_EQ(file.end_version, 7);
}

TEST(ParseLogFileName, KnowsEveryFormOfCheckpoint) {
  const LogFileName single =
      ParseLogFileName("00000000000000000007.checkpoint.parquet");
  EXPECT_EQ(single.kind, LogFileKind::kCheckpoint);
  EXPECT_EQ(single.parts, 1);

  const LogFileName part = ParseLogFileName(
      "00000000000000000007.checkpoint.0000000002.0000000003.parquet");
  EXPECT_EQ(part.kind, LogFileKind::kCheckpoint);
  EXPECT_EQ(part.part, 2);
  EXPECT_EQ(part.parts, 3);

  const LogFileName v2 = ParseLogFileName(
      "00000000000000000007.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11."
      "json");
  EXPECT_EQ(v2.kind, LogFileKind::kCheckpoint);
  EXPECT_EQ(v2.uuid, "80a083e8-7026-4e79-81be-64bd76c43a11");
  EXPECT_TRUE(v2.is_json);
}

TEST(ParseLogFileName, KnowsCompactedFiles) {
  const LogFileName file = ParseLogFileName(
      "00000000000000000003.00000000000000000007.compacted.json");
  EXPECT_EQ(file.kind, LogFileKind::kCompacted);
  EXPECT_EQ(file.version, 3);
  EXPECT_EQ(file.end_version, 7);
}

TEST(ParseLogFileName, WritesWhatItReads) {
  EXPECT_EQ(CommitName(7), "00000000000000000007.json");
  EXPECT_EQ(ParseLogFileName(CommitName(INT64_MAX - 1)).version, INT64_MAX - 1);
  EXPECT_EQ(ParseLogFileName(ChecksumName(7)).kind, LogFileKind::kChecksum);
  EXPECT_EQ(ParseLogFileName(CheckpointName(7)).kind, LogFileKind::kCheckpoint);
}

class ForeignName : public ::testing::TestWithParam<const char*> {};

TEST_P(ForeignName, IsIgnored) {
  EXPECT_EQ(ParseLogFileName(GetParam()).kind, LogFileKind::kOther);
}

INSTANTIATE_TEST_SUITE_P(
    , ForeignName,
    ::testing::Values(
        "", "1.json", "_last_checkpoint", ".00000000000000000007.json.tmp",
        ".00000000000000000007.json.crc", "00000000000000000007.json.bak",
        "00000000000000000007", "00000000000000000007.json ",
        "0000000000000000000007.json", "-0000000000000000007.json",
        "+0000000000000000007.json", "0000000000000000000x.json",
        "99999999999999999999.json", "09223372036854775807.json",
        "00000000000000000001.3a0d65cd-4056-49b8-937b-95f9e3ee90e5.json",
        "00000000000000000007.checkpoint",
        "00000000000000000007.checkpoint..parquet",
        "00000000000000000007.checkpoint.a.b.parquet",
        "00000000000000000007.checkpoint.0000000000.0000000003.parquet",
        "00000000000000000007.checkpoint.0000000004.0000000003.parquet",
        "00000000000000000007.checkpoint.0000000001.1000000000.parquet",
        "00000000000000000007.checkpoint.0000000001.9999999999.parquet",
        "00000000000000000007.00000000000000000003.compacted.json",
        "00000000000000000007.00000000000000000007.compacted.json",
        "00000000000000000003.00000000000000000007.compact.json"));

}  // namespace
}  // namespace bayou::log
