// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/back_off.h"

#include <gtest/gtest.h>

#include <limits>

namespace bayou::transaction {
namespace {

class LargestRandom final : public Env {
 public:
  std::int64_t NowMs() override { return 0; }
  std::uint64_t Random() override { return random_; }
  void Give(std::uint64_t random) { random_ = random; }

 private:
  std::uint64_t random_ = 0;
};

TEST(BackOffMs, GrowsToABoundAndDiffersByChance) {
  LargestRandom env;
  EXPECT_EQ(BackOffMs(1, env), 0);
  for (const auto& [lost, most] :
       {std::pair{1, 2}, {2, 4}, {5, 32}, {7, 128}, {8, 128}, {10'000, 128}}) {
    env.Give(static_cast<std::uint64_t>(most));
    EXPECT_EQ(BackOffMs(lost, env), most) << lost;
    env.Give(std::numeric_limits<std::uint64_t>::max());
    EXPECT_LE(BackOffMs(lost, env), most) << lost;
  }
}

}  // namespace
}  // namespace bayou::transaction
