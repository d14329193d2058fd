// SPDX-License-Identifier: Apache-2.0
#include "sql/spark_type.h"

#include <array>

#include "kernel/engine/engine.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

// Types nest; text from a user does not nest without end.
constexpr int kMostNesting = 64;

constexpr std::array kScalarTypes = {
    "bigint",   "binary",    "blob",          "bool",          "boolean",
    "byte",     "bytea",     "char",          "date",          "dec",
    "decimal",  "double",    "float",         "float4",        "float8",
    "geometry", "int",       "int1",          "int2",          "int4",
    "int8",     "integer",   "interval",      "json",          "long",
    "numeric",  "real",      "short",         "smallint",      "string",
    "text",     "timestamp", "timestamp_ltz", "timestamp_ntz", "timestamptz",
    "tinyint",  "ubigint",   "uinteger",      "usmallint",     "utinyint",
    "uuid",     "varbinary", "varchar",       "variant"};

bool IsScalarType(const Token& token) {
  if (token.kind != TokenKind::kWord) return false;
  for (const char* name : kScalarTypes) {
    if (token.Is(name)) return true;
  }
  return false;
}

class TypeParser : private TokenCursor {
 public:
  TypeParser(std::string_view text, std::span<const Token> tokens,
             std::size_t i)
      : TokenCursor(tokens, i), text_(text) {}

  Result<std::optional<TypeAt>> Run() {
    std::optional<std::string> sql = Type();
    if (!sql) return std::nullopt;
    return TypeAt{.sql = *std::move(sql), .next = i_, .rewritten = rewritten_};
  }

 private:
  // The bracket that opens the parts of a nested type: < is Spark's.
  std::optional<char> TakeOpening() {
    if (TakeSymbol('<')) {
      rewritten_ = true;
      return '>';
    }
    if (TakeSymbol('(')) return ')';
    return std::nullopt;
  }

  std::optional<std::string> Type() {
    if (++nesting_ > kMostNesting) return std::nullopt;
    std::optional<std::string> sql = Unsuffixed();
    while (sql && IsSymbol('[')) {
      const std::size_t begin = tokens_[i_++].begin;
      if (IsKind(TokenKind::kNumber)) ++i_;
      if (!IsSymbol(']')) return std::nullopt;
      *sql += text_.substr(begin, tokens_[i_++].end - begin);
    }
    --nesting_;
    return sql;
  }

  std::optional<std::string> Unsuffixed() {
    if (Take("array")) return Array();
    if (Take("map")) return Map();
    if (Take("struct")) return Struct();
    return Scalar();
  }

  std::optional<std::string> Array() {
    if (!TakeSymbol('<')) return std::nullopt;
    rewritten_ = true;
    const std::optional<std::string> element = Type();
    if (!element || !TakeSymbol('>')) return std::nullopt;
    return *element + "[]";
  }

  std::optional<std::string> Map() {
    const std::optional<char> closing = TakeOpening();
    if (!closing) return std::nullopt;
    const std::optional<std::string> key = Type();
    if (!key || !TakeSymbol(',')) return std::nullopt;
    const std::optional<std::string> value = Type();
    if (!value || !TakeSymbol(*closing)) return std::nullopt;
    return "MAP(" + *key + ", " + *value + ")";
  }

  std::optional<std::string> Struct() {
    const std::optional<char> closing = TakeOpening();
    if (!closing) return std::nullopt;
    std::string fields;
    do {
      if (AtEnd() || !tokens_[i_].IsIdentifier()) return std::nullopt;
      const std::string name = tokens_[i_++].Value();
      TakeSymbol(':');
      const std::optional<std::string> type = Type();
      if (!type) return std::nullopt;
      FieldOptions();
      if (!fields.empty()) fields += ", ";
      fields += engine::Identifier(name) + " " + *type;
    } while (TakeSymbol(','));
    if (!TakeSymbol(*closing)) return std::nullopt;
    return "STRUCT(" + fields + ")";
  }

  void FieldOptions() {
    if (Is("not") && Is("null", 1)) {
      i_ += 2;
      rewritten_ = true;
    }
    if (Take("comment") && i_ < tokens_.size()) {
      ++i_;
      rewritten_ = true;
    }
  }

  std::optional<std::string> Scalar() {
    if (AtEnd() || !IsScalarType(tokens_[i_])) return std::nullopt;
    const std::size_t begin = tokens_[i_].begin;
    std::size_t end = tokens_[i_++].end;
    if (IsSymbol('(')) {
      while (i_ < tokens_.size() && !IsSymbol(')')) ++i_;
      if (i_ == tokens_.size()) return std::nullopt;
      end = tokens_[i_++].end;
    }
    if (Is("with") || Is("without")) {  // TIMESTAMP WITH TIME ZONE
      if (i_ + 2 < tokens_.size() && tokens_[i_ + 1].Is("time") &&
          tokens_[i_ + 2].Is("zone")) {
        end = tokens_[i_ + 2].end;
        i_ += 3;
      }
    }
    if (Is("precision")) end = tokens_[i_++].end;
    return std::string(text_.substr(begin, end - begin));
  }

  std::string_view text_;
  int nesting_ = 0;
  bool rewritten_ = false;
};

}  // namespace

Result<std::optional<TypeAt>> ParseType(std::string_view text,
                                        std::span<const Token> tokens,
                                        std::size_t i) {
  return TypeParser(text, tokens, i).Run();
}

bool BeginsNestedType(std::span<const Token> tokens, std::size_t i) {
  return i + 1 < tokens.size() && tokens[i + 1].Is('<') &&
         (tokens[i].Is("array") || tokens[i].Is("struct") ||
          tokens[i].Is("map"));
}

}  // namespace bayou::sql
