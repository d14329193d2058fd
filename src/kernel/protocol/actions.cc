// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/actions.h"

#include "base/uri_path.h"

namespace bayou::protocol {

std::string FileKey(std::string_view path,
                    const std::optional<DeletionVectorDescriptor>& vector) {
  std::string key = CanonicalPath(path);
  if (vector) {
    key += '\0';  // No path of a readable file holds it.
    key += vector->UniqueId();
  }
  return key;
}

}  // namespace bayou::protocol
