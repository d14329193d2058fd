// SPDX-License-Identifier: Apache-2.0
#include "kernel/store/store.h"

namespace bayou::store {

Status Store::ListTree(std::string_view folder, const TreeVisitor&) {
  return Fail(ErrorCode::kUnsupported, "STORE_CANNOT_LIST",
              "the store of " + location() + " cannot list what lies below " +
                  std::string(folder));
}

}  // namespace bayou::store
