// SPDX-License-Identifier: Apache-2.0
//
// Curves that pass through every point of a space of several dimensions, such
// that points which are near each other on the curve are near each other in
// space. A position on the curve has the bits of all coordinates.
#pragma once

#include <cstdint>
#include <span>

namespace bayou::commands {

// How many bits a coordinate may have in so many dimensions; at least one.
int CurveBits(std::size_t dimensions);

// The curve of Morton: the bits of the coordinates by turns, the highest first.
// Each coordinate is less than 2^bits.
std::uint64_t ZOrder(std::span<const std::uint32_t> point, int bits);

// The curve of Hilbert, whose neighbours differ by one in one coordinate.
std::uint64_t Hilbert(std::span<const std::uint32_t> point, int bits);

}  // namespace bayou::commands
