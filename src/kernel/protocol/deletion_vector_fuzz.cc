// SPDX-License-Identifier: Apache-2.0
//
// Whatever is decoded can be used, and survives being encoded again.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernel/protocol/deletion_vector.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace bayou::protocol;  // NOLINT
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const DeletionVectorDescriptor inside{
      'i', std::string(bytes), {}, static_cast<std::int32_t>(size / 5 * 4), 1};
  (void)DeletionVector::DecodeInline(inside);
  const DeletionVectorDescriptor in_file{
      'u', "^-aqEH.-t@S}K{vb[*k^", 1, static_cast<std::int32_t>(size) - 8, 1};
  (void)DeletionVector::DecodeBlock(in_file, bytes);

  const auto vector = DeletionVector::Decode(bytes);
  if (!vector) return 0;
  const auto again = DeletionVector::Decode(vector->Encode());
  if (!again || again->Cardinality() != vector->Cardinality()) std::abort();
  if (again->Max() != vector->Max()) std::abort();
  const std::uint64_t last = vector->Max().value_or(0);
  if (vector->Max() && !vector->Contains(last)) std::abort();

  std::array<std::uint32_t, 2048> kept{};
  for (std::uint64_t first : {std::uint64_t{0}, last - (last % kept.size())}) {
    if (first > UINT64_MAX - kept.size()) continue;
    const std::size_t count = vector->Keep(first, kept.size(), kept.data());
    if (count > kept.size()) std::abort();
    for (std::size_t i = 0; i < count; ++i) {
      if (vector->Contains(first + kept[i])) std::abort();
    }
  }
  return 0;
}
