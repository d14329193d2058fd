// SPDX-License-Identifier: Apache-2.0
//
// add.stats of a file that has the rows of several files, from theirs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernel/write/file_layout.h"

namespace bayou::write {

struct CountedFile {
  std::optional<std::string> stats;  // As in the log.
  std::int64_t rows = 0;             // As counted in the file; none is deleted.
};

// What holds for all rows; a column has bounds if it has them in each file that
// has values of it. nullopt when the rows are known to tell more: files whose
// statistics are missing, wide, of another number of rows, or do not count the
// nulls of a column.
std::optional<std::string> CombineStatistics(
    const std::shared_ptr<const FileLayout>& layout,
    std::span<const CountedFile> files);

}  // namespace bayou::write
