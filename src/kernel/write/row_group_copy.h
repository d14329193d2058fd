// SPDX-License-Identifier: Apache-2.0
//
// One Parquet file of several, row group by row group, without decoding a
// value: which bytes go where, and the footer that describes them there. Plans
// and checks; reads and writes no file.
//
// What a footer says is untrusted. Nothing is planned that reaches outside of a
// file's own data, and no byte is planned twice.
#pragma once

#include <parquet_types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bayou/result.h"

namespace bayou::write {

// A file to be copied. Its data is between the magic number and the footer.
struct CopySource {
  std::string name;           // For messages.
  std::int64_t data_end = 0;  // Where the footer begins.
  const duckdb_parquet::FileMetaData* footer = nullptr;
};

struct CopyRules {
  duckdb_parquet::CompressionCodec::type codec =
      duckdb_parquet::CompressionCodec::SNAPPY;
  // Row groups with fewer rows and fewer bytes, before compression, are worth
  // putting together, which takes decoding. The last one of a file is what was
  // left over, and may be as small as it is.
  std::int64_t min_rows = 0;
  std::int64_t min_bytes = 0;
};

// `length` bytes from `offset` of a source. The new file holds the pieces one
// after the other, behind the magic number.
struct CopiedPiece {
  std::size_t source = 0;
  std::int64_t offset = 0;
  std::int64_t length = 0;
};

struct RowGroupCopy {
  std::vector<CopiedPiece> pieces;
  duckdb_parquet::FileMetaData footer;  // Of the new file.
  std::int64_t data_end = 0;            // Where it begins there.
};

// Why the files have to be decoded to become one; nullopt: they need not be.
// The schemas have to be equal in all, physical and logical types, repetition
// and field ids; so have the writer, by whose name readers decide what they
// believe of statistics, and what Spark notes about calendars.
std::optional<std::string> WhyDecoded(std::span<const CopySource> sources,
                                      const CopyRules& rules);

// For files that WhyDecoded() lets pass. Page indexes and bloom filters, which
// are optional, stay behind. Errors: kCorruption, condition
// DELTA_PARQUET_INVALID, for a footer that contradicts itself or its file.
Result<RowGroupCopy> PlanRowGroupCopy(std::span<const CopySource> sources);

// The end of a Parquet file: the footer, its length and the magic number.
// Errors: kUnsupported for a footer beyond 2 GiB.
Result<std::string> EncodeFooter(const duckdb_parquet::FileMetaData& footer);

}  // namespace bayou::write
