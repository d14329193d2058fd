// SPDX-License-Identifier: Apache-2.0
//
// Column types in Spark's and in DuckDB's spelling as the protocol's, with what
// DuckDB's types have no place for: NOT NULL and comments inside of nested
// types and the lengths of CHAR(n) and VARCHAR(n).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "kernel/protocol/schema.h"
#include "sql/token.h"

namespace bayou::sql {

struct ColumnTypeAt {
  protocol::DataType type;
  // `varchar(10)` where the type has a length, for the column's metadata.
  std::optional<std::string> length_type;
  std::size_t next = 0;        // The token behind the type.
  bool beyond_duckdb = false;  // It says what DuckDB's type would lose.
};

// The type that begins at token `i`; nullopt where none does, or one that Delta
// does not have.
std::optional<ColumnTypeAt> ParseColumnType(std::span<const Token> tokens,
                                            std::size_t i);

}  // namespace bayou::sql
