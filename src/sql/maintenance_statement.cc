// SPDX-License-Identifier: Apache-2.0
#include "sql/maintenance_statement.h"

#include "kernel/engine/engine.h"
#include "sql/text_edits.h"
#include "sql/time_travel_spelling.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

using engine::Literal;

Status NotExpected(const char* operation, const Token& token) {
  return Fail(ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
              std::string(operation) + ": " + std::string(token.text) +
                  " is not expected here");
}

class ConvertParser : private TokenCursor {
 public:
  ConvertParser(std::string_view text, std::span<const Token> tokens)
      : TokenCursor(tokens, 0), text_(text) {}

  Result<std::optional<std::string>> Run() {
    if (!Take("convert") || !Take("to") || !Take("delta")) return std::nullopt;
    BAYOU_ASSIGN(std::string run, Path());
    run = "SELECT * FROM bayou_convert(" + run;
    for (std::size_t before = 0; before != i_;) {
      before = i_;
      if (Is("no") && Is("statistics", 1)) {
        i_ += 2;
        run += ", statistics => false";
      }
      if (Is("partitioned") && Is("by", 1) && IsSymbol('(', 2))
        run += ", partitioned_by => " + Columns();
    }
    if (!AtEnd()) {
      BAYOU_TRY(NotExpected("CONVERT TO DELTA", tokens_[i_]));
    }
    return run + ")";
  }

 private:
  // parquet.`path`, 'path'
  Result<std::string> Path() {
    if (Is("iceberg") && IsSymbol('.', 1)) {
      return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                  "CONVERT TO DELTA of Iceberg tables is not supported by this "
                  "version of Bayou; nothing was changed");
    }
    if (Is("parquet") && IsSymbol('.', 1)) i_ += 2;
    if (AtEnd() ||
        !(tokens_[i_].IsIdentifier() || IsKind(TokenKind::kString))) {
      return Fail(ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
                  "CONVERT TO DELTA wants a folder: parquet.`path`");
    }
    return Literal(tokens_[i_++].Value());
  }

  // From PARTITIONED on; what stands in the brackets, as a text.
  std::string Columns() {
    const std::size_t first = i_ + 3;
    int depth = 1;
    for (i_ = first; !AtEnd(); ++i_) {
      if (IsSymbol('(')) ++depth;
      if (IsSymbol(')') && --depth == 0) break;
    }
    if (AtEnd() || i_ == first) return Literal("");
    const std::size_t begin = tokens_[first].begin;
    const std::size_t end = tokens_[i_ - 1].end;
    ++i_;
    return Literal(text_.substr(begin, end - begin));
  }

  std::string_view text_;
};

class Parser : private TokenCursor {
 public:
  Parser(std::string_view text, std::span<const Token> tokens)
      : TokenCursor(tokens, 0), text_(text) {}

  Result<std::optional<MaintenanceStatement>> Run() {
    if (Take("optimize")) {
      if (TakeLog()) return About("OPTIMIZE LOG", &Parser::OptimizeLog);
      return About("OPTIMIZE", &Parser::Optimize);
    }
    if (Is("reorg") && Is("table", 1)) {
      i_ += 2;
      return About("REORG", &Parser::Reorg);
    }
    if (Take("vacuum")) {
      statement_.only_delta = false;
      return About("VACUUM", &Parser::Vacuum);
    }
    if (Is("fsck") && Is("repair", 1) && Is("table", 2)) {
      i_ += 3;
      return About("FSCK", &Parser::Repair);
    }
    if (Is("generate") && Is("for", 2) && Is("table", 3)) {
      mode_ = Literal(tokens_[i_ + 1].Value());
      i_ += 4;
      return About("GENERATE", &Parser::Generate);
    }
    if (Take("restore")) {
      Take("table");
      return About("RESTORE", &Parser::Restore);
    }
    return std::nullopt;
  }

 private:
  using Clauses = Status (Parser::*)();

  // The table's name, then the clauses, which complete `run_`.
  Result<std::optional<MaintenanceStatement>> About(const char* operation,
                                                    Clauses clauses) {
    auto table = ParseTableName(tokens_, i_);
    if (!table) return std::nullopt;
    i_ = table->next;
    statement_.operation = operation;
    statement_.target = std::move(table->name);
    arguments_ = Literal(statement_.target.Sql());
    BAYOU_TRY((this->*clauses)());
    if (!AtEnd()) {
      if (!statement_.only_delta) return std::nullopt;  // DuckDB judges.
      BAYOU_TRY(NotExpected(operation, tokens_[i_]));
    }
    statement_.run = "SELECT * FROM " + function_ + "(" + arguments_ + ")";
    return std::move(statement_);
  }

  void Argument(const char* name, const std::string& value) {
    arguments_ += std::string(", ") + name + " => " + value;
  }

  // LOG before a table's name; a table may have that name, too.
  bool TakeLog() {
    if (!Is("log") || !ParseTableName(tokens_, i_ + 1)) return false;
    for (const char* clause : {"where", "zorder", "dry", "full"}) {
      if (Is(clause, 1)) return false;
    }
    return Take("log");
  }

  Status OptimizeLog() {
    function_ = "bayou_compact_log";
    return {};
  }

  Status Optimize() {
    function_ = "bayou_optimize";
    if (Take("full")) Argument("\"full\"", "true");
    Where();
    if (Is("zorder") && Is("by", 1)) {
      i_ += 2;
      Argument("zorder_by", Columns());
    }
    return DryRun();
  }

  void Where() {
    if (!Take("where")) return;
    const std::size_t first = i_;
    while (!AtEnd() && !EndsCondition()) ++i_;
    Argument("\"where\"", Literal(Written(first, i_)));
  }

  // What else can be applied is about other formats than Delta's.
  Status Reorg() {
    function_ = "bayou_optimize";
    Where();
    if (!IsPurge()) return NotYet("REORG TABLE without APPLY (PURGE)");
    i_ += 4;
    Argument("purge", "true");
    return {};
  }

  bool IsPurge() const {
    return Is("apply") && IsSymbol('(', 1) && Is("purge", 2) &&
           IsSymbol(')', 3);
  }

  Status Generate() {
    function_ = "bayou_generate";
    arguments_ += ", " + mode_;
    return {};
  }

  Status Repair() {
    function_ = "bayou_validate";
    if (Is("dry") && Is("run", 1)) {
      i_ += 2;
    } else {
      Argument("repair", "true");
    }
    return {};
  }

  Status Vacuum() {
    function_ = "bayou_vacuum";
    for (std::size_t before = 0; before != i_;) {
      before = i_;
      if (Is("full") || Is("lite"))
        Argument("mode", Literal(tokens_[i_++].text));
      if (Is("using") && Is("inventory", 1)) Inventory();
      if (Is("retain")) Retain();
      BAYOU_TRY(DryRun());
    }
    return {};
  }

  // A table, or a query in brackets. What is neither stays, and is reported.
  void Inventory() {
    const std::size_t first = i_ + 2;
    if (sql::IsSymbol(tokens_, first, '(')) {
      std::size_t end = first;
      for (int depth = 0; end < tokens_.size(); ++end) {
        if (sql::IsSymbol(tokens_, end, '(')) ++depth;
        if (sql::IsSymbol(tokens_, end, ')') && --depth == 0) break;
      }
      if (end == tokens_.size() || end == first + 1) return;
      Argument("inventory", Literal(TextOf(first + 1, end)));
      i_ = end + 1;
    } else if (const auto table = ParseTableName(tokens_, first)) {
      Argument("inventory",
               Literal("SELECT * FROM " + TextOf(first, table->next)));
      i_ = table->next;
    }
  }

  std::string TextOf(std::size_t first, std::size_t next) const {
    const std::size_t begin = tokens_[first].begin;
    return std::string(text_.substr(begin, tokens_[next - 1].end - begin));
  }

  Status Restore() {
    function_ = "bayou_restore";
    Take("to");
    const auto travel = ParseTimeTravel(text_, tokens_, i_);
    if (!travel) return {};  // The function says what it wants.
    i_ = travel->next;
    arguments_ += ", " + TimeTravelArgument(*travel);
    return {};
  }

  // What is not complete stays, and is reported.
  void Retain() {
    const bool negative = IsSymbol('-', 1);
    const std::size_t hours = i_ + (negative ? 2 : 1);
    if (!sql::IsKind(tokens_, hours, TokenKind::kNumber) ||
        !(IsWord(tokens_, hours + 1, "hours") ||
          IsWord(tokens_, hours + 1, "hour"))) {
      return;
    }
    Argument("retain_hours",
             (negative ? "-" : "") + std::string(tokens_[hours].text));
    i_ = hours + 2;
  }

  // (a, b.c) or a, b.c: lists of names in a list.
  std::string Columns() {
    const bool bracket = TakeSymbol('(');
    std::string columns;
    do {
      std::string names;
      do {
        if (AtEnd() || !tokens_[i_].IsIdentifier()) break;
        names += (names.empty() ? "" : ", ") + Literal(tokens_[i_++].Value());
      } while (TakeSymbol('.'));
      columns += (columns.empty() ? "[" : ", [") + names + "]";
    } while (TakeSymbol(','));
    if (bracket && !TakeSymbol(')')) --i_;  // What stands here is reported.
    return "[" + columns + "]";
  }

  bool EndsCondition() const {
    return (Is("zorder") && Is("by", 1)) || IsPurge() ||
           (Is("dry") && Is("run", 1) && i_ + 2 == tokens_.size());
  }

  Status DryRun() {
    if (!Is("dry") || !Is("run", 1)) return {};
    i_ += 2;
    Argument("dry_run", "true");
    return {};
  }

  // The tokens as the user wrote them, but in DuckDB's quotes.
  std::string Written(std::size_t first, std::size_t next) const {
    if (first >= next) return {};
    const std::size_t begin = tokens_[first].begin;
    TextEdits edits;
    for (std::size_t i = first; i < next; ++i) {
      if (tokens_[i].kind != TokenKind::kBacktick) continue;
      edits.Replace(tokens_[i].begin - begin, tokens_[i].end - begin,
                    engine::Identifier(tokens_[i].Value()));
    }
    return edits.Apply(text_.substr(begin, tokens_[next - 1].end - begin)).text;
  }

  static Status NotYet(const std::string& operation) {
    return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                operation +
                    " is not supported by this version of Bayou; nothing was "
                    "changed");
  }

  std::string_view text_;
  MaintenanceStatement statement_;
  std::string function_;
  std::string mode_;  // Of GENERATE.
  std::string arguments_;
};

}  // namespace

Result<std::optional<MaintenanceStatement>> ParseMaintenance(
    std::string_view text, std::span<const Token> tokens) {
  return Parser(text, tokens).Run();
}

Result<std::optional<std::string>> ParseConvert(std::string_view text,
                                                std::span<const Token> tokens) {
  return ConvertParser(text, tokens).Run();
}

}  // namespace bayou::sql
