// SPDX-License-Identifier: Apache-2.0
//
// DuckDB's messages end with the line that is wrong and a caret under the
// place. It shows the SQL that it was given; users want to see what they wrote.
#pragma once

#include <string>
#include <string_view>

#include "sql/text_edits.h"

namespace bayou::sql {

// `message` with its place shown in `written`, which `sql` was made from. Left
// as it is where it has no place, or one that cannot be found again.
std::string AtWrittenPlace(const std::string& message, const EditedText& sql,
                           std::string_view written);

}  // namespace bayou::sql
