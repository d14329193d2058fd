// SPDX-License-Identifier: Apache-2.0
//
// Where a file's deletion vector is stored. Protocol: "Deletion Vectors".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bayou/result.h"

namespace bayou::protocol {

struct DeletionVectorDescriptor {
  char storage_type =
      'u';  // 'u' relative by UUID, 'p' absolute path, 'i' inline.
  std::string path_or_inline_dv;
  std::optional<std::int32_t> offset;  // Of the size field in the file.
  std::int32_t size_in_bytes = 0;      // Of the bitmap, without size and CRC.
  std::int64_t cardinality = 0;        // Rows deleted.

  // `<storageType><pathOrInlineDv>[@offset]`.
  std::string UniqueId() const;

  // The path of the file that holds the bitmap, decoded, relative to the table
  // for 'u' (`[prefix/]deletion_vector_<uuid>.bin`), absolute for 'p'.
  // Errors: kCorruption for a bad Z85 UUID; kInvalidArgument for 'i'.
  Result<std::string> FilePath() const;

  // The path_or_inline_dv of storage type 'u' for the file
  // `deletion_vector_<uuid>.bin`. `uuid` as in base/env.h.
  static std::string PathOfUuid(std::string_view uuid);

  bool operator==(const DeletionVectorDescriptor&) const = default;
};

}  // namespace bayou::protocol
