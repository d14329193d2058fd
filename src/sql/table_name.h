// SPDX-License-Identifier: Apache-2.0
//
// How statements name a table: t, schema.t, lake.schema.t, delta.`path`,
// 'path'. A table named by path lives in the database `delta`, whose tables are
// all the folders there are (see delta_catalog.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/token.h"

namespace bayou::sql {

inline constexpr std::string_view kPathDatabase = "delta";
inline constexpr std::string_view kPathSchema = "main";

struct TableName {
  std::vector<std::string> parts;  // One to three: [[database,] schema,] table.
  bool is_path = false;            // `parts` is then {delta, main, path}.

  static TableName OfPath(std::string path);

  const std::string& table() const { return parts.back(); }
  std::string Sql() const;  // "a"."b"
};

struct NameAt {
  TableName name;
  std::size_t next = 0;  // The token behind the name.
};

// The name that begins at token `i`, if one does. A lone 'text' is a path.
std::optional<NameAt> ParseTableName(std::span<const Token> tokens,
                                     std::size_t i);

// A name as an argument of a table function: a dotted name as SQL writes it, or
// a path, which is what holds a slash outside of quotes or is no dotted name.
TableName ParseTableArgument(std::string_view text);

}  // namespace bayou::sql
