// SPDX-License-Identifier: Apache-2.0
//
// The live files of a version, one by one.
#pragma once

#include <utility>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

// What an action has to say again that removes a file or brings it back.
inline constexpr log::FileFields kAllFields{
    .stats = true, .tags = true, .row_tracking = true};

// Calls `visit` with each file, in no particular order; its first error ends
// it.
template <typename Visit>
Status VisitFiles(const table::Snapshot& snapshot,
                  const log::FileFields& fields, Visit visit) {
  BAYOU_ASSIGN(const auto cursor, snapshot.state().Files(fields, nullptr));
  std::vector<protocol::AddFile> batch;
  for (bool more = true; more;) {
    BAYOU_ASSIGN(more, cursor->Next(batch));
    for (protocol::AddFile& file : batch) BAYOU_TRY(visit(std::move(file)));
  }
  return {};
}

}  // namespace bayou::commands
