// SPDX-License-Identifier: Apache-2.0
//
// The hash by which Spark divides rows among files: Murmur3 of 32 bits, with
// Spark's own way with the bytes behind the last word.
// Protocol: "Multi-part checkpoint", "spark-style hash partitioning".
#pragma once

#include <cstdint>
#include <string_view>

namespace bayou::protocol {

// The hash of several columns is that of the last one, seeded with the hash of
// those before it; NULL leaves the seed as it is.
inline constexpr std::int32_t kSparkSeed = 42;
std::int32_t SparkHash(std::string_view text, std::int32_t seed = kSparkSeed);

// Which of `parts` a hash belongs to, from 0 on.
int SparkPart(std::int32_t hash, int parts);

}  // namespace bayou::protocol
