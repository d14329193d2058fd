// SPDX-License-Identifier: Apache-2.0
//
// Statistics of a file of which a deletion vector hides rows: what they say
// holds for all rows of the file, so for the rows left it may be wide of the
// mark. Protocol: "Per-file Statistics", tightBounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bayou::protocol {

// `stats` with tightBounds false and everything else as it is; with the number
// of rows where it lacks that, which files with a vector must give. What is no
// JSON object is replaced.
std::string LooseStatistics(const std::optional<std::string>& stats,
                            std::int64_t num_records);

}  // namespace bayou::protocol
