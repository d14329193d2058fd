// SPDX-License-Identifier: Apache-2.0
//
// DELETE, UPDATE and MERGE as the history tells of them: their conditions, as
// they were written, in the encoding of delta-spark.
#pragma once

#include <optional>
#include <string>

#include "kernel/transaction/commit_info.h"
#include "sql/write_mode.h"

namespace bayou::sql {

// `name`: DELETE, UPDATE or MERGE. `sql`: the statement that runs. Where it is
// none of these itself (EXECUTE of a prepared one), it tells no condition.
transaction::Operation ChangeOperation(const std::string& name,
                                       const std::string& sql);

bool IsTruncate(const std::string& sql);

// An INSERT, with what it does to the rows that are there already.
transaction::Operation WriteOperation(
    const protocol::Metadata& metadata,
    const std::optional<Overwrite>& overwrite);

}  // namespace bayou::sql
