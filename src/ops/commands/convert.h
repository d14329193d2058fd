// SPDX-License-Identifier: Apache-2.0
//
// CONVERT TO DELTA: makes a table of the Parquet files in a folder, where they
// lie. None of them is changed, and who read them can go on.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <string>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "ops/commands/convert_plan.h"

namespace bayou::commands {

struct ConvertResult {
  bool was_table = false;  // It was one already, and stays as it is.
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::vector<std::string> ignored;  // Files that are no Parquet files.
};

// Errors: see convert_plan.h; DELTA_PARQUET_INVALID and DELTA_UNSUPPORTED_TYPE,
// naming the file; those of CreateTable. Then nothing was written.
Result<ConvertResult> Convert(duckdb::ClientContext& context,
                              const ConvertRequest& request, Env& env);

}  // namespace bayou::commands
