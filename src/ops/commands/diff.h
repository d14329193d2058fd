// SPDX-License-Identifier: Apache-2.0
//
// How two versions of a table differ: in their live files, whatever was there
// between them.
#pragma once

#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

struct FileDifference {
  enum class Kind : std::uint8_t {
    kAdded,
    kRemoved,
    kChanged,  // In both, with other rows deleted; `file` as in the later one.
  };
  Kind kind = Kind::kAdded;
  protocol::AddFile file;
};

// What became of the files of `from` in `to`, two versions of one table, in
// either order. Holds the paths of `from` in memory.
Result<std::vector<FileDifference>> DiffFiles(const table::Snapshot& from,
                                              const table::Snapshot& to);

}  // namespace bayou::commands
