// SPDX-License-Identifier: Apache-2.0
//
// Changes of a table's metadata that a transaction survives which began before
// them: features were switched on that leave schema and rows as they are, and
// that files written without them do not break.
#pragma once

#include <optional>
#include <string>

#include "kernel/protocol/actions.h"

namespace bayou::transaction {

// The first difference that a transaction on `before` does not survive, in
// words for a message; nullopt when it goes on with `after`. `protocol` is the
// one that came with `after`: what is switched on must be supported by it.
std::optional<std::string> FirstHarmfulChange(
    const protocol::Metadata& before, const protocol::Metadata& after,
    const protocol::Protocol& protocol);

}  // namespace bayou::transaction
