// SPDX-License-Identifier: Apache-2.0
//
// Column types in Spark's spelling, as DuckDB writes them: ARRAY<INT> is INT[],
// STRUCT<a: INT, b: STRING> is STRUCT("a" INT, "b" STRING), MAP<K, V> is
// MAP(K, V). Plain names (STRING, LONG, TIMESTAMP_NTZ, ...) stay as they are:
// the session registers them as types.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "bayou/result.h"
#include "sql/token.h"

namespace bayou::sql {

struct TypeAt {
  std::string sql;
  std::size_t next = 0;    // The token behind the type.
  bool rewritten = false;  // `sql` differs from what is written.
};

// The type that begins at token `i`, in either spelling. `text` is what the
// tokens were made of. nullopt where none does.
// NOT NULL and comments inside of nested types are left out: see
// column_type.h.
Result<std::optional<TypeAt>> ParseType(std::string_view text,
                                        std::span<const Token> tokens,
                                        std::size_t i);

// True when ARRAY<, STRUCT< or MAP< begins at token `i`.
bool BeginsNestedType(std::span<const Token> tokens, std::size_t i);

}  // namespace bayou::sql
