// SPDX-License-Identifier: Apache-2.0
//
// The statements by which a table is looked after, in Spark's spellings, as
// calls of the table functions that run them.
//
//   OPTIMIZE t [FULL] [WHERE condition] [ZORDER BY (a, b.c)] [DRY RUN]
//   OPTIMIZE LOG t
//   VACUUM t [FULL | LITE] [USING INVENTORY i | (SELECT ...)]
//            [RETAIN n HOURS] [DRY RUN]
//   FSCK REPAIR TABLE t [DRY RUN]
//   GENERATE symlink_format_manifest FOR TABLE t
//   RESTORE [TABLE] t [TO] VERSION AS OF n | TIMESTAMP AS OF 'x'
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bayou/result.h"
#include "sql/table_name.h"
#include "sql/token.h"

namespace bayou::sql {

struct MaintenanceStatement {
  const char* operation = "";
  TableName target;
  std::string run;         // SELECT * FROM bayou_...(...)
  bool only_delta = true;  // No table of another kind has the statement.
};

// What `tokens` say, if it is one of these statements about a table.
// Errors: kInvalidArgument, condition PARSE_SYNTAX_ERROR, for what stands
// behind the table's name and is none of its clauses; kUnsupported,
// DELTA_UNSUPPORTED_OPERATION, for what Spark has and Bayou does not.
Result<std::optional<MaintenanceStatement>> ParseMaintenance(
    std::string_view text, std::span<const Token> tokens);

// CONVERT TO DELTA parquet.`path` [NO STATISTICS] [PARTITIONED BY (c TYPE,
// ...)] as a statement that runs; nullopt: it is none. There is no table yet
// that it could be about. Errors: as above.
Result<std::optional<std::string>> ParseConvert(std::string_view text,
                                                std::span<const Token> tokens);

}  // namespace bayou::sql
