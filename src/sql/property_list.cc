// SPDX-License-Identifier: Apache-2.0
#include "sql/property_list.h"

#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

tl::unexpected<Error> Malformed() {
  return Fail(ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
              "the clause TBLPROPERTIES ('key' = 'value') is not complete");
}

}  // namespace

std::optional<std::string> TakePropertyWord(std::span<const Token> tokens,
                                            std::size_t& i) {
  if (i >= tokens.size()) return std::nullopt;
  if (tokens[i].kind == TokenKind::kString) return tokens[i++].Value();
  std::string word;
  if (IsSymbol(tokens, i, '-')) {
    word = "-";
    ++i;
  }
  while (i < tokens.size() && (tokens[i].IsIdentifier() || tokens[i].Is('.') ||
                               tokens[i].kind == TokenKind::kNumber)) {
    word += tokens[i++].Value();
    if (i >= tokens.size() || tokens[i].begin != tokens[i - 1].end) break;
  }
  if (word.empty()) return std::nullopt;
  return word;
}

Result<std::map<std::string, std::string>> TakeProperties(
    std::span<const Token> tokens, std::size_t& i) {
  std::map<std::string, std::string> properties;
  if (!IsSymbol(tokens, i, '(')) return Malformed();
  do {
    ++i;
    const std::optional<std::string> key = TakePropertyWord(tokens, i);
    if (!key) return Malformed();
    if (IsSymbol(tokens, i, '=')) ++i;
    const std::optional<std::string> value = TakePropertyWord(tokens, i);
    if (!value) return Malformed();
    if (!properties.emplace(*key, *value).second) {
      return Fail(ErrorCode::kInvalidArgument, "DUPLICATE_KEY",
                  "the property " + *key + " is given twice");
    }
  } while (IsSymbol(tokens, i, ','));
  if (!IsSymbol(tokens, i, ')')) return Malformed();
  ++i;
  return properties;
}

Result<std::vector<std::string>> TakePropertyKeys(std::span<const Token> tokens,
                                                  std::size_t& i) {
  std::vector<std::string> keys;
  if (!IsSymbol(tokens, i, '(')) return Malformed();
  do {
    ++i;
    const std::optional<std::string> key = TakePropertyWord(tokens, i);
    if (!key) return Malformed();
    keys.push_back(*key);
  } while (IsSymbol(tokens, i, ','));
  if (!IsSymbol(tokens, i, ')')) return Malformed();
  ++i;
  return keys;
}

}  // namespace bayou::sql
