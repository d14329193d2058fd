// SPDX-License-Identifier: Apache-2.0
//
// The portable format of 32-bit roaring bitmaps, checked before a library that
// trusts it reads the bytes.
//
// Format: RoaringFormatSpec. All numbers are little-endian.
#pragma once

#include <cstddef>
#include <string_view>

#include "bayou/result.h"

namespace bayou::protocol {

// The size of the bitmap at the front of `bytes`, which may be longer. Success
// means that every container lies within `bytes` where the header says, keys
// and values ascend, and cardinalities are true. Allocates nothing.
// Errors: kCorruption, condition DELTA_DELETION_VECTOR_INVALID.
Result<std::size_t> PortableBitmapSize(std::string_view bytes);

}  // namespace bayou::protocol
