// SPDX-License-Identifier: Apache-2.0
//
// Which part of a multi-part checkpoint a file action belongs to: an internal
// scalar function.
//
//   bayou_checkpoint_part(path, vector, parts)  from 0 on; `vector` is the id
//                                               of a deletion vector or NULL
//
// Protocol: "Multi-part checkpoint".
#pragma once

#include <duckdb.hpp>

namespace bayou::log {

void RegisterCheckpointPart(duckdb::DatabaseInstance& database);

}  // namespace bayou::log
