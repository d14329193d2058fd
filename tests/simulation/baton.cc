// SPDX-License-Identifier: Apache-2.0
#include "simulation/baton.h"

#include <thread>

namespace bayou::simulation {

void Baton::Run(const std::vector<Task>& tasks, std::uint64_t seed) {
  chance_ = Chance(seed);
  runners_.clear();
  for (std::size_t i = 0; i < tasks.size(); ++i)
    runners_.push_back(std::make_unique<Runner>());
  holder_ = Draw();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    threads.emplace_back([this, &tasks, i] {
      Runner& self = *runners_[i];
      {
        std::unique_lock lock(mutex_);
        self.turned.wait(lock, [&] { return holder_ == &self; });
      }
      tasks[i]();
      self.is_done = true;
      HandOver(Draw(), nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Only the holder draws, so chance needs no lock; `holder_` does, for the
// others wait for it.
void Baton::Offer() {
  if (runners_.empty() || holder_ == nullptr) return;
  // Mostly a thread goes on for a while: what interleaves at every step hardly
  // ever lets a statement run on its own.
  if (!chance_.OneIn(8)) return;
  Runner* const self = holder_;
  Runner* const next = Draw();
  if (next != self) HandOver(next, self);
}

void Baton::HandOver(Runner* next, Runner* self) {
  std::unique_lock lock(mutex_);
  holder_ = next;
  if (next != nullptr) next->turned.notify_one();
  if (self != nullptr) self->turned.wait(lock, [&] { return holder_ == self; });
}

Baton::Runner* Baton::Draw() {
  std::vector<Runner*> ready;
  for (const auto& runner : runners_) {
    if (!runner->is_done) ready.push_back(runner.get());
  }
  if (ready.empty()) return nullptr;
  return ready[static_cast<std::size_t>(
      chance_.Below(static_cast<int>(ready.size())))];
}

}  // namespace bayou::simulation
