// SPDX-License-Identifier: Apache-2.0
#include "sql/create_table_spelling.h"

#include <string>
#include <vector>

#include "kernel/engine/engine.h"
#include "kernel/protocol/schema.h"
#include "sql/column_type.h"
#include "sql/property_list.h"
#include "sql/spark_type.h"
#include "sql/table_options.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

tl::unexpected<Error> Unsupported(std::string message) {
  return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
              std::move(message));
}

tl::unexpected<Error> Malformed(std::string_view clause) {
  return Fail(
      ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
      "CREATE TABLE: the clause " + std::string(clause) + " is not complete");
}

class CreateTableRewriter : private TokenCursor {
 public:
  CreateTableRewriter(std::string_view text, std::span<const Token> tokens,
                      std::size_t i, const std::function<bool()>& is_delta,
                      TextEdits& edits)
      : TokenCursor(tokens, i),
        text_(text),
        is_delta_(is_delta),
        edits_(edits) {}

  Status Run() {
    std::size_t columns_end = 0;
    if (IsSymbol('(')) {
      BAYOU_TRY(Columns());
      columns_end = i_ - 1;
    }
    const std::size_t first = i_;
    const std::size_t begin = tokens_[i_ - 1].end;
    BAYOU_TRY(Clauses());
    if (i_ == first && options_.empty()) return {};
    if (!typed_partitions_.empty()) {
      if (columns_end != 0) {
        edits_.Insert(tokens_[columns_end].begin, ", " + typed_partitions_);
      } else {
        edits_.Insert(begin, " (" + typed_partitions_ + ")");
      }
    }
    edits_.Replace(begin, i_ == first ? begin : tokens_[i_ - 1].end,
                   NativeClauses());
    return {};
  }

 private:
  bool IsDelta() {
    if (!known_) known_ = is_delta_();
    return *known_;
  }

  bool IsString() const { return IsKind(TokenKind::kString); }

  std::string_view TextOf(std::size_t first, std::size_t last) const {
    return text_.substr(tokens_[first].begin,
                        tokens_[last].end - tokens_[first].begin);
  }

  // Moves behind the bracket that closes the one at i_.
  void SkipBrackets() {
    int depth = 0;
    do {
      depth += IsSymbol('(') ? 1 : IsSymbol(')') ? -1 : 0;
      ++i_;
    } while (!AtEnd() && depth > 0);
  }

  bool AtElementEnd() const {
    return AtEnd() || IsSymbol(',') || IsSymbol(')');
  }

  Status Columns() {
    do {
      ++i_;  // ( or ,
      BAYOU_TRY(Element());
    } while (IsSymbol(','));
    if (!TakeSymbol(')')) return Malformed("(columns)");
    return {};
  }

  static bool BeginsConstraint(const Token& token) {
    for (const char* word :
         {"constraint", "primary", "foreign", "unique", "check"}) {
      if (token.Is(word)) return true;
    }
    return false;
  }

  Status Element() {
    if (Is("constraint") && Is("check", 2) && IsDelta()) return NamedCheck();
    if (AtEnd() || !tokens_[i_].IsIdentifier() ||
        BeginsConstraint(tokens_[i_])) {
      SkipToElementEnd();
      return {};
    }
    const std::string name = tokens_[i_++].Value();
    BAYOU_TRY(ColumnType(name));
    while (!AtElementEnd()) BAYOU_TRY(ColumnOption(name));
    return {};
  }

  void SkipToElementEnd() {
    while (!AtElementEnd()) {
      if (IsSymbol('(')) {
        SkipBrackets();
      } else {
        ++i_;
      }
    }
  }

  // Takes the tokens from `first` up to i_ out of the statement.
  void Drop(std::size_t first) {
    edits_.Replace(tokens_[first].begin, tokens_[i_ - 1].end, "");
  }

  // , CONSTRAINT c CHECK (a > 0)
  Status NamedCheck() {
    const std::size_t comma = i_ - 1;
    const std::string name = tokens_[i_ + 1].Value();
    i_ += 3;
    if (!IsSymbol('(') || !tokens_[comma].Is(',')) {
      return Malformed("CONSTRAINT name CHECK (condition)");
    }
    const std::size_t opening = i_;
    SkipBrackets();
    options_.checks[name] = TextOf(opening + 1, i_ - 2);
    Drop(comma);
    return {};
  }

  Status ColumnOption(const std::string& name) {
    const std::size_t first = i_;
    if (Is("comment") && IsKind(TokenKind::kString, 1)) {
      options_.column_comments[name] = tokens_[i_ + 1].Value();
      i_ += 2;
      Drop(first);
    } else if (Is("default") && IsDelta()) {
      ++i_;
      return Default(name, first);
    } else if (Is("generated") && IsDelta()) {
      return Generated(name);
    } else if (IsSymbol('(')) {
      SkipBrackets();
    } else {
      ++i_;
    }
    return {};
  }

  bool AtOptionEnd() const {
    if (AtElementEnd()) return true;
    for (const char* word :
         {"comment", "generated", "check", "primary", "unique", "references",
          "collate", "constraint", "null"}) {
      if (Is(word)) return i_ > 0 && !tokens_[i_ - 1].Is("default");
    }
    return Is("not") && Is("null", 1);
  }

  Status Default(const std::string& name, std::size_t first) {
    const std::size_t begin = i_;
    while (!AtOptionEnd()) {
      if (IsSymbol('(')) {
        SkipBrackets();
      } else {
        ++i_;
      }
    }
    if (i_ == begin) return Malformed("DEFAULT value");
    options_.defaults[name] = TextOf(begin, i_ - 1);
    Drop(first);
    return {};
  }

  // GENERATED ALWAYS AS (e), GENERATED {ALWAYS | BY DEFAULT} AS IDENTITY
  Status Generated(const std::string& name) {
    const std::size_t first = i_++;
    const bool by_default = Is("by") && Is("default", 1);
    if (by_default) {
      i_ += 2;
    } else if (!Take("always")) {
      return Malformed("GENERATED ALWAYS AS (expression)");
    }
    if (!Take("as")) return Malformed("GENERATED ALWAYS AS (expression)");
    if (Take("identity")) {
      const std::size_t options = i_;
      if (IsSymbol('(')) SkipBrackets();
      std::string words = by_default ? "BY DEFAULT" : "ALWAYS";
      for (std::size_t i = options; i < i_; ++i) {
        words += " " + std::string(tokens_[i].text);
      }
      options_.identities[name] = words;
    } else {
      if (!IsSymbol('(') || by_default) {
        return Malformed("GENERATED ALWAYS AS (expression)");
      }
      const std::size_t opening = i_;
      SkipBrackets();
      if (i_ < opening + 3)
        return Malformed("GENERATED ALWAYS AS (expression)");
      options_.generated[name] = TextOf(opening + 1, i_ - 2);
    }
    Drop(first);
    return {};
  }

  Status ColumnType(const std::string& name) {
    BAYOU_ASSIGN(const std::optional<TypeAt> type,
                 ParseType(text_, tokens_, i_));
    if (!type) return {};
    const auto ours = ParseColumnType(tokens_, i_);
    if (ours && ours->beyond_duckdb && IsDelta()) {
      if (ours->length_type) {
        options_.lengths[name] = *ours->length_type;
      } else {
        options_.column_types[name] = protocol::TypeToJson(ours->type);
      }
    }
    if (type->rewritten) {
      edits_.Replace(tokens_[i_].begin, tokens_[type->next - 1].end, type->sql);
    }
    i_ = type->next;
    return {};
  }

  Status Clauses() {
    while (!AtEnd()) {
      if (Take("using")) {
        if (!Take("delta"))
          return Unsupported(
              "CREATE TABLE makes Delta tables only: USING DELTA");
      } else if (Is("partitioned")) {
        BAYOU_TRY(PartitionedBy());
      } else if (Take("tblproperties")) {
        BAYOU_TRY(Properties());
      } else if (Take("location")) {
        if (!IsString()) return Malformed("LOCATION 'path'");
        options_.location = tokens_[i_++].Value();
      } else if (Take("comment")) {
        if (!IsString()) return Malformed("COMMENT 'text'");
        options_.comment = tokens_[i_++].Value();
      } else if (Is("with") && i_ + 1 < tokens_.size() &&
                 tokens_[i_ + 1].Is('(')) {
        With();
      } else if (Is("cluster") && Is("by", 1)) {
        const std::size_t first = i_;
        i_ += 2;
        if (!IsSymbol('(')) return Malformed("CLUSTER BY (columns)");
        SkipBrackets();
        options_.cluster_by = TextOf(first, i_ - 1);
      } else {
        break;
      }
    }
    return {};
  }

  // The columns alone, or with their types as Hive has it.
  Status PartitionedBy() {
    ++i_;
    if (!Take("by") || !IsSymbol('('))
      return Malformed("PARTITIONED BY (columns)");
    do {
      ++i_;
      if (AtEnd() || !tokens_[i_].IsIdentifier())
        return Malformed("PARTITIONED BY (columns)");
      const std::size_t name = i_++;
      const std::string column = engine::Identifier(tokens_[name].Value());
      partitions_ += (partitions_.empty() ? "" : ", ") + column;
      if (AtElementEnd()) continue;
      BAYOU_ASSIGN(const std::optional<TypeAt> type,
                   ParseType(text_, tokens_, i_));
      if (!type) return Malformed("PARTITIONED BY (columns)");
      i_ = type->next;
      typed_partitions_ +=
          (typed_partitions_.empty() ? "" : ", ") + column + " " + type->sql;
      if (Take("comment") && IsString()) {
        options_.column_comments[tokens_[name].Value()] = tokens_[i_++].Value();
      }
    } while (IsSymbol(','));
    if (!TakeSymbol(')')) return Malformed("PARTITIONED BY (columns)");
    return {};
  }

  Status Properties() {
    BAYOU_ASSIGN(options_.properties, TakeProperties(tokens_, i_));
    return {};
  }

  void With() {
    ++i_;
    const std::size_t opening = i_;
    SkipBrackets();
    if (i_ > opening + 2) with_ = TextOf(opening + 1, i_ - 2);
  }

  std::string NativeClauses() const {
    std::string sql;
    if (!partitions_.empty()) sql += " PARTITIONED BY (" + partitions_ + ")";
    std::string with = ToWithClause(options_);
    if (!with_.empty()) with += (with.empty() ? "" : ", ") + std::string(with_);
    if (!with.empty()) sql += " WITH (" + with + ")";
    return sql;
  }

  std::string_view text_;
  const std::function<bool()>& is_delta_;
  std::optional<bool> known_;
  TextEdits& edits_;
  TableOptions options_;
  std::string partitions_;
  std::string typed_partitions_;
  std::string_view with_;
};

}  // namespace

Status RewriteCreateTable(std::string_view text, std::span<const Token> tokens,
                          std::size_t i, const std::function<bool()>& is_delta,
                          TextEdits& edits) {
  return CreateTableRewriter(text, tokens, i, is_delta, edits).Run();
}

}  // namespace bayou::sql
