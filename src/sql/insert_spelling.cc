// SPDX-License-Identifier: Apache-2.0
#include "sql/insert_spelling.h"

#include <utility>

#include "kernel/engine/engine.h"
#include "sql/property_list.h"
#include "sql/table_name.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

tl::unexpected<Error> Malformed(const std::string& what) {
  return Fail(ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
              "INSERT: " + what);
}

bool BeginsQuery(const Token& token) {
  return token.Is("select") || token.Is("values") || token.Is("from") ||
         token.Is("with") || token.Is("table");
}

class InsertReader : private TokenCursor {
 public:
  InsertReader(std::string_view text, std::span<const Token> tokens,
               std::size_t i, TextEdits& edits)
      : TokenCursor(tokens, i + 1), text_(text), edits_(edits) {}

  Result<std::optional<InsertClauses>> Run() {
    const std::size_t begin = i_;
    if (Is("with") && Is("schema", 1) && Is("evolution", 2)) {
      clauses_.evolves_schema = true;
      i_ += 3;
    }
    overwrites_ = Take("overwrite");
    const bool into = Take("into");
    if (!overwrites_ && !into) return std::nullopt;
    TakeTableWord();
    const std::size_t at = i_;
    const std::optional<NameAt> table = ParseTableName(tokens_, at);
    if (i_ > begin + 1 || overwrites_) Replace(begin, i_, "INTO");
    if (!table) return clauses_;
    target_ = table->name.Sql();
    i_ = table->next;
    if (overwrites_ && IsText(at)) Replace(at, i_, target_);
    if (overwrites_) SetOverwrite("");
    BAYOU_TRY(Options());
    BAYOU_TRY(Partition());
    SkipColumns();
    if (Is("by") && Is("name", 1)) i_ += 2;
    if (Is("replace") && Is("where", 1)) ReplaceWhere();
    return clauses_;
  }

 private:
  bool IsText(std::size_t i) const {
    return sql::IsKind(tokens_, i, TokenKind::kString);
  }
  void Replace(std::size_t first, std::size_t next, std::string_view with) {
    edits_.Replace(tokens_[first].begin, tokens_[next - 1].end, with);
  }
  void SetOverwrite(std::string where) {
    clauses_.overwrite =
        Overwrite{.target = target_, .where = std::move(where)};
  }

  // INTO TABLE t; a table may be called table.
  void TakeTableWord() {
    if (!Is("table") || i_ + 1 >= tokens_.size()) return;
    const Token& next = tokens_[i_ + 1];
    if ((next.IsIdentifier() || IsText(i_ + 1)) && !next.Is("select") &&
        !next.Is("values")) {
      ++i_;
    }
  }

  // WITH begins a query, too.
  Status Options() {
    if (!Is("with") || !IsSymbol('(', 1)) return {};
    const std::size_t begin = i_++;
    BAYOU_ASSIGN(const auto options, TakeProperties(tokens_, i_));
    Replace(begin, i_, "");
    for (const auto& [key, value] : options) BAYOU_TRY(Option(key, value));
    return {};
  }

  Status Option(const std::string& key, const std::string& value) {
    const bool merge = EqualIgnoringCase(key, "mergeSchema");
    if (!merge && !EqualIgnoringCase(key, "overwriteSchema")) {
      return Fail(ErrorCode::kInvalidArgument, "DELTA_UNKNOWN_WRITE_OPTION",
                  "INSERT has no option " + key +
                      "; there are mergeSchema and overwriteSchema");
    }
    const bool on = EqualIgnoringCase(value, "true");
    if (!on && !EqualIgnoringCase(value, "false"))
      return Malformed("the option " + key + " is true or false");
    if (merge) {
      clauses_.evolves_schema |= on;
    } else if (on && !overwrites_) {
      return Malformed("overwriteSchema is for INSERT OVERWRITE");
    } else {
      clauses_.overwrites_schema = on;
    }
    return {};
  }

  Status Partition() {
    if (!Is("partition") || !IsSymbol('(', 1)) return {};
    const std::size_t begin = i_;
    ++i_;
    do {
      ++i_;
      BAYOU_TRY(PartitionColumn());
    } while (IsSymbol(','));
    if (!TakeSymbol(')')) return Malformed("PARTITION (column = value, ...)");
    if (Is("if") && Is("not", 1) && Is("exists", 2)) {
      return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                  "INSERT ... PARTITION (...) IF NOT EXISTS is not supported; "
                  "nothing was changed");
    }
    Replace(begin, i_, "");
    if (overwrites_ && !clauses_.partition.empty()) SetOverwrite(Condition());
    return {};
  }

  Status PartitionColumn() {
    if (i_ >= tokens_.size() || !tokens_[i_].IsIdentifier())
      return Malformed("PARTITION (column = value, ...)");
    std::string column = tokens_[i_++].Value();
    if (!TakeSymbol('=')) return {};  // The query has it.
    const std::size_t begin = i_;
    int depth = 0;
    while (!AtEnd() && (depth > 0 || (!IsSymbol(',') && !IsSymbol(')')))) {
      depth += IsSymbol('(') ? 1 : IsSymbol(')') ? -1 : 0;
      ++i_;
    }
    if (i_ == begin || AtEnd())
      return Malformed("PARTITION (column = value, ...)");
    const std::size_t from = tokens_[begin].begin;
    clauses_.partition.push_back(
        {std::move(column),
         std::string(text_.substr(from, tokens_[i_ - 1].end - from))});
    return {};
  }

  // The rows in the partition.
  std::string Condition() const {
    std::string condition;
    for (const PartitionValue& part : clauses_.partition) {
      if (!condition.empty()) condition += " AND ";
      condition += engine::Identifier(part.column) +
                   (EqualIgnoringCase(part.value, "null") ? " IS NULL"
                                                          : " = " + part.value);
    }
    return condition;
  }

  // (a, b), unless it is a query in brackets.
  void SkipColumns() {
    if (!IsSymbol('(') || i_ + 1 >= tokens_.size() ||
        BeginsQuery(tokens_[i_ + 1])) {
      return;
    }
    while (!AtEnd() && !IsSymbol(')')) ++i_;
    TakeSymbol(')');
  }

  // The condition ends where the query begins.
  void ReplaceWhere() {
    int depth = 0;
    for (std::size_t next = i_ + 2; next < tokens_.size(); ++next) {
      const Token& token = tokens_[next];
      if (depth == 0 && BeginsQuery(token) && next > i_ + 2) {
        const std::size_t begin = tokens_[i_ + 2].begin;
        SetOverwrite(
            std::string(text_.substr(begin, tokens_[next - 1].end - begin)));
        Replace(i_, next, "");
        return;
      }
      depth += token.Is('(') ? 1 : token.Is(')') ? -1 : 0;
    }
  }

  std::string_view text_;
  TextEdits& edits_;
  InsertClauses clauses_;
  std::string target_;
  bool overwrites_ = false;
};

}  // namespace

Result<std::optional<InsertClauses>> TakeInsertClauses(
    std::string_view text, std::span<const Token> tokens, std::size_t i,
    TextEdits& edits) {
  return InsertReader(text, tokens, i, edits).Run();
}

}  // namespace bayou::sql
