// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/for_each.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kernel/engine/engine.h"

namespace bayou::engine {
namespace {

TEST(ForEach, CallsOnceForEachNumber) {
  for (const std::size_t threads : {0, 1, 3, 64}) {
    std::vector<std::atomic<int>> calls(1000);
    EXPECT_TRUE(ForEach(calls.size(), threads, [&](std::size_t i) -> Status {
      ++calls[i];
      return {};
    }));
    EXPECT_TRUE(
        std::ranges::all_of(calls, [](const auto& of) { return of == 1; }));
  }
  EXPECT_TRUE(ForEach(0, 4, [](std::size_t) -> Status {
    ADD_FAILURE();
    return {};
  }));
}

TEST(ForEach, AnErrorEndsIt) {
  std::atomic<int> calls = 0;
  const Status done = ForEach(1'000'000, 4, [&](std::size_t i) -> Status {
    ++calls;
    if (i == 10) return Fail(ErrorCode::kCorruption, "BAD", "the tenth");
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().condition, "BAD");
  EXPECT_LT(calls, 1'000'000);
}

// In whichever thread: an exception that leaves one ends the process.
TEST(ForEach, AnExceptionIsAnError) {
  const auto caller = std::this_thread::get_id();
  for (const bool by_caller : {true, false}) {
    std::atomic<bool> seen = false;
    const Status done = ForEach(4, 4, [&](std::size_t) -> Status {
      const bool is_caller = std::this_thread::get_id() == caller;
      if (is_caller == by_caller) {
        seen = true;
        throw std::runtime_error("no INT64 in four bytes");
      }
      while (!seen) std::this_thread::yield();
      return {};
    });
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("four bytes"), std::string::npos);
  }
  const Status ours = ForEach(1, 1, [](std::size_t) -> Status {
    Throw({ErrorCode::kUnsupported, "OURS", "as it was"});
  });
  ASSERT_FALSE(ours);
  EXPECT_EQ(ours.error().condition, "OURS");
}

}  // namespace
}  // namespace bayou::engine
