// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/value_ranks.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

namespace bayou::commands {
namespace {

// Eight bytes as a number, so that numbers compare as the bytes do; bytes that
// are not there are 0.
std::uint64_t NumberAt(std::string_view key, std::size_t offset) {
  std::uint64_t number = 0;
  if (key.size() >= offset + sizeof number) {
    std::memcpy(&number, key.data() + offset, sizeof number);
  } else if (key.size() > offset) {
    std::memcpy(&number, key.data() + offset, key.size() - offset);
  }
  if constexpr (std::endian::native == std::endian::little)
    number = __builtin_bswap64(number);
  return number;
}

}  // namespace

ValueRanks::ValueRanks(std::vector<std::string> sample, std::size_t most) {
  std::ranges::sort(sample);
  const std::size_t step = std::max<std::size_t>(1, sample.size() / most);
  for (std::size_t i = step; i < sample.size(); i += step) {
    const std::string& before =
        boundaries_.empty() ? sample.front() : boundaries_.back();
    if (sample[i] != before) boundaries_.push_back(std::move(sample[i]));
  }
  for (const std::string& boundary : boundaries_)
    heads_.push_back(HeadOf(boundary));
}

ValueRanks::Head ValueRanks::HeadOf(std::string_view key) {
  return {NumberAt(key, 0), NumberAt(key, sizeof(std::uint64_t))};
}

std::size_t ValueRanks::RankOf(std::string_view key) const {
  const auto same = std::ranges::equal_range(heads_, HeadOf(key));
  const auto first = boundaries_.begin() + (same.begin() - heads_.begin());
  const auto last = first + std::ssize(same);
  return static_cast<std::size_t>(
      std::upper_bound(first, last, key, std::less<>()) - boundaries_.begin());
}

}  // namespace bayou::commands
