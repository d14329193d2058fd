// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/staged_actions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/transaction/isolation_level.h"

namespace bayou::transaction {
namespace {

TEST(StagedActions, TheSameFileWithAnotherVectorIsReplaced) {
  StagedActions staged;
  staged.removes.emplace_back().path = "a";
  auto& add = staged.adds.emplace_back();
  add.path = "a";
  add.deletion_vector.emplace();
  EXPECT_TRUE(CheckNoDuplicates(staged, "/t"));
}

TEST(StagedActions, DuplicatesAreADefect) {
  const auto refused = [](const StagedActions& staged) {
    const Status status = CheckNoDuplicates(staged, "/t");
    return !status && status.error().condition == "DELTA_DUPLICATE_ACTIONS";
  };
  StagedActions twice_added;
  twice_added.adds.resize(2);
  twice_added.adds[0].path = "a b";
  twice_added.adds[1].path = "a%20b";
  twice_added.adds[1].deletion_vector.emplace();
  EXPECT_TRUE(refused(twice_added));

  StagedActions twice_removed;
  twice_removed.removes.resize(2);
  EXPECT_TRUE(refused(twice_removed));

  StagedActions removed_and_added;
  removed_and_added.removes.emplace_back().path = "a";
  removed_and_added.adds.emplace_back().path = "a";
  EXPECT_TRUE(refused(removed_and_added));

  StagedActions domains;
  domains.domains.resize(2);
  EXPECT_TRUE(refused(domains));

  StagedActions applications;
  applications.app_versions.resize(2);
  EXPECT_TRUE(refused(applications));
}

TEST(IsolationLevels, OfTheTableAndOfWhatIsStaged) {
  protocol::Metadata metadata;
  StagedActions staged;
  EXPECT_EQ(Name(IsolationLevelOf(metadata, staged)), "SnapshotIsolation");
  staged.adds.emplace_back().data_change = false;
  EXPECT_EQ(Name(IsolationLevelOf(metadata, staged)), "SnapshotIsolation");
  staged.app_versions.resize(1);
  EXPECT_EQ(Name(IsolationLevelOf(metadata, staged)), "Serializable");
  staged.app_versions.clear();
  staged.adds[0].data_change = true;
  EXPECT_EQ(Name(IsolationLevelOf(metadata, staged)), "Serializable");
  metadata.configuration["delta.isolationLevel"] = "WriteSerializable";
  EXPECT_EQ(Name(IsolationLevelOf(metadata, staged)), "WriteSerializable");
}

}  // namespace
}  // namespace bayou::transaction
