// SPDX-License-Identifier: Apache-2.0
//
// Sums of numbers that others wrote, which may be anything: they stop at the
// ends of what 64 bits hold.
#pragma once

#include <cstdint>

namespace bayou {

constexpr std::int64_t Sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

// a - b
constexpr std::int64_t Difference(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace bayou
