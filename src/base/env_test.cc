// SPDX-License-Identifier: Apache-2.0
#include "base/env.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "base/env_scope.h"

namespace bayou {
namespace {

class FixedEnv : public Env {
 public:
  explicit FixedEnv(std::uint64_t bits) : bits_(bits) {}
  std::int64_t NowMs() override { return 0; }
  std::uint64_t Random() override { return bits_; }

 private:
  std::uint64_t bits_;
};

TEST(NewUuid, HasVersionAndVariantWhateverTheBits) {
  FixedEnv zeros(0);
  FixedEnv ones(~std::uint64_t{0});
  EXPECT_EQ(NewUuid(zeros), "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(NewUuid(ones), "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

TEST(EnvScope, IsTheSystemOfItsThreadWhileItLasts) {
  FixedEnv ones(1);
  FixedEnv twos(2);
  {
    const EnvScope outer(ones);
    {
      const EnvScope inner(twos);
      EXPECT_EQ(&Env::System(), &twos);
      std::thread([&] { EXPECT_NE(&Env::System(), &twos); }).join();
    }
    EXPECT_EQ(&Env::System(), &ones);
  }
  EXPECT_NE(&Env::System(), &ones);
}

TEST(SystemEnv, GivesDistinctUuids) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(NewUuid(Env::System()));
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(SystemEnv, KnowsTheTimeInMilliseconds) {
  EXPECT_GT(Env::System().NowMs(), 1'600'000'000'000);  // September 2020.
}

}  // namespace
}  // namespace bayou
