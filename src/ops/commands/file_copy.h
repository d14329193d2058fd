// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file of one table as a file of another.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <string>

#include "bayou/result.h"
#include "kernel/store/store.h"

namespace bayou::commands {

// Copies the file that the engine opens as `place` to `name` in `target`,
// durably, and makes the folders above it. Returns how many bytes there were.
// A copy that fails is left behind incomplete: the owner deletes it.
// Errors: kNotFound when there is no such file; kCancelled; what the machine
// says.
Result<std::int64_t> CopyFile(duckdb::ClientContext& context,
                              const std::string& place, store::Store& target,
                              const std::string& name);

}  // namespace bayou::commands
