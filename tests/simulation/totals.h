// SPDX-License-Identifier: Apache-2.0
//
// What a run of many cases came to.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace bayou::simulation {

struct Totals {
  int passed = 0;
  int failed = 0;
  std::map<std::string, int> counts;  // What happened how often.
};

// One process of several, which share the cases.
struct Share {
  int number = 0;
  int of = 1;
  // No case begins after that.
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::time_point::max();

  bool Has(std::uint64_t index) const {
    return index % static_cast<std::uint64_t>(of) ==
           static_cast<std::uint64_t>(number);
  }
  bool IsOver() const { return std::chrono::steady_clock::now() > deadline; }
};

}  // namespace bayou::simulation
