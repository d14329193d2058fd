// SPDX-License-Identifier: Apache-2.0
//
// What the properties `delta.autoOptimize.*` ask of whoever writes to a table.
#pragma once

#include <optional>
#include <string_view>

#include "kernel/protocol/actions.h"

namespace bayou::protocol {

// A value of delta.autoOptimize.autoCompact, in any case: `true`, `false`, and
// Databricks' `auto` and `legacy`, which turn it on. nullopt: no such value.
std::optional<bool> PropertyAutoCompact(std::string_view text);

// Whether small files are put together after a write: what that property says,
// unless the older delta.autoOptimize says true. A value that nobody knows
// counts as none.
bool AutoCompacts(const StringMap& configuration);

// Whether writes make few, well-filled files:
// delta.autoOptimize.optimizeWrite. The older property says nothing of it.
bool OptimizesWrites(const StringMap& configuration);

}  // namespace bayou::protocol
