// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/portable_bitmap.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "kernel/protocol/byte_reader.h"

namespace bayou::protocol {
namespace {

constexpr std::uint32_t kCookieWithoutRuns = 12346;
constexpr std::uint32_t kCookieWithRuns = 12347;  // In the lower 16 bits.
constexpr std::size_t kMaxContainers = 1 << 16;
// Bitmaps with runs and fewer containers than this have no table of offsets.
constexpr std::size_t kMinContainersWithOffsets = 4;
constexpr std::uint32_t kMaxArrayCardinality = 4096;
constexpr std::size_t kBitsetSize = 8192;

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kCorruption, "DELTA_DELETION_VECTOR_INVALID",
              std::move(message));
}

// Each of the following reads one container and returns its cardinality, or 0
// when it is not as specified: no container is empty.

std::uint32_t ReadRuns(ByteReader& bytes) {
  const std::uint32_t runs = bytes.U16();
  std::uint32_t cardinality = 0;
  std::uint32_t next = 0;  // The smallest value that the next run may have.
  for (std::uint32_t i = 0; i < runs; ++i) {
    const std::uint32_t start = bytes.U16();
    const std::uint32_t last = start + bytes.U16();
    if (bytes.failed() || start < next || last > 0xffff) return 0;
    cardinality += last - start + 1;
    next = last + 1;
  }
  return cardinality;
}

std::uint32_t ReadArray(ByteReader& bytes, std::uint32_t cardinality) {
  std::int32_t previous = -1;
  for (std::uint32_t i = 0; i < cardinality; ++i) {
    const std::int32_t value = bytes.U16();
    if (bytes.failed() || value <= previous) return 0;
    previous = value;
  }
  return cardinality;
}

std::uint32_t ReadBitset(ByteReader& bytes) {
  const std::string_view bits = bytes.Take(kBitsetSize);
  std::uint32_t cardinality = 0;
  for (std::size_t at = 0; at < bits.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bits.data() + at, sizeof word);
    cardinality += static_cast<std::uint32_t>(std::popcount(word));
  }
  return cardinality;
}

bool HasRuns(std::string_view run_flags, std::size_t container) {
  if (run_flags.empty()) return false;
  return (run_flags[container / 8] >> (container % 8) & 1) != 0;
}

}  // namespace

Result<std::size_t> PortableBitmapSize(std::string_view all) {
  ByteReader bytes(all);
  const std::uint32_t cookie = bytes.U32();
  std::size_t containers = 0;
  std::string_view run_flags;
  if ((cookie & 0xffff) == kCookieWithRuns) {
    containers = (cookie >> 16) + 1;
    run_flags = bytes.Take((containers + 7) / 8);
  } else if (cookie == kCookieWithoutRuns) {
    containers = bytes.U32();
  } else {
    return Invalid("a bitmap begins with the unknown cookie " +
                   std::to_string(cookie));
  }
  if (containers > kMaxContainers) {
    return Invalid("a bitmap claims to have " + std::to_string(containers) +
                   " containers");
  }
  ByteReader headers(bytes.Take(containers * 4));
  ByteReader offsets({});
  const bool has_offsets =
      run_flags.empty() || containers >= kMinContainersWithOffsets;
  if (has_offsets) offsets = ByteReader(bytes.Take(containers * 4));
  if (bytes.failed()) return Invalid("a bitmap ends in its header");

  std::int32_t previous_key = -1;
  for (std::size_t i = 0; i < containers; ++i) {
    const std::int32_t key = headers.U16();
    const std::uint32_t cardinality = headers.U16() + 1u;
    if (key <= previous_key) return Invalid("container keys do not ascend");
    previous_key = key;
    if (has_offsets && offsets.U32() != all.size() - bytes.rest().size()) {
      return Invalid("container " + std::to_string(i) +
                     " is not at its offset");
    }
    std::uint32_t found = 0;
    if (HasRuns(run_flags, i)) {
      found = ReadRuns(bytes);
    } else if (cardinality <= kMaxArrayCardinality) {
      found = ReadArray(bytes, cardinality);
    } else {
      found = ReadBitset(bytes);
    }
    if (bytes.failed()) return Invalid("a bitmap ends in a container");
    if (found != cardinality) {
      return Invalid("container " + std::to_string(i) +
                     " is unordered or has another number of values than " +
                     std::to_string(cardinality));
    }
  }
  return all.size() - bytes.rest().size();
}

}  // namespace bayou::protocol
