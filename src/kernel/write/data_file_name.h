// SPDX-License-Identifier: Apache-2.0
//
// What new data files are called: a name that nobody gave before, in the folder
// of the file's partition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "kernel/write/data_file_writer.h"

namespace bayou::write {

// Serialized, in the order of the layout's partition columns; nullopt is NULL.
using PartitionKey = std::vector<std::optional<std::string>>;

// Decoded, relative to the table.
std::string NewDataFileName(const ParquetFormat& format,
                            const PartitionKey& partition, Env& env);

}  // namespace bayou::write
