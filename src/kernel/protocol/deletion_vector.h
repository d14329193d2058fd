// SPDX-License-Identifier: Apache-2.0
//
// The set of deleted rows of one data file, and its stored forms.
//
// Rows are 0-based physical positions in the Parquet file, whatever row groups
// or pages a reader skips. Protocol: "Deletion Vector Format".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bayou/result.h"
#include "kernel/protocol/deletion_vector_descriptor.h"

namespace bayou::protocol {

class DeletionVector {
 public:
  DeletionVector();
  DeletionVector(DeletionVector&&) noexcept;
  DeletionVector& operator=(DeletionVector&&) noexcept;
  ~DeletionVector();

  // Decodes the bitmap bytes (magic number first). Never trusts a count: sizes
  // are checked before anything is allocated.
  // Errors: kCorruption, condition DELTA_DELETION_VECTOR_INVALID: wrong magic,
  // truncated, keys out of order, bytes left over, containers inconsistent.
  static Result<DeletionVector> Decode(std::string_view bitmap);

  // Decodes what `descriptor` stores inline, or what `block` holds: the bytes
  // of its file from `offset` on: size, bitmap, CRC-32. Checks size, CRC and
  // cardinality against the descriptor.
  static Result<DeletionVector> DecodeInline(
      const DeletionVectorDescriptor& descriptor);
  static Result<DeletionVector> DecodeBlock(
      const DeletionVectorDescriptor& descriptor, std::string_view block);

  bool Contains(std::uint64_t row) const;
  bool Intersects(const DeletionVector& other) const;
  bool Add(std::uint64_t row);  // False when it was there.
  void AddRange(std::uint64_t first, std::uint64_t end);
  std::uint64_t Cardinality() const;
  // The largest row, or nullopt when empty.
  std::optional<std::uint64_t> Max() const;
  // Union with `other`, difference to `other`.
  void Merge(const DeletionVector& other);
  void Subtract(const DeletionVector& other);

  // Writes the positions in [first, first + count) that are NOT deleted to
  // `kept` (as offsets from `first`) and returns how many there are.
  std::size_t Keep(std::uint64_t first, std::size_t count,
                   std::uint32_t* kept) const;

  // The bitmap bytes, magic number first (64-bit portable roaring).
  std::string Encode() const;
  // The file form of one vector: size, bitmap, CRC-32.
  std::string EncodeBlock() const;
  // With the bitmap in the descriptor itself.
  DeletionVectorDescriptor EncodeInline() const;

 private:
  struct Bitmap;
  std::unique_ptr<Bitmap> bitmap_;
};

}  // namespace bayou::protocol
