// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/auto_optimize.h"

#include <gtest/gtest.h>

#include "kernel/protocol/table_properties.h"

namespace bayou::protocol {
namespace {

constexpr const char* kAutoCompact = "delta.autoOptimize.autoCompact";

TEST(AutoCompacts, TakesTheValuesOfSparkAndDatabricks) {
  for (const char* on : {"true", "TRUE", "auto", "Auto", "legacy"})
    EXPECT_TRUE(AutoCompacts({{kAutoCompact, on}})) << on;
  for (const char* off : {"false", "False", "", "yes", "1", " true"})
    EXPECT_FALSE(AutoCompacts({{kAutoCompact, off}})) << off;
  EXPECT_FALSE(AutoCompacts({}));
}

TEST(AutoCompacts, TheOlderPropertyTurnsItOnAndNotOff) {
  EXPECT_TRUE(AutoCompacts({{"delta.autoOptimize", "true"}}));
  EXPECT_TRUE(
      AutoCompacts({{"delta.autoOptimize", "true"}, {kAutoCompact, "false"}}));
  EXPECT_TRUE(
      AutoCompacts({{"delta.autoOptimize", "false"}, {kAutoCompact, "true"}}));
  EXPECT_FALSE(AutoCompacts({{"delta.autoOptimize", "false"}}));
}

TEST(AutoCompacts, UsersCanSetOnlyWhatIsKnown) {
  EXPECT_TRUE(CheckUserProperties({{kAutoCompact, "auto"}}));
  EXPECT_FALSE(CheckUserProperties({{kAutoCompact, "sometimes"}}));
}

TEST(OptimizesWrites, TakesItsOwnPropertyOnly) {
  EXPECT_TRUE(OptimizesWrites({{"delta.autoOptimize.optimizeWrite", "True"}}));
  EXPECT_FALSE(
      OptimizesWrites({{"delta.autoOptimize.optimizeWrite", "false"}}));
  EXPECT_FALSE(OptimizesWrites({{"delta.autoOptimize", "true"}}));
}

}  // namespace
}  // namespace bayou::protocol
