// SPDX-License-Identifier: Apache-2.0
//
// Chance that a seed replays on every machine.
#pragma once

#include <cstdint>

namespace bayou::simulation {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}

  // SplitMix64.
  std::uint64_t Next() {
    std::uint64_t bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }
  // From 0 on, less than `bound`.
  int Below(int bound) {
    return static_cast<int>(Next() % static_cast<std::uint64_t>(bound));
  }
  int Between(int low, int high) { return low + Below(high - low + 1); }
  bool OneIn(int count) { return Below(count) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace bayou::simulation
