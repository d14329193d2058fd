// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/checkpoint_hint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::table {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CheckpointHintTest, ChecksumIsThatOfTheProtocolsExample) {
  EXPECT_EQ(
      *JsonChecksum(
          R"({"k0":"'v 0'", "checksum": "adsaskfljadfkjadfkj", "k1":{"k2": 2, )"
          R"("k3": ["v3", [1, 2], {"k4": "v4", "k5": ["v5", "v6", "v7"]}]}})"),
      "6a92d155a59bf2eecbd4b4ec7fd1f875");
}

TEST(CheckpointHintTest, NamesAV2CheckpointAsDeltaSparkDoes) {
  CheckpointHint hint{.version = 7,
                      .actions = 5,
                      .parts = std::nullopt,
                      .bytes = 300,
                      .totals = {.files = 1, .bytes = 10},
                      .v2 = std::nullopt};
  EXPECT_THAT(HintJson(hint),
              HasSubstr(R"({"version":7,"size":5,"sizeInBytes":300,)"
                        R"("numOfAddFiles":1,"checksum":")"));
  hint.v2 = {{"7.checkpoint.u.json", 100, 8},
             {R"({"checkpointMetadata":{"version":7}})"},
             {{"s.parquet", 200, 9}}};
  EXPECT_THAT(
      HintJson(hint),
      HasSubstr(
          R"("v2Checkpoint":{"path":"7.checkpoint.u.json","sizeInBytes":100,)"
          R"("modificationTime":8,)"
          R"("nonFileActions":[{"checkpointMetadata":{"version":7}}],)"
          R"("sidecarFiles":[{"path":"s.parquet","sizeInBytes":200,)"
          R"("modificationTime":9}]},"checksum":")"));
  hint.v2->non_file_actions.assign(31, R"({"txn":{}})");
  hint.v2->sidecars.assign(31, {"s.parquet", 200, 9});
  EXPECT_THAT(HintJson(hint), Not(HasSubstr("nonFileActions")));
  EXPECT_THAT(HintJson(hint), Not(HasSubstr("sidecarFiles")));
}

}  // namespace
}  // namespace bayou::table
