// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/spark_hash.h"

#include <bit>
#include <cstring>

namespace bayou::protocol {
namespace {

std::uint32_t MixWord(std::uint32_t hash, std::uint32_t word) {
  word = std::rotl(word * 0xcc9e2d51U, 15) * 0x1b873593U;
  return std::rotl(hash ^ word, 13) * 5U + 0xe6546b64U;
}

std::uint32_t Finish(std::uint32_t hash, std::size_t length) {
  hash ^= static_cast<std::uint32_t>(length);
  hash = (hash ^ (hash >> 16U)) * 0x85ebca6bU;
  hash = (hash ^ (hash >> 13U)) * 0xc2b2ae35U;
  return hash ^ (hash >> 16U);
}

}  // namespace

std::int32_t SparkHash(std::string_view text, std::int32_t seed) {
  static_assert(std::endian::native == std::endian::little);
  auto hash = static_cast<std::uint32_t>(seed);
  std::size_t at = 0;
  for (; at + 4 <= text.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    hash = MixWord(hash, word);
  }
  for (; at < text.size(); ++at) {
    const auto byte = static_cast<signed char>(text[at]);
    hash = MixWord(hash, static_cast<std::uint32_t>(std::int32_t{byte}));
  }
  return static_cast<std::int32_t>(Finish(hash, text.size()));
}

int SparkPart(std::int32_t hash, int parts) {
  const int rest = hash % parts;
  return rest < 0 ? rest + parts : rest;
}

}  // namespace bayou::protocol
