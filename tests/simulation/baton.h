// SPDX-License-Identifier: Apache-2.0
//
// Threads that run one at a time, in an order that a seed decides: a thread
// goes on until it offers to hand over. So real code, with its real stacks,
// interleaves the same way whenever the seed is the same.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "simulation/chance.h"

namespace bayou::simulation {

class Baton {
 public:
  using Task = std::function<void()>;

  // Runs all tasks to their end.
  void Run(const std::vector<Task>& tasks, std::uint64_t seed);

  // Called by a task: another may go on in its place. Outside of Run() it does
  // nothing.
  void Offer();

 private:
  struct Runner {
    bool is_done = false;
    std::condition_variable turned;  // Its own: a hand-over wakes one thread.
  };

  // One that is not done; nullptr when all are.
  Runner* Draw();
  // Lets `next` go on, and returns when it is `self` whose turn it is.
  void HandOver(Runner* next, Runner* self);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Runner>> runners_;
  Runner* holder_ = nullptr;  // Nobody: all are done.
  Chance chance_{0};
};

}  // namespace bayou::simulation
