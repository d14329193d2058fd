// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/row_ids.h"

#include <gtest/gtest.h>

namespace bayou::transaction {
namespace {

using protocol::AddFile;

AddFile File(const std::string& path, const char* stats) {
  AddFile add;
  add.path = path;
  add.stats = stats;
  return add;
}

TEST(RowIds, NewFilesGetIdsAboveTheMarkAndOthersKeepTheirs) {
  StagedActions staged;
  staged.domains = {{"mine", "{}", false}};
  staged.adds = {File("a", R"({"numRecords":3})"),
                 File("b", R"({"numRecords":5})"),
                 File("c", R"({"numRecords":2})")};
  staged.adds[1].base_row_id = 4;
  staged.adds[1].default_row_commit_version = 2;
  ASSERT_TRUE(AssignRowIds(9, 100, "/t", staged));
  EXPECT_EQ(staged.adds[0].base_row_id, 101);
  EXPECT_EQ(staged.adds[0].default_row_commit_version, 9);
  EXPECT_EQ(staged.adds[1].base_row_id, 4);
  EXPECT_EQ(staged.adds[1].default_row_commit_version, 2);
  EXPECT_EQ(staged.adds[2].base_row_id, 104);
  ASSERT_EQ(staged.domains.size(), 2);
  EXPECT_EQ(staged.domains[0].domain, "delta.rowTracking");
  EXPECT_EQ(staged.domains[0].configuration, R"({"rowIdHighWaterMark":105})");
}

TEST(RowIds, NothingNewLeavesTheMarkAlone) {
  StagedActions staged;
  ASSERT_TRUE(AssignRowIds(9, 100, "/t", staged));
  EXPECT_TRUE(staged.domains.empty());
}

TEST(RowIds, AFileMustSayHowManyRowsItHas) {
  StagedActions staged;
  staged.adds = {File("a", "{}")};
  const Status status = AssignRowIds(9, -1, "/t", staged);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().condition, "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS");
}

TEST(RowIds, GoOnFromTheHigherMark) {
  for (const std::int64_t mark : {-1, 40, 60}) {
    StagedActions staged;
    staged.adds = {File("a", R"({"numRecords":10})")};
    staged.domains = {{std::string(kRowTrackingDomain),
                       R"({"rowIdHighWaterMark":50})", false}};
    ASSERT_TRUE(AssignRowIds(9, mark, "/t", staged));
    EXPECT_EQ(staged.adds[0].base_row_id, mark == 60 ? 61 : 51);
    ASSERT_EQ(staged.domains.size(), 1);
    EXPECT_EQ(staged.domains[0].configuration,
              mark == 60 ? R"({"rowIdHighWaterMark":70})"
                         : R"({"rowIdHighWaterMark":60})");
  }
}

TEST(RowIds, NeverWrapAround) {
  for (const std::int64_t mark : {INT64_MAX, INT64_MAX - 9}) {
    StagedActions staged;
    staged.adds = {File("a", R"({"numRecords":10})")};
    const Status status = AssignRowIds(9, mark, "/t", staged);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().condition, "DELTA_ROW_TRACKING_INVALID");
  }
  StagedActions staged;
  staged.adds = {File("a", R"({"numRecords":9223372036854775807})")};
  EXPECT_FALSE(AssignRowIds(9, 1, "/t", staged));
}

TEST(RowIds, ABackfillGivesItsIdsToTheSameFiles) {
  StagedActions staged;
  staged.adds = {File("dir/a%20b", "{}"), File("new", "{}")};
  staged.removes.emplace_back().path = "dir/a%20b";
  AddFile filled = File("dir/a b", "{}");
  filled.base_row_id = 12;
  filled.default_row_commit_version = 3;
  filled.data_change = false;
  TakeOverRowIds(std::vector<protocol::Action>{filled}, staged);
  EXPECT_EQ(staged.adds[0].base_row_id, 12);
  EXPECT_EQ(staged.adds[0].default_row_commit_version, 3);
  EXPECT_EQ(staged.removes[0].base_row_id, 12);
  EXPECT_FALSE(staged.adds[1].base_row_id);
}

TEST(RowIds, TheMarkOfADomain) {
  EXPECT_EQ(RowIdHighWaterMark({"", R"({"rowIdHighWaterMark":7})", false}, "")
                .value(),
            7);
  for (const char* broken : {"", "{}", R"({"rowIdHighWaterMark":"7"})",
                             R"({"rowIdHighWaterMark":-2})"}) {
    const auto mark = RowIdHighWaterMark({"", broken, false}, "/t");
    ASSERT_FALSE(mark);
    EXPECT_EQ(mark.error().condition, "DELTA_ROW_TRACKING_INVALID");
  }
}

TEST(RowIds, AreAssignedWhereTheFeatureIsThereAndNotSuspended) {
  protocol::Protocol protocol;
  protocol::Metadata metadata;
  EXPECT_FALSE(AssignsRowIds(protocol, metadata));
  protocol.min_writer_version = 7;
  protocol.writer_features = {"rowTracking", "domainMetadata"};
  EXPECT_TRUE(AssignsRowIds(protocol, metadata));
  metadata.configuration["delta.rowTrackingSuspended"] = "true";
  EXPECT_FALSE(AssignsRowIds(protocol, metadata));
}

}  // namespace
}  // namespace bayou::transaction
