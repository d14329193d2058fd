// SPDX-License-Identifier: Apache-2.0
//
// Words that can continue a statement that is being typed.
#pragma once

#include <duckdb.hpp>
#include <string_view>
#include <vector>

#include "bayou/session.h"
#include "sql/lake_folder.h"

namespace bayou::sql {

// Keywords, tables of the lake, columns of the tables that the text names,
// settings after SET. Empty where nothing fits; never fails.
std::vector<Session::Completion> Complete(duckdb::ClientContext& context,
                                          const LakeFolder& lake,
                                          std::string_view text,
                                          std::size_t cursor);

}  // namespace bayou::sql
