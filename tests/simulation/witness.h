// SPDX-License-Identifier: Apache-2.0
//
// Whoever looks on while clients call the store.
#pragma once

#include <optional>
#include <string_view>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/store/faulty_store.h"

namespace bayou::simulation {

using protocol::Version;

class Witness {
 public:
  virtual ~Witness() = default;

  // A call of a client has been done. `name` is relative to the table.
  virtual void Saw(int client, store::CallKind kind, std::string_view name,
                   std::string_view content, const Status& done) = 0;
};

// The version that a file of this name commits.
std::optional<Version> VersionOfCommit(std::string_view name);

}  // namespace bayou::simulation
