// SPDX-License-Identifier: Apache-2.0
//
// The same work on many things, by several threads.
#pragma once

#include <cstddef>
#include <functional>

#include "bayou/result.h"

namespace bayou::engine {

// Calls `work` with each number below `count`, the smallest first, from at most
// `threads` threads of which the calling one is one. What `work` answers or
// throws as an error ends it, once the calls that run have come back: the first
// error is the answer.
Status ForEach(std::size_t count, std::size_t threads,
               const std::function<Status(std::size_t)>& work);

}  // namespace bayou::engine
