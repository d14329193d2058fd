// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/for_each.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "kernel/engine/engine.h"

namespace bayou::engine {

Status ForEach(std::size_t count, std::size_t threads,
               const std::function<Status(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  Status outcome;
  const auto run = [&] {
    while (!failed) {
      const std::size_t i = next++;
      if (i >= count) return;
      const Status done = Guard([&] { Unwrap(work(i)); });
      if (done) continue;
      const std::lock_guard lock(mutex);
      if (outcome) outcome = done;
      failed = true;
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t i = 1; i < std::min(threads, count); ++i)
        others.emplace_back(run);
    } catch (const std::system_error&) {
      // The machine has no more of them; those that there are do the work.
    }
    run();
  }
  return outcome;
}

}  // namespace bayou::engine
