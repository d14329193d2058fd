// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/deletion_vector.h"

#include <roaring/roaring.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/z85.h"
#include "kernel/protocol/byte_reader.h"
#include "kernel/protocol/crc32.h"
#include "kernel/protocol/portable_bitmap.h"

namespace bayou::protocol {
namespace {

constexpr std::uint32_t kPortableMagic = 1681511377;
constexpr std::uint32_t kNativeMagic = 1681511376;
constexpr std::uint64_t kBucketSize = std::uint64_t{1} << 32;

struct FreeBitmap {
  void operator()(roaring_bitmap_t* bitmap) const {
    roaring_bitmap_free(bitmap);
  }
};
using Bucket = std::unique_ptr<roaring_bitmap_t, FreeBitmap>;

std::uint32_t High(std::uint64_t row) {
  return static_cast<std::uint32_t>(row >> 32);
}
std::uint32_t Low(std::uint64_t row) { return static_cast<std::uint32_t>(row); }

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kCorruption, "DELTA_DELETION_VECTOR_INVALID",
              std::move(message));
}

template <typename Unsigned>
void AppendLittleEndian(std::string& out, Unsigned value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out += static_cast<char>(value >> (8 * i) & 0xff);
  }
}

void AppendBigEndian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>(value >> shift & 0xff);
  }
}

std::uint32_t BigEndian(std::string_view four_bytes) {
  std::uint32_t value = 0;
  for (char c : four_bytes) value = value << 8 | static_cast<std::uint8_t>(c);
  return value;
}

// Writes `size` numbers from `first` on. Blocks of a fixed size are what the
// compiler vectorizes; most vectors of rows have no deleted one.
void WriteNumbers(std::uint32_t* out, std::size_t size, std::uint32_t first) {
  constexpr std::uint32_t kBlock = 64;
  for (; size >= kBlock; size -= kBlock, out += kBlock, first += kBlock) {
    for (std::uint32_t i = 0; i < kBlock; ++i) out[i] = first + i;
  }
  for (std::uint32_t i = 0; i < size; ++i) out[i] = first + i;
}

// Takes the 32-bit bitmap at the front of `bytes`.
Result<Bucket> TakeBucket(ByteReader& bytes) {
  BAYOU_ASSIGN(const std::size_t size, PortableBitmapSize(bytes.rest()));
  const std::string_view stored = bytes.Take(size);
  Bucket bucket(
      roaring_bitmap_portable_deserialize_safe(stored.data(), stored.size()));
  if (!bucket) return Invalid("a bitmap cannot be read");
  return bucket;
}

Result<DeletionVector> DecodeAndCount(
    std::string_view bitmap, const DeletionVectorDescriptor& descriptor) {
  BAYOU_ASSIGN(DeletionVector vector, DeletionVector::Decode(bitmap));
  const std::uint64_t rows = vector.Cardinality();
  if (std::cmp_not_equal(rows, descriptor.cardinality)) {
    return Invalid("it deletes " + std::to_string(rows) +
                   " rows where the log says " +
                   std::to_string(descriptor.cardinality));
  }
  return vector;
}

// Puts in front of a fault which vector it is about.
Error Located(const DeletionVectorDescriptor& descriptor, Error error) {
  std::string place = "inline deletion vector";
  if (descriptor.storage_type != 'i') {
    const auto path = descriptor.FilePath();
    place = "deletion vector " + path.value_or(descriptor.path_or_inline_dv) +
            " at offset " + std::to_string(descriptor.offset.value_or(0));
  }
  error.message = place + ": " + error.message;
  return error;
}

// The bitmap in a vector's file form, checked against the descriptor.
Result<std::string_view> BitmapOfBlock(
    const DeletionVectorDescriptor& descriptor, std::string_view block) {
  ByteReader bytes(block);
  const std::uint32_t size = BigEndian(bytes.Take(sizeof(std::uint32_t)));
  if (bytes.failed()) return Invalid("its file ends before it");
  if (std::cmp_not_equal(size, descriptor.size_in_bytes)) {
    return Invalid("it is " + std::to_string(size) +
                   " bytes long where the log says " +
                   std::to_string(descriptor.size_in_bytes));
  }
  const std::string_view bitmap = bytes.Take(size);
  const std::uint32_t checksum = BigEndian(bytes.Take(sizeof(std::uint32_t)));
  if (bytes.failed()) return Invalid("its file ends within it");
  if (checksum != Crc32(bitmap)) return Invalid("its checksum does not match");
  return bitmap;
}

Result<std::string> InlineBitmap(const DeletionVectorDescriptor& descriptor) {
  BAYOU_ASSIGN(std::string bytes, Z85Decode(descriptor.path_or_inline_dv));
  // Z85 knows multiples of four bytes only, so up to three are padding.
  const auto size = static_cast<std::size_t>(descriptor.size_in_bytes);
  if (size > bytes.size() || bytes.size() - size >= 4) {
    return Invalid("it is " + std::to_string(bytes.size()) +
                   " bytes long where the log says " + std::to_string(size));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

// One 32-bit bitmap for each upper half of a row number; none is empty.
struct DeletionVector::Bitmap {
  std::map<std::uint32_t, Bucket> buckets;

  roaring_bitmap_t* At(std::uint32_t key) {
    Bucket& bucket = buckets[key];
    if (!bucket) bucket.reset(roaring_bitmap_create());
    return bucket.get();
  }

  void Insert(std::uint32_t key, Bucket bucket) {
    if (!roaring_bitmap_is_empty(bucket.get())) {
      buckets.insert_or_assign(key, std::move(bucket));
    }
  }

  // A count of 64 bits, and for each bitmap its key of 32 bits and itself.
  Status ReadPortable(ByteReader& bytes) {
    const std::uint64_t count = bytes.U64();
    std::optional<std::uint32_t> previous;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t key = bytes.U32();
      if (bytes.failed()) return Invalid("it ends before its last bitmap");
      if (previous && key <= *previous) return Invalid("keys do not ascend");
      previous = key;
      BAYOU_ASSIGN(Bucket bucket, TakeBucket(bytes));
      Insert(key, std::move(bucket));
    }
    return {};
  }

  // A count of 32 bits, and for each key from 0 the bitmap's size and itself.
  Status ReadNative(ByteReader& bytes) {
    const std::uint32_t count = bytes.U32();
    for (std::uint32_t key = 0; key < count; ++key) {
      const std::uint32_t size = bytes.U32();
      ByteReader one(bytes.Take(size));
      if (bytes.failed()) return Invalid("it ends before its last bitmap");
      BAYOU_ASSIGN(Bucket bucket, TakeBucket(one));
      if (!one.rest().empty()) return Invalid("a bitmap has another size");
      Insert(key, std::move(bucket));
    }
    return {};
  }
};

DeletionVector::DeletionVector() : bitmap_(std::make_unique<Bitmap>()) {}
DeletionVector::DeletionVector(DeletionVector&&) noexcept = default;
DeletionVector& DeletionVector::operator=(DeletionVector&&) noexcept = default;
DeletionVector::~DeletionVector() = default;

Result<DeletionVector> DeletionVector::Decode(std::string_view bitmap) {
  ByteReader bytes(bitmap);
  const std::uint32_t magic = bytes.U32();
  DeletionVector vector;
  if (magic == kPortableMagic) {
    BAYOU_TRY(vector.bitmap_->ReadPortable(bytes));
  } else if (magic == kNativeMagic) {
    BAYOU_TRY(vector.bitmap_->ReadNative(bytes));
  } else {
    return Invalid("it begins with the unknown magic number " +
                   std::to_string(magic));
  }
  if (bytes.failed()) return Invalid("it ends in its header");
  if (!bytes.rest().empty()) return Invalid("bytes are left over behind it");
  return vector;
}

Result<DeletionVector> DeletionVector::DecodeInline(
    const DeletionVectorDescriptor& descriptor) {
  return InlineBitmap(descriptor)
      .and_then([&](const std::string& bitmap) {
        return DecodeAndCount(bitmap, descriptor);
      })
      .map_error(
          [&](Error error) { return Located(descriptor, std::move(error)); });
}

Result<DeletionVector> DeletionVector::DecodeBlock(
    const DeletionVectorDescriptor& descriptor, std::string_view block) {
  return BitmapOfBlock(descriptor, block)
      .and_then([&](std::string_view bitmap) {
        return DecodeAndCount(bitmap, descriptor);
      })
      .map_error(
          [&](Error error) { return Located(descriptor, std::move(error)); });
}

bool DeletionVector::Contains(std::uint64_t row) const {
  const auto bucket = bitmap_->buckets.find(High(row));
  return bucket != bitmap_->buckets.end() &&
         roaring_bitmap_contains(bucket->second.get(), Low(row));
}

bool DeletionVector::Intersects(const DeletionVector& other) const {
  return std::ranges::any_of(bitmap_->buckets, [&](const auto& entry) {
    const auto theirs = other.bitmap_->buckets.find(entry.first);
    return theirs != other.bitmap_->buckets.end() &&
           roaring_bitmap_intersect(entry.second.get(), theirs->second.get());
  });
}

bool DeletionVector::Add(std::uint64_t row) {
  return roaring_bitmap_add_checked(bitmap_->At(High(row)), Low(row));
}

void DeletionVector::AddRange(std::uint64_t first, std::uint64_t end) {
  while (first < end) {
    const std::uint64_t last = std::min(end - 1, first | (kBucketSize - 1));
    roaring_bitmap_add_range_closed(bitmap_->At(High(first)), Low(first),
                                    Low(last));
    if (last == std::numeric_limits<std::uint64_t>::max()) return;
    first = last + 1;
  }
}

std::uint64_t DeletionVector::Cardinality() const {
  std::uint64_t rows = 0;
  for (const auto& [key, bucket] : bitmap_->buckets) {
    rows += roaring_bitmap_get_cardinality(bucket.get());
  }
  return rows;
}

std::optional<std::uint64_t> DeletionVector::Max() const {
  if (bitmap_->buckets.empty()) return std::nullopt;
  const auto& [key, bucket] = *bitmap_->buckets.rbegin();
  return std::uint64_t{key} << 32 | roaring_bitmap_maximum(bucket.get());
}

void DeletionVector::Merge(const DeletionVector& other) {
  for (const auto& [key, bucket] : other.bitmap_->buckets) {
    roaring_bitmap_or_inplace(bitmap_->At(key), bucket.get());
  }
}

void DeletionVector::Subtract(const DeletionVector& other) {
  if (&other == this) {
    bitmap_->buckets.clear();
    return;
  }
  for (const auto& [key, bucket] : other.bitmap_->buckets) {
    const auto mine = bitmap_->buckets.find(key);
    if (mine == bitmap_->buckets.end()) continue;
    roaring_bitmap_andnot_inplace(mine->second.get(), bucket.get());
    if (roaring_bitmap_is_empty(mine->second.get())) {
      bitmap_->buckets.erase(mine);
    }
  }
}

std::size_t DeletionVector::Keep(std::uint64_t first, std::size_t count,
                                 std::uint32_t* kept) const {
  const std::uint64_t end = first + count;
  std::uint32_t* out = kept;
  std::uint64_t next = first;  // The first row that is not decided yet.
  const auto keep_until = [&](std::uint64_t row) {
    const auto size = static_cast<std::size_t>(row - next);
    WriteNumbers(out, size, static_cast<std::uint32_t>(next - first));
    out += size;
    next = row;
  };
  for (auto bucket = bitmap_->buckets.lower_bound(High(first));
       bucket != bitmap_->buckets.end(); ++bucket) {
    const std::uint64_t base = std::uint64_t{bucket->first} << 32;
    if (base >= end) break;
    roaring_uint32_iterator_t deleted;
    roaring_init_iterator(bucket->second.get(), &deleted);
    if (next > base) {
      roaring_move_uint32_iterator_equalorlarger(&deleted, Low(next));
    }
    for (; deleted.has_value && base + deleted.current_value < end;
         roaring_advance_uint32_iterator(&deleted)) {
      keep_until(base + deleted.current_value);
      ++next;
    }
  }
  keep_until(end);
  return static_cast<std::size_t>(out - kept);
}

std::string DeletionVector::Encode() const {
  std::string out;
  AppendLittleEndian(out, kPortableMagic);
  AppendLittleEndian(out, std::uint64_t{bitmap_->buckets.size()});
  for (const auto& [key, bucket] : bitmap_->buckets) {
    const Bucket compact(roaring_bitmap_copy(bucket.get()));
    roaring_bitmap_run_optimize(compact.get());
    AppendLittleEndian(out, key);
    const std::size_t at = out.size();
    out.resize(at + roaring_bitmap_portable_size_in_bytes(compact.get()));
    roaring_bitmap_portable_serialize(compact.get(), out.data() + at);
  }
  return out;
}

std::string DeletionVector::EncodeBlock() const {
  const std::string bitmap = Encode();
  std::string block;
  AppendBigEndian(block, static_cast<std::uint32_t>(bitmap.size()));
  block += bitmap;
  AppendBigEndian(block, Crc32(bitmap));
  return block;
}

DeletionVectorDescriptor DeletionVector::EncodeInline() const {
  std::string bitmap = Encode();
  DeletionVectorDescriptor descriptor;
  descriptor.storage_type = 'i';
  descriptor.size_in_bytes = static_cast<std::int32_t>(bitmap.size());
  descriptor.cardinality = static_cast<std::int64_t>(Cardinality());
  // Z85 knows multiples of four bytes only.
  bitmap.resize((bitmap.size() + 3) / 4 * 4);
  descriptor.path_or_inline_dv = Z85Encode(bitmap);
  return descriptor;
}

}  // namespace bayou::protocol
