// SPDX-License-Identifier: Apache-2.0
//
// DELETE, UPDATE and MERGE as the history tells of them: their conditions, as
// they were written, in the encoding of delta-spark.
#pragma once

#include <string>

#include "kernel/transaction/commit_info.h"

namespace bayou::sql {

// `name`: DELETE, UPDATE or MERGE. `sql`: the statement that runs. Where it is
// none of these itself (EXECUTE of a prepared one), it tells no condition.
transaction::Operation ChangeOperation(const std::string& name,
                                       const std::string& sql);

}  // namespace bayou::sql
