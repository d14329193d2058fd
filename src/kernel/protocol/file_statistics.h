// SPDX-License-Identifier: Apache-2.0
//
// add.stats: what a file's writer says about its values.
//
// Reading is lazy: skipping looks at one or two columns of a thousand, for a
// million files. Protocol: "Per-file Statistics".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bayou::protocol {

// Bounds of one column as the JSON text of the scalar, strings unquoted and
// unescaped. What is missing, null or not scalar is nullopt.
struct ColumnBounds {
  std::optional<std::string> min;
  std::optional<std::string> max;
  std::optional<std::int64_t> null_count;
};

struct FileStatistics {
  std::optional<std::int64_t> num_records;  // Physical rows, deleted included.
  bool tight_bounds = true;
  std::vector<ColumnBounds> columns;  // One for each path asked for.
};

// Path of physical field names from the root to a leaf column.
using ColumnPath = std::vector<std::string>;

// Reads what `paths` need from stats JSON and nothing else. Text that is no
// JSON object gives empty statistics: no statistics, no skipping. What is
// passed over is checked for quotes and brackets alone. Accepts bare NaN and
// Infinity tokens as absent bounds. Safe from any thread.
FileStatistics ReadStatistics(std::string_view json,
                              std::span<const ColumnPath> paths);

}  // namespace bayou::protocol
