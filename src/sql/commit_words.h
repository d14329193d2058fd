// SPDX-License-Identifier: Apache-2.0
//
// The user's words for the commits of commands that commit by themselves.
#pragma once

#include <duckdb.hpp>
#include <optional>
#include <string>

#include "sql/write_options.h"

namespace bayou::sql {

// What the history is to say of the next commit.
inline std::optional<std::string> WordsForCommit(
    duckdb::ClientContext& context) {
  return UserMetadataOf(context);
}

// It was committed: what was said for it alone is said no more.
inline void NoteCommitted(duckdb::ClientContext& context) {
  NextWrite::Of(context).Committed();
}

}  // namespace bayou::sql
