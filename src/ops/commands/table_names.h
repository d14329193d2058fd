// SPDX-License-Identifier: Apache-2.0
//
// The names below a table's folder, and which are the table's own to clean up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/table/snapshot.h"

namespace bayou::commands {

// Files and folders that begin with `_` or `.` are somebody's own: markers, the
// log, what another tool keeps there. Not so the change data, indexes, and the
// folders of partition columns whose names begin that way.
class HiddenNames {
 public:
  explicit HiddenNames(const table::Snapshot& snapshot);

  // Of one segment of a path.
  bool IsHidden(std::string_view segment) const;
  // Of any of its segments.
  bool IsBelowHidden(std::string_view path) const;

 private:
  std::vector<std::string> partition_prefixes_;  // `column=`
};

// Of a name relative to the table; empty: the table's own folder.
std::string_view FolderOf(std::string_view name);

// Whether a name in `_delta_log` is that of a file which a writer fills before
// it gives it its own name, and which is left behind when the writer dies.
bool IsTemporaryLogFile(std::string_view name);

}  // namespace bayou::commands
