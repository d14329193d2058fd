// SPDX-License-Identifier: Apache-2.0
//
// The rows of a table that a statement deletes or updates, as its threads find
// them: by the number of their file in the scan and their position in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "kernel/protocol/deletion_vector.h"

namespace bayou::commands {

enum class RowChange : std::uint8_t { kDelete, kUpdate, kInsert };

class ChangedRows {
 public:
  struct Place {
    std::int64_t file = 0;
    std::uint64_t row = 0;
  };
  struct OfFile {
    protocol::DeletionVector deleted;
    protocol::DeletionVector updated;
  };

  // `change` is not kInsert. False: the row was there already.
  bool Add(Place place, RowChange change);

  // Takes the rows of another thread over. Returns one that both have, if any.
  std::optional<Place> Merge(ChangedRows other);

  const std::map<std::int64_t, OfFile>& files() const { return files_; }
  std::map<std::int64_t, OfFile>& files() { return files_; }

 private:
  std::map<std::int64_t, OfFile> files_;
  // Rows come file by file.
  std::int64_t last_number_ = -1;
  OfFile* last_ = nullptr;
};

}  // namespace bayou::commands
