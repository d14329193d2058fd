// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/deletion_vector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "base/z85.h"
#include "kernel/protocol/crc32.h"

namespace bayou::protocol {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kMagic = 1681511377;

// Builds stored bytes number by number.
class Bytes {
 public:
  Bytes& U16(std::uint32_t value) { return Append(value, 2); }
  Bytes& U32(std::uint64_t value) { return Append(value, 4); }
  Bytes& U64(std::uint64_t value) { return Append(value, 8); }
  Bytes& Raw(const std::string& text) {
    text_ += text;
    return *this;
  }
  operator std::string() const { return text_; }  // NOLINT: a builder's result.

 private:
  Bytes& Append(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) text_ += static_cast<char>(value >> 8 * i);
    return *this;
  }
  std::string text_;
};

// A 32-bit bitmap of one array container.
std::string Array(std::uint32_t key, const std::vector<std::uint32_t>& rows) {
  Bytes bytes;
  bytes.U32(12346).U32(1).U16(key).U16(static_cast<std::uint32_t>(rows.size()) -
                                       1);
  bytes.U32(16);
  for (std::uint32_t row : rows) bytes.U16(row);
  return bytes;
}

// A 32-bit bitmap of one run container; each run is a start and a length - 1.
std::string Runs(
    std::uint32_t cardinality,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& runs) {
  Bytes bytes;
  bytes.U32(12347).Raw("\1").U16(0).U16(cardinality - 1);
  bytes.U16(static_cast<std::uint32_t>(runs.size()));
  for (const auto& [start, more] : runs) bytes.U16(start).U16(more);
  return bytes;
}

std::string Vector(const std::string& bitmap) {
  return Bytes().U32(kMagic).U64(1).U32(0).Raw(bitmap);
}

std::vector<std::uint64_t> Rows(const DeletionVector& vector) {
  std::vector<std::uint64_t> rows;
  const std::uint64_t end = vector.Max().value_or(0) + 1;
  for (std::uint64_t row = 0; row < end; ++row) {
    if (vector.Contains(row)) rows.push_back(row);
  }
  return rows;
}

DeletionVectorDescriptor Inline(std::string text, int size, int cardinality) {
  return {'i', std::move(text), std::nullopt, size, cardinality};
}

DeletionVectorDescriptor InFile(const std::string& bitmap, int cardinality) {
  return {'u', "^-aqEH.-t@S}K{vb[*k^", 1,
          static_cast<std::int32_t>(bitmap.size()), cardinality};
}

std::string BigEndian(std::uint32_t value) {
  std::string text = Bytes().U32(value);
  return {text.rbegin(), text.rend()};
}

std::string Block(const std::string& bitmap) {
  return BigEndian(static_cast<std::uint32_t>(bitmap.size())) + bitmap +
         BigEndian(Crc32(bitmap));
}

TEST(Crc32, AgreesWithTheCheckValueOfItsDefinition) {
  EXPECT_EQ(Crc32("123456789"), 0xcbf43926u);
  EXPECT_EQ(Crc32(""), 0u);
}

TEST(DeletionVector, DecodesWhatOthersKeepInline) {
  const auto two = DeletionVector::DecodeInline(
      Inline("^Bg9^0rr910000000000iXQKl0rr91000315c8Xg000r9", 36, 2));
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_THAT(Rows(*two), ElementsAre(0, 9));
  const auto six = DeletionVector::DecodeInline(
      Inline("^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", 44, 6));
  ASSERT_TRUE(six) << six.error().message;
  EXPECT_THAT(Rows(*six), ElementsAre(3, 4, 7, 11, 18, 29));
}

TEST(DeletionVector, DropsThePaddingOfInlineBytes) {
  const std::string bitmap = Vector(Array(0, {1, 2, 3}));
  ASSERT_EQ(bitmap.size() % 4, 2u);
  const auto size = static_cast<int>(bitmap.size());
  const auto vector = DeletionVector::DecodeInline(
      Inline(Z85Encode(bitmap + "\0\0"s), size, 3));
  ASSERT_TRUE(vector) << vector.error().message;
  EXPECT_THAT(Rows(*vector), ElementsAre(1, 2, 3));
}

TEST(DeletionVector, RefusesTheInlineExampleOfTheSpecification) {
  // Its bytes are in the other order; no rows deleted would be the wrong
  // answer.
  const auto vector = DeletionVector::DecodeInline(
      Inline("wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", 40, 6));
  ASSERT_FALSE(vector);
  EXPECT_THAT(vector.error().message,
              HasSubstr("inline deletion vector: it begins with"));
}

TEST(DeletionVector, RefusesInlineBytesThatDoNotFitTheDescriptor) {
  const std::string text = "^Bg9^0rr910000000000iXQKl0rr91000315c8Xg000r9";
  EXPECT_FALSE(DeletionVector::DecodeInline(Inline(text, 36, 1)));
  EXPECT_FALSE(DeletionVector::DecodeInline(Inline(text, 40, 2)));
  EXPECT_FALSE(DeletionVector::DecodeInline(Inline(text, 32, 2)));
  EXPECT_FALSE(DeletionVector::DecodeInline(Inline(text, 35, 2)));
  EXPECT_FALSE(DeletionVector::DecodeInline(Inline(text, 0, 2)));
  EXPECT_FALSE(DeletionVector::DecodeInline(Inline(text + "abcde", 36, 2)));
  EXPECT_FALSE(DeletionVector::DecodeInline(Inline("", 0, 0)));
  EXPECT_FALSE(DeletionVector::DecodeInline(Inline(text + "!", 36, 2)));
}

TEST(DeletionVector, DecodesEveryKindOfContainer) {
  std::vector<std::uint32_t> full(4096);
  std::iota(full.begin(), full.end(), 7u);
  std::string bits(8192, '\0');
  for (std::size_t i = 0; i < 4097; ++i) bits[i] = '\1';
  const auto array = DeletionVector::Decode(Vector(Array(0, full)));
  ASSERT_TRUE(array) << array.error().message;
  EXPECT_EQ(array->Cardinality(), 4096u);
  EXPECT_EQ(array->Max(), 4102u);
  const auto bitset = DeletionVector::Decode(
      Vector(Bytes().U32(12346).U32(1).U16(2).U16(4096).U32(16).Raw(bits)));
  ASSERT_TRUE(bitset) << bitset.error().message;
  EXPECT_EQ(bitset->Cardinality(), 4097u);
  EXPECT_TRUE(bitset->Contains((2 << 16) + 8 * 4096));
  EXPECT_FALSE(bitset->Contains((2 << 16) + 8 * 4096 + 1));
  const auto runs =
      DeletionVector::Decode(Vector(Runs(5, {{1, 2}, {9, 0}, {65535, 0}})));
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_THAT(Rows(*runs), ElementsAre(1, 2, 3, 9, 65535));
  const auto all = DeletionVector::Decode(Vector(Runs(65536, {{0, 65535}})));
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->Cardinality(), 65536u);
}

TEST(DeletionVector, DecodesSeveralBitmapsAndEmptyOnes) {
  const std::string empty = Bytes().U32(12346).U32(0);
  const std::string bytes = Bytes()
                                .U32(kMagic)
                                .U64(3)
                                .U32(0)
                                .Raw(empty)
                                .U32(1)
                                .Raw(Array(0, {5}))
                                .U32(7)
                                .Raw(Array(1, {0}));
  const auto vector = DeletionVector::Decode(bytes);
  ASSERT_TRUE(vector) << vector.error().message;
  EXPECT_EQ(vector->Cardinality(), 2u);
  EXPECT_TRUE(vector->Contains((1ull << 32) + 5));
  EXPECT_EQ(vector->Max(), (7ull << 32) + 65536);
  const auto nothing =
      DeletionVector::Decode(std::string(Bytes().U32(kMagic).U64(0)));
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->Max(), std::nullopt);
}

TEST(DeletionVector, DecodesTheOlderFormat) {
  const std::string first = Array(0, {1, 4});
  const std::string second = Array(0, {2});
  const std::string bytes = Bytes()
                                .U32(kMagic - 1)
                                .U32(2)
                                .U32(first.size())
                                .Raw(first)
                                .U32(second.size())
                                .Raw(second);
  const auto vector = DeletionVector::Decode(bytes);
  ASSERT_TRUE(vector) << vector.error().message;
  EXPECT_EQ(vector->Cardinality(), 3u);
  EXPECT_TRUE(vector->Contains(4));
  EXPECT_TRUE(vector->Contains((1ull << 32) + 2));
}

struct Broken {
  std::string name;
  std::string bytes;
};

class DecodeRefuses : public ::testing::TestWithParam<Broken> {};

TEST_P(DecodeRefuses, DamagedBytes) {
  const auto vector = DeletionVector::Decode(GetParam().bytes);
  ASSERT_FALSE(vector);
  EXPECT_EQ(vector.error().code, ErrorCode::kCorruption);
  EXPECT_EQ(vector.error().condition, "DELTA_DELETION_VECTOR_INVALID");
}

std::string TwoContainers(std::uint32_t first, std::uint32_t second,
                          std::uint32_t offset) {
  return Vector(Bytes()
                    .U32(12346)
                    .U32(2)
                    .U16(first)
                    .U16(0)
                    .U16(second)
                    .U16(0)
                    .U32(24)
                    .U32(offset)
                    .U16(1)
                    .U16(1));
}

INSTANTIATE_TEST_SUITE_P(
    , DecodeRefuses,
    ::testing::Values(
        Broken{"Nothing", ""}, Broken{"ThreeBytes", "abc"},
        Broken{"Magic", Bytes().U32(kMagic + 1).U64(0)},
        Broken{"NoCount", Bytes().U32(kMagic)},
        Broken{"HalfACount", Bytes().U32(kMagic).U32(0)},
        Broken{"MoreBitmapsThanBytes",
               Bytes().U32(kMagic).U64(1ull << 40).U32(0).Raw(Array(0, {1}))},
        Broken{"MostBitmaps", Bytes().U32(kMagic).U64(~0ull)},
        Broken{"LeftOver", Vector(Array(0, {1})) + "x"},
        Broken{"KeyTwice", Bytes()
                               .U32(kMagic)
                               .U64(2)
                               .U32(3)
                               .Raw(Array(0, {1}))
                               .U32(3)
                               .Raw(Array(0, {1}))},
        Broken{"KeysDescend", Bytes()
                                  .U32(kMagic)
                                  .U64(2)
                                  .U32(3)
                                  .Raw(Array(0, {1}))
                                  .U32(2)
                                  .Raw(Array(0, {1}))},
        Broken{"NoBitmap", Bytes().U32(kMagic).U64(1).U32(0)},
        Broken{"Cookie", Vector(Bytes().U32(12345).U32(0))},
        Broken{"HighCookieBits", Vector(Bytes().U32(12346 | 1 << 16).U32(0))},
        Broken{"TooManyContainers", Vector(Bytes().U32(12346).U32(65537))},
        Broken{"MostContainers", Vector(Bytes().U32(12346).U32(~0u))},
        Broken{"ContainersWithoutBytes", Vector(Bytes().U32(12346).U32(65536))},
        Broken{"RunFlagsCut",
               Vector(Bytes().U32(12347 | 0xffffu << 16).U32(0))},
        Broken{"ArrayCut",
               Vector(Bytes().U32(12346).U32(1).U16(0).U16(1).U32(16).U16(1))},
        Broken{"ArrayDescends", Vector(Array(0, {2, 1}))},
        Broken{"ValueTwice", Vector(Array(0, {1, 1}))},
        Broken{"BitsetCut",
               Vector(Bytes().U32(12346).U32(1).U16(0).U16(4096).U32(16).Raw(
                   std::string(8191, '\1')))},
        Broken{"BitsetCardinality",
               Vector(Bytes().U32(12346).U32(1).U16(0).U16(4096).U32(16).Raw(
                   std::string(8192, '\1')))},
        Broken{"RunsOverlap", Vector(Runs(5, {{1, 2}, {3, 1}}))},
        Broken{"RunsDescend", Vector(Runs(2, {{5, 0}, {1, 0}}))},
        Broken{"RunPastTheEnd", Vector(Runs(2, {{65535, 1}}))},
        Broken{"RunCardinality", Vector(Runs(4, {{1, 1}}))},
        Broken{"NoRuns", Vector(Runs(65536, {}))},
        Broken{
            "RunsCut",
            Vector(Bytes().U32(12347).Raw("\1").U16(0).U16(3).U16(2).U16(1).U16(
                1))},
        Broken{"ContainerTwice", TwoContainers(1, 1, 26)},
        Broken{"ContainersDescend", TwoContainers(2, 1, 26)},
        Broken{"Offset", TwoContainers(1, 2, 24)},
        Broken{"OffsetFarAway", TwoContainers(1, 2, ~0u)},
        Broken{"OlderFormatSize",
               Bytes().U32(kMagic - 1).U32(1).U32(19).Raw(Array(0, {1}))},
        Broken{
            "OlderFormatSpace",
            Bytes().U32(kMagic - 1).U32(1).U32(20).Raw(Array(0, {1}) + "xx")},
        Broken{"OlderFormatCount",
               Bytes().U32(kMagic - 1).U32(~0u).U32(18).Raw(Array(0, {1}))}),
    [](const auto& test) { return test.param.name; });

TEST(DeletionVector, DecodesNoPrefixOfItself) {
  const std::string bytes = Bytes()
                                .U32(kMagic)
                                .U64(2)
                                .U32(0)
                                .Raw(Array(0, {1, 5}))
                                .U32(1)
                                .Raw(Runs(3, {{1, 2}}));
  ASSERT_TRUE(DeletionVector::Decode(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DeletionVector::Decode(bytes.substr(0, size))) << size;
  }
}

TEST(DeletionVector, ChecksTheBlockOfAFile) {
  const std::string bitmap = Vector(Array(0, {3, 4, 7}));
  const auto descriptor = InFile(bitmap, 3);
  const std::string block = Block(bitmap);
  const auto vector =
      DeletionVector::DecodeBlock(descriptor, block + "the next vector");
  ASSERT_TRUE(vector) << vector.error().message;
  EXPECT_THAT(Rows(*vector), ElementsAre(3, 4, 7));
  for (std::size_t size = 0; size < block.size(); ++size) {
    EXPECT_FALSE(DeletionVector::DecodeBlock(descriptor, block.substr(0, size)))
        << size;
  }
  for (std::size_t bit = 0; bit < block.size() * 8; ++bit) {
    std::string flipped = block;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(DeletionVector::DecodeBlock(descriptor, flipped)) << bit;
  }
  EXPECT_FALSE(DeletionVector::DecodeBlock(InFile(bitmap, 2), block));
  const auto failed =
      DeletionVector::DecodeBlock(InFile(bitmap + "x", 3), block);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message,
              HasSubstr("deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61."
                        "bin at offset 1"));
}

DeletionVector Of(const std::vector<std::uint64_t>& rows) {
  DeletionVector vector;
  for (std::uint64_t row : rows) vector.Add(row);
  return vector;
}

TEST(DeletionVector, DecodesWhatItEncodes) {
  DeletionVector vector = Of({0, 5, 70'000, 1ull << 32, ~0ull});
  vector.AddRange(100'000, 300'000);
  vector.AddRange((3ull << 32) - 2, (3ull << 32) + 2);
  for (std::uint64_t row = 400'000; row < 500'000; row += 3) vector.Add(row);
  const auto again = DeletionVector::Decode(vector.Encode());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->Encode(), vector.Encode());
  EXPECT_EQ(again->Cardinality(), 5u + 200'000 + 4 + 33'334);
  EXPECT_EQ(again->Max(), ~0ull);
  EXPECT_TRUE(again->Contains((3ull << 32) + 1));
  EXPECT_FALSE(again->Contains((3ull << 32) + 2));
  const std::string bitmap = vector.Encode();
  EXPECT_EQ(vector.EncodeBlock(), Block(bitmap));
  EXPECT_TRUE(DeletionVector::Decode(DeletionVector().Encode()));
}

TEST(DeletionVector, AddsRangesToTheVeryEnd) {
  DeletionVector vector;
  vector.AddRange(5, 5);
  vector.AddRange(6, 5);
  EXPECT_EQ(vector.Cardinality(), 0u);
  vector.AddRange(~0ull - 2, ~0ull);
  EXPECT_EQ(vector.Cardinality(), 2u);
  EXPECT_EQ(vector.Max(), ~0ull - 1);
}

TEST(DeletionVector, MergesAndSubtracts) {
  DeletionVector vector = Of({1, 2, 1ull << 33});
  vector.Merge(Of({2, 3, 1ull << 34}));
  EXPECT_EQ(vector.Cardinality(), 5u);
  vector.Merge(vector);
  EXPECT_EQ(vector.Cardinality(), 5u);
  vector.Subtract(Of({2, 1ull << 34, 1ull << 35}));
  EXPECT_EQ(vector.Max(), 1ull << 33);
  vector.Subtract(Of({1ull << 33}));
  EXPECT_THAT(Rows(vector), ElementsAre(1, 3));
  vector.Subtract(vector);
  EXPECT_EQ(vector.Max(), std::nullopt);
}

std::vector<std::uint32_t> Kept(const DeletionVector& vector,
                                std::uint64_t first, std::size_t count) {
  std::vector<std::uint32_t> kept(count);
  kept.resize(vector.Keep(first, count, kept.data()));
  return kept;
}

TEST(Keep, GivesOffsetsOfRowsThatAreNotDeleted) {
  const DeletionVector vector = Of({0, 3, 4, 9, 1ull << 32});
  EXPECT_THAT(Kept(vector, 0, 6), ElementsAre(1, 2, 5));
  EXPECT_THAT(Kept(vector, 3, 2), IsEmpty());
  EXPECT_THAT(Kept(vector, 5, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Kept(vector, 9, 2), ElementsAre(1));
  EXPECT_THAT(Kept(vector, 100, 2), ElementsAre(0, 1));
  EXPECT_THAT(Kept(vector, (1ull << 32) - 1, 3), ElementsAre(0, 2));
  EXPECT_THAT(Kept(DeletionVector(), 7, 2), ElementsAre(0, 1));
  EXPECT_THAT(Kept(vector, 0, 0), IsEmpty());
}

TEST(Keep, AgreesWithContains) {
  std::mt19937_64 random(7);
  DeletionVector vector;
  for (int i = 0; i < 3000; ++i) vector.Add(random() % 200'000);
  vector.AddRange(60'000, 70'000);
  for (std::uint64_t first = 0; first < 210'000; first += 2048) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < 2048; ++i) {
      if (!vector.Contains(first + i)) expected.push_back(i);
    }
    ASSERT_EQ(Kept(vector, first, 2048), expected) << first;
  }
}

}  // namespace
}  // namespace bayou::protocol
