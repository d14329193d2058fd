// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/deletion_vector_descriptor.h"

#include <string_view>
#include <utility>

#include "base/uri_path.h"
#include "base/z85.h"

namespace bayou::protocol {
namespace {

constexpr std::size_t kEncodedUuidSize = 20;

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kCorruption, "DELTA_DELETION_VECTOR_INVALID",
              std::move(message));
}

// The sixteen bytes of a UUID as `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.
std::string UuidText(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

std::string DeletionVectorDescriptor::UniqueId() const {
  std::string id(1, storage_type);
  id += path_or_inline_dv;
  if (offset) id += '@' + std::to_string(*offset);
  return id;
}

Result<std::string> DeletionVectorDescriptor::FilePath() const {
  switch (storage_type) {
    case 'u':
      break;
    case 'p':
      return CanonicalPath(path_or_inline_dv);
    case 'i':
      return Fail(ErrorCode::kInvalidArgument, "DELTA_DELETION_VECTOR_INLINE",
                  "an inline deletion vector has no file");
    default:
      return Fail(ErrorCode::kUnsupported, "DELTA_DELETION_VECTOR_STORAGE",
                  std::string("deletion vectors of storage type '") +
                      storage_type + "' cannot be read");
  }
  if (path_or_inline_dv.size() < kEncodedUuidSize) {
    return Invalid("'" + path_or_inline_dv +
                   "' is too short to name the file "
                   "of a deletion vector");
  }
  const std::size_t prefix_size = path_or_inline_dv.size() - kEncodedUuidSize;
  const std::string_view all = path_or_inline_dv;
  auto uuid = Z85Decode(all.substr(prefix_size));
  if (!uuid) {
    return Invalid("'" + path_or_inline_dv +
                   "' does not name the file of a "
                   "deletion vector: " +
                   uuid.error().message);
  }
  return JoinPath(all.substr(0, prefix_size),
                  "deletion_vector_" + UuidText(*uuid) + ".bin");
}

std::string DeletionVectorDescriptor::PathOfUuid(std::string_view uuid) {
  std::string bytes;
  int high = -1;
  for (const char digit : uuid) {
    if (digit == '-') continue;
    const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    if (high < 0) {
      high = value;
      continue;
    }
    bytes += static_cast<char>(high << 4 | value);
    high = -1;
  }
  return Z85Encode(bytes);
}

}  // namespace bayou::protocol
