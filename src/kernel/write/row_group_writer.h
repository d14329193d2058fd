// SPDX-License-Identifier: Apache-2.0
//
// Carries out a planned copy of row groups.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <span>
#include <string>

#include "bayou/result.h"
#include "kernel/store/store.h"
#include "kernel/write/row_group_copy.h"

namespace bayou::write {

// Writes the file that `copy` describes to `name`, durably, and makes the
// folders above it; `sources` are the names in the store of what it was planned
// for. Holds a few MiB. Returns the file's size in bytes. A copy that fails is
// left behind incomplete: the owner deletes it.
// Errors: kCorruption when a source is shorter than it was; kCancelled; what
// the machine says.
Result<std::int64_t> WriteRowGroups(duckdb::ClientContext& context,
                                    store::Store& store,
                                    std::span<const std::string> sources,
                                    const RowGroupCopy& copy,
                                    const std::string& name);

}  // namespace bayou::write
