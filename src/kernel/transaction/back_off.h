// SPDX-License-Identifier: Apache-2.0
//
// How long to wait after a lost race, so that many writers do not meet again at
// the next version: longer after each one, and never the same time for two.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/env.h"

namespace bayou::transaction {

// Milliseconds; `lost`: how many races were lost in a row, at least one.
inline std::int64_t BackOffMs(int lost, Env& env) {
  constexpr int kMostDoublings = 7;  // 128 ms.
  const std::uint64_t most = std::uint64_t{1} << std::min(lost, kMostDoublings);
  return static_cast<std::int64_t>(env.Random() % (most + 1));
}

}  // namespace bayou::transaction
