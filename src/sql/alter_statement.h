// SPDX-License-Identifier: Apache-2.0
//
// ALTER TABLE in the spellings of Spark and of DuckDB: what stands behind the
// table's name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bayou/result.h"
#include "ops/commands/alter_table.h"

namespace bayou::sql {

struct AlterStatement {
  // Conditions and defaults in it are as the user wrote them (see
  // stored_text.h).
  commands::TableAlteration alteration;
  std::optional<std::string> rename_to;  // RENAME TO, which is nothing else.
};

//   ADD COLUMN a INT, ADD COLUMNS (a.b STRING COMMENT 'x' AFTER c, ...)
//   DROP COLUMN [IF EXISTS] a, DROP COLUMNS (a, b)
//   RENAME COLUMN a TO b, RENAME TO t
//   ALTER COLUMN a TYPE BIGINT | SET DATA TYPE BIGINT | SET NOT NULL
//     | DROP NOT NULL | SET DEFAULT 3 | DROP DEFAULT | COMMENT 'x'
//     | FIRST | AFTER b
//   SET TBLPROPERTIES ('k' = 'v'), UNSET TBLPROPERTIES [IF EXISTS] ('k')
//   ADD CONSTRAINT c CHECK (a > 0), DROP CONSTRAINT [IF EXISTS] c
//   CLUSTER BY (a, b.c), CLUSTER BY NONE
//   DROP FEATURE f [TRUNCATE HISTORY]
// Errors: kInvalidArgument, condition PARSE_SYNTAX_ERROR; kUnsupported,
// DELTA_UNSUPPORTED_OPERATION, for what Spark has and Bayou does not.
Result<AlterStatement> ParseAlterStatement(std::string_view text);

}  // namespace bayou::sql
