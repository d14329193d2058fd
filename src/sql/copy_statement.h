// SPDX-License-Identifier: Apache-2.0
//
//   COPY INTO t [(columns) | BY POSITION]
//     FROM 'path' | FROM (SELECT ... FROM 'path' ...)
//     FILEFORMAT = PARQUET | CSV | JSON
//     [FILES = ('a', 'b') | PATTERN = 'glob']
//     [FORMAT_OPTIONS ('key' = 'value')]
//     [COPY_OPTIONS ('mergeSchema' = 'true', 'force' = 'true')]
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "sql/table_name.h"
#include "sql/token.h"

namespace bayou::sql {

enum class CopyFormat : std::uint8_t { kParquet, kCsv, kJson };

struct CopyStatement {
  TableName target;
  std::vector<std::string> columns;  // Empty: by name, or all by position.
  bool by_position = false;
  std::string source;  // A file, a folder or a pattern, as the user wrote it.
  // The query around the source: SELECT ... FROM, and what is behind it.
  struct Query {
    std::string before;
    std::string behind;
  };
  std::optional<Query> query;
  CopyFormat format = CopyFormat::kParquet;
  std::vector<std::string> files;  // In the source, which is a folder then.
  std::optional<std::string> pattern;
  std::map<std::string, std::string> format_options;  // Keys in lower case.
  bool merge_schema = false;
  bool force = false;  // Files that were loaded once are loaded again.
};

// COPY INTO at token `i`; nullopt when something else stands there.
// Errors: kInvalidArgument, conditions PARSE_SYNTAX_ERROR and
// DELTA_UNKNOWN_COPY_OPTION; kUnsupported, DELTA_UNSUPPORTED_OPERATION.
Result<std::optional<CopyStatement>> ParseCopyInto(
    std::string_view text, std::span<const Token> tokens, std::size_t i);

}  // namespace bayou::sql
