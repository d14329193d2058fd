// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/changed_rows.h"

#include <gtest/gtest.h>

namespace bayou::commands {
namespace {

TEST(ChangedRows, ARowIsChangedOnce) {
  ChangedRows rows;
  EXPECT_TRUE(rows.Add({0, 5}, RowChange::kDelete));
  EXPECT_TRUE(rows.Add({1, 5}, RowChange::kUpdate));
  EXPECT_TRUE(rows.Add({0, 6}, RowChange::kUpdate));
  EXPECT_FALSE(rows.Add({0, 5}, RowChange::kDelete));
  EXPECT_FALSE(rows.Add({0, 5}, RowChange::kUpdate));
  EXPECT_FALSE(rows.Add({0, 6}, RowChange::kDelete));
  ASSERT_EQ(rows.files().size(), 2);
  EXPECT_EQ(rows.files().at(0).deleted.Cardinality(), 1);
  EXPECT_EQ(rows.files().at(0).updated.Cardinality(), 1);
}

TEST(ChangedRows, OfTwoThreadsAreOneSet) {
  ChangedRows one;
  ChangedRows two;
  one.Add({0, 1}, RowChange::kDelete);
  two.Add({0, 2}, RowChange::kDelete);
  two.Add({3, 1}, RowChange::kUpdate);
  EXPECT_FALSE(one.Merge(std::move(two)));
  EXPECT_EQ(one.files().at(0).deleted.Cardinality(), 2);
  EXPECT_TRUE(one.files().at(3).updated.Contains(1));
  EXPECT_FALSE(one.Add({3, 1}, RowChange::kDelete));
}

TEST(ChangedRows, TheRowThatTwoThreadsHaveIsTold) {
  for (const RowChange change : {RowChange::kDelete, RowChange::kUpdate}) {
    ChangedRows one;
    ChangedRows two;
    one.Add({4, 7}, RowChange::kUpdate);
    one.Add({4, 70'000}, RowChange::kUpdate);
    two.Add({4, 8}, change);
    two.Add({4, 70'000}, change);
    const auto twice = one.Merge(std::move(two));
    ASSERT_TRUE(twice);
    EXPECT_EQ(twice->file, 4);
    EXPECT_EQ(twice->row, 70'000);
  }
}

}  // namespace
}  // namespace bayou::commands
