// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/space_filling_curve.h"

#include <algorithm>
#include <array>

namespace bayou::commands {
namespace {

constexpr int kPositionBits = 64;
constexpr int kMostBits = 16;

}  // namespace

int CurveBits(std::size_t dimensions) {
  return std::clamp(kPositionBits / static_cast<int>(dimensions), 1, kMostBits);
}

std::uint64_t ZOrder(std::span<const std::uint32_t> point, int bits) {
  std::uint64_t position = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
    for (const std::uint32_t coordinate : point)
      position = (position << 1) | ((coordinate >> bit) & 1U);
  }
  return position;
}

// J. Skilling, "Programming the Hilbert curve" (2004): the coordinates are
// turned into the transposed index, bit by bit from the highest.
std::uint64_t Hilbert(std::span<const std::uint32_t> point, int bits) {
  std::array<std::uint32_t, kPositionBits> x{};
  const std::size_t n = point.size();
  std::ranges::copy(point, x.begin());
  const std::uint32_t highest = 1U << (bits - 1);
  for (std::uint32_t q = highest; q > 1; q >>= 1) {
    const std::uint32_t below = q - 1;
    for (std::size_t i = 0; i < n; ++i) {
      if ((x[i] & q) != 0) {
        x[0] ^= below;
      } else {
        const std::uint32_t t = (x[0] ^ x[i]) & below;
        x[0] ^= t;
        x[i] ^= t;
      }
    }
  }
  for (std::size_t i = 1; i < n; ++i) x[i] ^= x[i - 1];
  std::uint32_t t = 0;
  for (std::uint32_t q = highest; q > 1; q >>= 1) {
    if ((x[n - 1] & q) != 0) t ^= q - 1;
  }
  for (std::size_t i = 0; i < n; ++i) x[i] ^= t;
  return ZOrder({x.data(), n}, bits);
}

}  // namespace bayou::commands
