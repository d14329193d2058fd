// SPDX-License-Identifier: Apache-2.0
//
// An added file as predicates see it.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "kernel/log/log_replay.h"
#include "kernel/protocol/actions.h"

namespace bayou::log {

using PartitionView =
    std::vector<std::pair<std::string_view, std::string_view>>;

// Refers to `add` and to `values`, which it fills.
FileView ViewOf(const protocol::AddFile& add, PartitionView& values);

}  // namespace bayou::log
