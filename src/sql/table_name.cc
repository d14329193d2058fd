// SPDX-License-Identifier: Apache-2.0
#include "sql/table_name.h"

#include <algorithm>

#include "kernel/engine/engine.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

constexpr std::size_t kMostParts = 3;

// delta.`path`, and delta."path" where that can be no table's name.
bool IsPathName(std::span<const Token> tokens, std::size_t i) {
  if (i + 2 >= tokens.size() || !tokens[i].Is(kPathDatabase) ||
      !tokens[i + 1].Is('.') || IsSymbol(tokens, i + 3, '.')) {
    return false;
  }
  const Token& path = tokens[i + 2];
  return path.kind == TokenKind::kBacktick ||
         (path.kind == TokenKind::kQuoted &&
          path.text.find('/') != std::string_view::npos);
}

}  // namespace

TableName TableName::OfPath(std::string path) {
  return {.parts = {std::string(kPathDatabase), std::string(kPathSchema),
                    std::move(path)},
          .is_path = true};
}

std::string TableName::Sql() const {
  std::string sql;
  for (const std::string& part : parts) {
    if (!sql.empty()) sql += '.';
    sql += engine::Identifier(part);
  }
  return sql;
}

std::optional<NameAt> ParseTableName(std::span<const Token> tokens,
                                     std::size_t i) {
  if (i >= tokens.size()) return std::nullopt;
  if (tokens[i].kind == TokenKind::kString) {
    return NameAt{TableName::OfPath(tokens[i].Value()), i + 1};
  }
  if (IsPathName(tokens, i))
    return NameAt{TableName::OfPath(tokens[i + 2].Value()), i + 3};
  TableName name;
  while (i < tokens.size() && tokens[i].IsIdentifier()) {
    name.parts.push_back(tokens[i].Value());
    if (!IsSymbol(tokens, i + 1, '.')) return NameAt{std::move(name), i + 1};
    i += 2;  // Past the name and its dot.
  }
  return std::nullopt;
}

TableName ParseTableArgument(std::string_view text) {
  const Tokens found = Tokenize(text);
  const bool has_slash = std::ranges::any_of(
      found.tokens, [](const Token& token) { return token.Is('/'); });
  const std::optional<NameAt> parsed = ParseTableName(found.tokens, 0);
  if (has_slash || !parsed || parsed->next != found.tokens.size() ||
      parsed->name.parts.size() > kMostParts) {
    return TableName::OfPath(std::string(text));
  }
  TableName name = parsed->name;
  name.is_path = name.parts.size() == kMostParts &&
                 name.parts[0] == kPathDatabase && name.parts[1] == kPathSchema;
  return name;
}

}  // namespace bayou::sql
