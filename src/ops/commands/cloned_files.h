// SPDX-License-Identifier: Apache-2.0
//
// How the files of a table become those of its clone.
//
// A shallow clone names the source's own files, by absolute paths. A deep clone
// has copies, and knows of each which file it is a copy of: tags of the `add`
// say so. What the tags say counts only for the file that they name, so it does
// no harm when a writer hands them on to another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

// The same file by absolute paths, as any table can name it. Errors:
// kCorruption, DELTA_PATH_OUTSIDE_TABLE, for a relative path that leads out of
// the source's folder; DELTA_DELETION_VECTOR_INVALID.
Result<protocol::AddFile> ByAbsolutePath(const table::Snapshot& source,
                                         protocol::AddFile file);

// The files of a deep clone, when it is to become like the source once more.
class CopiedFiles {
 public:
  // None: a new table.
  CopiedFiles() = default;
  static Result<CopiedFiles> Of(const table::Snapshot& clone);

  // The live file of the clone that has the data of `file`, a file of `source`;
  // null when none has. It stays the table's.
  const protocol::AddFile* Take(const table::Snapshot& source,
                                const protocol::AddFile& file);

  // The live files that were not taken.
  std::vector<protocol::AddFile> Others() const;

 private:
  struct Copy {
    protocol::AddFile file;
    bool taken = false;
  };
  std::vector<Copy> files_;
  std::unordered_map<std::string, std::size_t> by_origin_;
};

// Whether of `copy` the same rows are deleted as of `file`, whose data it has.
bool HasDeletedRowsOf(const protocol::AddFile& copy,
                      const protocol::AddFile& file);

// Notes that `copy` is one of `file`, as to data and deleted rows.
void NoteOrigin(const table::Snapshot& source, const protocol::AddFile& file,
                protocol::AddFile& copy);

}  // namespace bayou::commands
