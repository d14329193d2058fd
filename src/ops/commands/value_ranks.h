// SPDX-License-Identifier: Apache-2.0
//
// The ranks of a column's values, told from a sample of them: how many of the
// values at which ranks begin are not greater. Values are sort keys, bytes that
// compare as the values do.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bayou::commands {

class ValueRanks {
 public:
  // At most `most` ranks begin, and each at another value.
  ValueRanks(std::vector<std::string> sample, std::size_t most);

  // The least rank is 0; the greatest, size().
  std::size_t RankOf(std::string_view key) const;
  std::size_t size() const { return boundaries_.size(); }

 private:
  // The first bytes of a key, which are told apart as numbers: mostly all that
  // is to be looked at.
  struct Head {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    auto operator<=>(const Head&) const = default;
  };
  static Head HeadOf(std::string_view key);

  std::vector<std::string> boundaries_;  // Ascending.
  std::vector<Head> heads_;              // Of the boundaries.
};

}  // namespace bayou::commands
