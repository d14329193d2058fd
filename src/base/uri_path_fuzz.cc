// SPDX-License-Identifier: Apache-2.0
//
// Encoding is undone by decoding, and no relative path that passes the check
// leaves its folder.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "base/uri_path.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace bayou;  // NOLINT
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (PercentDecode(PercentEncodePath(text)) != text) std::abort();
  if (PercentDecode(HiveEscape(text)) != text) std::abort();
  const std::string path = CanonicalPath(text);
  (void)LocationFromUser(text);
  if (!CheckRelativePath(path)) return 0;
  const std::filesystem::path joined = JoinPath("/table", path);
  const std::string normal = joined.lexically_normal().native();
  if (!normal.starts_with("/table/")) std::abort();
  return 0;
}
