// SPDX-License-Identifier: Apache-2.0
//
// The simulation proper: a few clients do two hundred things to one table, at
// the same time and on a store that fails, and the table stays what the oracle
// says.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace bayou::simulation {

struct Outcome {
  std::optional<std::string> fault;   // The rule that was broken.
  std::uint64_t trace = 0;            // The same for the same seed.
  std::map<std::string, int> counts;  // What happened how often.
};

// `name` is the table's; it changes nothing.
Outcome SimulateManyWriters(std::uint64_t seed, const std::string& name);

}  // namespace bayou::simulation
