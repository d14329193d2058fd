// SPDX-License-Identifier: Apache-2.0
//
// Where a new table may begin: in a folder that is empty or not there yet, and
// in one with files that are nobody's data.
#pragma once

#include <string>

#include "bayou/result.h"

namespace bayou::commands {

// Errors: kAlreadyExists, condition DELTA_TABLE_ALREADY_EXISTS;
// kInvalidArgument for a place that is no folder, or holds Parquet files.
Status CheckPlaceForTable(const std::string& location);

}  // namespace bayou::commands
