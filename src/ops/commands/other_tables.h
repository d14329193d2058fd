// SPDX-License-Identifier: Apache-2.0
//
// Other tables inside of a table's folder, found by what they keep there:
// `_delta_log`, `.hoodie`, or Iceberg's metadata. Asks for single folders and
// lists none of the table's.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kernel/store/store.h"

namespace bayou::commands {

class OtherTables {
 public:
  explicit OtherTables(store::Store& store) : store_(store) {}

  // Whether the folder, relative to the table's own, belongs to another one.
  bool Contain(std::string_view folder);

 private:
  bool HasOwn(std::string_view folder);

  store::Store& store_;
  std::map<std::string, bool, std::less<>> known_;  // By folder.
};

}  // namespace bayou::commands
