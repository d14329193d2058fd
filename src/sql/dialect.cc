// SPDX-License-Identifier: Apache-2.0
#include "sql/dialect.h"

#include <algorithm>
#include <array>
#include <span>

#include "kernel/engine/engine.h"
#include "sql/clone_statement.h"
#include "sql/create_table_spelling.h"
#include "sql/maintenance_statement.h"
#include "sql/settings.h"
#include "sql/spark_type.h"
#include "sql/time_travel_spelling.h"
#include "sql/token.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

constexpr std::array kMetadataFields = {
    "file_path", "file_name", "file_size",         "file_modification_time",
    "row_index", "row_id",    "row_commit_version"};

// After these words a FROM list is over.
constexpr std::array kFromEnds = {"where",  "group",     "having",  "order",
                                  "limit",  "window",    "select",  "union",
                                  "except", "intersect", "qualify", "set"};

// extract(year FROM x): no FROM list.
constexpr std::array kCallsWithFrom = {"extract", "trim", "substring",
                                       "overlay"};

template <std::size_t N>
bool IsOneOf(const Token& token, const std::array<const char*, N>& words) {
  return std::ranges::any_of(words,
                             [&](const char* word) { return token.Is(word); });
}

// A URL of another file system, or a pattern of several files: DuckDB's.
bool IsForDuckDB(std::string_view path) {
  return (path.find("://") != std::string_view::npos &&
          !path.starts_with("file:")) ||
         path.find_first_of("*?[") != std::string_view::npos;
}

class Translator {
 public:
  Translator(std::string_view text, const PlaceOf& place_of,
             const IsDelta& is_delta)
      : text_(text),
        lexed_(Tokenize(text)),
        tokens_(lexed_.tokens),
        place_of_(place_of),
        is_delta_(is_delta) {}

  Result<Statement> Run() {
    BAYOU_ASSIGN(auto copy, ParseCopyInto(text_, tokens_, 0));
    if (copy) {
      Statement statement;
      statement.copy = std::move(copy);
      return statement;
    }
    BAYOU_TRY(WholeStatement(SkipPrefix()));
    BAYOU_TRY(Spellings());
    return Statement{.sql = edits_.Apply(text_),
                     .insert = std::move(insert_),
                     .evolves_schema = evolves_schema_,
                     .may_evolve_schema = may_evolve_schema_,
                     .command = std::move(command_),
                     .copy = {},
                     .next_write = std::move(next_write_)};
  }

 private:
  bool Is(std::size_t i, std::string_view word) const {
    return IsWord(tokens_, i, word);
  }
  bool IsSymbol(std::size_t i, char symbol) const {
    return sql::IsSymbol(tokens_, i, symbol);
  }
  bool IsKind(std::size_t i, TokenKind kind) const {
    return sql::IsKind(tokens_, i, kind);
  }
  bool IsEnd(std::size_t i) const { return i >= tokens_.size(); }

  // Moves over `words` as long as they follow one another from `i`.
  std::size_t Skip(std::size_t i,
                   std::initializer_list<std::string_view> words) const {
    for (const std::string_view word : words) i += Is(i, word) ? 1 : 0;
    return i;
  }
  // The token behind all of `words`, or 0 when they are not all there.
  std::size_t After(std::size_t i,
                    std::initializer_list<std::string_view> words) const {
    for (const std::string_view word : words) {
      if (!Is(i++, word)) return 0;
    }
    return i;
  }

  void Replace(std::size_t first, std::size_t next, std::string_view with) {
    edits_.Replace(tokens_[first].begin, tokens_[next - 1].end, with);
  }

  std::size_t SkipPrefix() const {
    std::size_t i = 0;
    if (Is(i, "explain")) i = Skip(i, {"explain", "analyze"});
    return i;
  }

  // ---------------------------------------------------------- whole statements

  Status WholeStatement(std::size_t i) {
    in_copy_ = Is(i, "copy");
    if (Is(i, "describe") || Is(i, "desc")) return Describe(i);
    if (Is(i, "show")) return Show(i);
    if (Is(i, "set") || Is(i, "reset")) return Setting(i);
    if (Is(i, "create") || Is(i, "replace")) return Create(i);
    if (Is(i, "insert")) return Insert(i);
    if (Is(i, "merge")) return Merge(i);
    // EXPLAIN of what runs as a function would run it.
    if (i == 0 && Is(i, "alter") && Is(i + 1, "table")) return Alter(i);
    if (i == 0 && Is(i, "comment") && Is(i + 1, "on")) return CommentOn(i);
    if (i == 0) {
      BAYOU_ASSIGN(auto maintenance, ParseMaintenance(text_, tokens_));
      if (maintenance) return Maintain(*std::move(maintenance));
      BAYOU_ASSIGN(const auto convert, ParseConvert(text_, tokens_));
      if (convert) {
        Replace(0, tokens_.size(), *convert);
        return {};
      }
    }
    return {};
  }

  Status Describe(std::size_t i) {
    if (DescribeLog(i)) return {};
    std::size_t at = Skip(i + 1, {"table"});
    // DESCRIBE [TABLE] [EXTENDED] t [VERSION AS OF n]
    if ((Is(at, "extended") || Is(at, "formatted")) && !IsEnd(at + 1)) ++at;
    const std::optional<NameAt> table = ParseTableName(tokens_, at);
    if (table && (Is(table->next, "at") ||
                  ParseTimeTravel(text_, tokens_, table->next))) {
      edits_.Insert(tokens_[i].end, " SELECT * FROM");
    }
    if (at > i + 1) Replace(i + 1, at, "");
    return {};
  }

  // DESCRIBE HISTORY t [LIMIT n] and DESCRIBE DETAIL t, as statements or in a
  // bracket; the token behind it.
  std::optional<std::size_t> DescribeLog(std::size_t i) {
    if (!Is(i, "describe") && !Is(i, "desc")) return std::nullopt;
    const std::size_t at = Skip(i + 1, {"table"});
    const bool history = Is(at, "history");
    if ((!history && !Is(at, "detail")) || IsEnd(at + 1)) return std::nullopt;
    const std::optional<NameAt> table = ParseTableName(tokens_, at + 1);
    if (!table) return std::nullopt;
    std::string call = history ? "SELECT * FROM bayou_history("
                               : "SELECT * FROM bayou_detail(";
    call += engine::Literal(table->name.Sql());
    std::size_t next = table->next;
    if (history && Is(next, "limit") && IsKind(next + 1, TokenKind::kNumber)) {
      call += ", " + std::string(tokens_[next + 1].text);
      next += 2;
    }
    Replace(i, next, call + ")");
    return next;
  }

  Status Show(std::size_t i) {
    if (Is(i + 1, "tables") && Is(i + 2, "in")) Replace(i + 2, i + 3, "FROM");
    const bool columns =
        Is(i + 1, "columns") && (Is(i + 2, "in") || Is(i + 2, "from"));
    const bool properties = Is(i + 1, "tblproperties");
    if (!columns && !properties) return {};
    const std::optional<NameAt> table =
        ParseTableName(tokens_, i + (columns ? 3 : 2));
    if (!table) return {};
    if (columns) {
      Replace(i, table->next,
              "SELECT column_name AS col_name FROM (DESCRIBE " +
                  table->name.Sql() + ")");
    } else {
      Replace(i, table->next,
              "SELECT e.key, e.value FROM (SELECT "
              "unnest(map_entries(properties)) AS e "
              "FROM bayou_detail(" +
                  engine::Literal(table->name.Sql()) + "))");
    }
    return {};
  }

  // SET spark.databricks.delta.x.y = v: a dotted name is no setting of
  // DuckDB's.
  Status Setting(std::size_t i) {
    if (Is(i, "set") && Is(i + 1, "transaction")) {
      BAYOU_ASSIGN(next_write_, ParseSetTransaction(tokens_, i + 2));
      return {};
    }
    std::size_t at = Skip(i + 1, {"session", "global", "local"});
    const std::size_t first = at;
    if (!Is(at, "spark") || !IsSymbol(at + 1, '.')) return {};
    std::string name(tokens_[at].text);
    for (++at; IsSymbol(at, '.') && !IsEnd(at + 1); at += 2) {
      name += "." + std::string(tokens_[at + 1].text);
    }
    BAYOU_ASSIGN(const std::string_view setting, SettingOfSpark(name));
    Replace(first, at, setting);
    // A bare word is no value of DuckDB's.
    if ((IsSymbol(at, '=') || Is(at, "to")) && at + 2 == tokens_.size() &&
        IsKind(at + 1, TokenKind::kWord)) {
      Replace(at + 1, at + 2, engine::Literal(tokens_[at + 1].text));
    }
    return {};
  }

  Status Create(std::size_t i) {
    if (i == 0) {
      BAYOU_ASSIGN(auto clone, ParseClone(text_, tokens_));
      if (clone) {
        command_ = TableCommand{"CLONE", std::move(clone->source), true,
                                std::move(clone->run), /*shows_rows=*/true};
        return {};
      }
    }
    if (Is(i, "replace")) {
      const std::size_t table = After(i, {"replace", "table"});
      return table == 0 ? Status{} : NotYet("REPLACE TABLE");
    }
    std::size_t at = Skip(i + 1, {"or", "replace", "temp", "temporary"});
    if (!Is(at, "table")) return {};
    const bool temporary = Is(at - 1, "temp") || Is(at - 1, "temporary");
    at = Skip(at + 1, {"if", "not", "exists"});
    const std::optional<NameAt> table = ParseTableName(tokens_, at);
    if (!table) return {};
    if (IsKind(at, TokenKind::kString))
      Replace(at, table->next, table->name.Sql());
    if (Is(table->next, "like") && i == 0)
      return CreateLike(at, *table, table->next + 1);
    const auto is_delta = [&] {
      return !temporary && (!is_delta_ || is_delta_(table->name));
    };
    return RewriteCreateTable(text_, tokens_, table->next, is_delta, edits_);
  }

  // The table that is there decides whether it is for us.
  Status CreateLike(std::size_t at, const NameAt& table, std::size_t i) {
    const std::optional<NameAt> source = ParseTableName(tokens_, i);
    const std::size_t end = source ? Skip(source->next, {"using", "delta"}) : 0;
    if (!source || !IsEnd(end)) {
      return NotYet("CREATE TABLE LIKE with more clauses");
    }
    command_ =
        TableCommand{"CREATE TABLE LIKE", source->name, false,
                     "SELECT * FROM bayou_create_table_like(" +
                         engine::Literal(table.name.Sql()) + ", " +
                         engine::Literal(source->name.Sql()) + ", " +
                         (Is(at - 1, "exists") ? "true" : "false") + ")"};
    return {};
  }

  Status Insert(std::size_t i) {
    BAYOU_ASSIGN(auto clauses, TakeInsertClauses(text_, tokens_, i, edits_));
    if (!clauses) return {};
    insert_ = *std::move(clauses);
    evolves_schema_ = insert_.evolves_schema;
    may_evolve_schema_ = !insert_.overwrites_schema;
    return {};
  }

  Status Merge(std::size_t i) {
    may_evolve_schema_ = true;
    if (After(i, {"merge", "with", "schema", "evolution"}) == 0) return {};
    evolves_schema_ = true;
    Replace(i + 1, i + 4, "");
    return {};
  }

  Status Alter(std::size_t i) {
    const std::size_t at = Skip(i + 2, {"if", "exists"});
    const std::optional<NameAt> table = ParseTableName(tokens_, at);
    if (!table || IsEnd(table->next)) return {};
    AlterBy(table->name, text_.substr(tokens_[table->next].begin));
    return {};
  }

  // COMMENT ON TABLE t IS 'x', COMMENT ON COLUMN t.a IS NULL
  Status CommentOn(std::size_t i) {
    std::optional<NameAt> name = ParseTableName(tokens_, i + 3);
    if (!name || !Is(name->next, "is") || IsEnd(name->next + 1)) return {};
    const Token& text = tokens_[name->next + 1];
    const std::string comment =
        engine::Literal(text.Is("null") ? "" : text.Value());
    if (Is(i + 2, "table")) {
      AlterBy(name->name,
              text.Is("null")
                  ? "UNSET TBLPROPERTIES IF EXISTS ('comment')"
                  : "SET TBLPROPERTIES ('comment' = " + comment + ")");
    } else if (Is(i + 2, "column") && name->name.parts.size() > 1) {
      const std::string column = engine::Identifier(name->name.table());
      name->name.parts.pop_back();
      AlterBy(name->name, "ALTER COLUMN " + column + " COMMENT " + comment);
    }
    return {};
  }

  void AlterBy(const TableName& table, std::string_view clauses) {
    command_ = TableCommand{"ALTER TABLE", table, false,
                            "SELECT * FROM bayou_alter_table(" +
                                engine::Literal(table.Sql()) + ", " +
                                engine::Literal(clauses) + ")"};
  }

  Status Maintain(MaintenanceStatement statement) {
    command_ = TableCommand{statement.operation, std::move(statement.target),
                            statement.only_delta, std::move(statement.run),
                            /*shows_rows=*/true};
    return {};
  }

  // For statements that make a table, so that there is none to look at.
  static Status NotYet(const std::string& operation) {
    return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                operation +
                    " is not supported by this version of Bayou; nothing was "
                    "changed");
  }

  // ------------------------------------------------- spellings, wherever they
  // are

  Status Spellings() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      FollowFromLists(i);
      if (edits_.Covers(tokens_[i].begin)) continue;
      BAYOU_ASSIGN(const std::size_t next, Spelling(i));
      i = std::max(i + 1, next) - 1;
    }
    return {};
  }

  // Rewrites what begins at token `i`, if anything does; the token behind it.
  Result<std::size_t> Spelling(std::size_t i) {
    if (BeginsNestedType(tokens_, i)) {
      BAYOU_ASSIGN(const std::optional<TypeAt> type,
                   ParseType(text_, tokens_, i));
      if (type) {
        Replace(i, type->next, type->sql);
        return type->next;
      }
    }
    if (i > 0 && IsSymbol(i - 1, '(')) {
      if (const auto next = DescribeLog(i)) return *next;
    }
    if (const std::optional<NameAt> path = PathAt(i)) return PathName(i, *path);
    if (const auto travel = ParseTimeTravel(text_, tokens_, i)) {
      ApplyTimeTravel(text_, tokens_, i, *travel, edits_);
      return travel->next;
    }
    if (IsArgumentName(i)) {
      Replace(i, i + 1, engine::Identifier(LowerCase(tokens_[i].text)));
      return i + 1;
    }
    if (IsKind(i, TokenKind::kBacktick)) {
      Replace(i, i + 1, engine::Identifier(tokens_[i].Value()));
    } else if (Is(i, "_metadata") && IsSymbol(i + 1, '.') && !IsEnd(i + 2) &&
               IsOneOf(tokens_[i + 2], kMetadataFields)) {
      Replace(i, i + 3, "\"_metadata." + LowerCase(tokens_[i + 2].text) + "\"");
      return i + 3;
    }
    return i + 1;
  }

  // timestamp => and where => name arguments, but are keywords to DuckDB. In
  // AT (TIMESTAMP => ...) it is one.
  bool IsArgumentName(std::size_t i) const {
    return (Is(i, "timestamp") || Is(i, "where")) && IsSymbol(i + 1, '=') &&
           IsSymbol(i + 2, '>') && i > 1 && !Is(i - 2, "at");
  }

  // A table named by path. A text counts where a table can stand, and only if
  // it means a folder: files are for DuckDB's readers.
  std::optional<NameAt> PathAt(std::size_t i) const {
    if (i > 0 && tokens_[i - 1].Is('.')) return std::nullopt;
    std::optional<NameAt> name = ParseTableName(tokens_, i);
    if (!name || !name->name.is_path) return std::nullopt;
    if (!IsKind(i, TokenKind::kString)) return name;
    const std::string& path = name->name.table();
    if (i == 0 || path.empty()) return std::nullopt;
    const Token& before = tokens_[i - 1];
    if (before.Is("into") || before.Is("update")) return name;
    const Bracket& bracket = brackets_.back();
    const bool in_table_place = (before.Is("from") && !bracket.is_call) ||
                                before.Is("join") || before.Is("table") ||
                                before.Is("describe") || before.Is("desc") ||
                                before.Is("summarize") || before.Is("using") ||
                                (before.Is(',') && bracket.in_from);
    const bool is_file_to_copy = in_copy_ && brackets_.size() == 1;
    if (!in_table_place || is_file_to_copy || IsForDuckDB(path)) {
      return std::nullopt;
    }
    const Place place = place_of_(path);
    const bool looks_like_folder =
        place == Place::kNothing && path.back() == '/';
    if (place != Place::kTable && place != Place::kFolder &&
        !looks_like_folder) {
      return std::nullopt;
    }
    return name;
  }

  // delta.`path@v3` means version 3, unless a folder has that very name.
  Result<std::size_t> PathName(std::size_t i, const NameAt& path) {
    std::string place = path.name.table();
    std::optional<TimeTravelAt> travel;
    if (place_of_(place) == Place::kNothing) travel = TakeVersionSuffix(place);
    Replace(i, path.next, TableName::OfPath(place).Sql());
    if (travel) {
      travel->next = path.next;
      ApplyTimeTravel(text_, tokens_, path.next, *travel, edits_);
    }
    return path.next;
  }

  // Keeps, for each open bracket, whether a FROM list is going on in it.
  void FollowFromLists(std::size_t i) {
    const Token& token = tokens_[i];
    if (token.Is('(')) {
      brackets_.push_back(
          {.is_call = i > 0 && IsOneOf(tokens_[i - 1], kCallsWithFrom)});
    } else if (token.Is(')') && brackets_.size() > 1) {
      brackets_.pop_back();
    } else if (token.Is("from")) {
      brackets_.back().in_from = !brackets_.back().is_call;
    } else if (IsOneOf(token, kFromEnds)) {
      brackets_.back().in_from = false;
    }
  }

  struct Bracket {
    bool is_call = false;  // Of a function whose arguments have a FROM.
    bool in_from = false;
  };

  std::string_view text_;
  Tokens lexed_;
  std::span<const Token> tokens_;
  const PlaceOf& place_of_;
  const IsDelta& is_delta_;
  TextEdits edits_;
  std::optional<TableCommand> command_;
  InsertClauses insert_;
  std::optional<WriteOptions> next_write_;
  bool evolves_schema_ = false;
  bool may_evolve_schema_ = false;
  std::vector<Bracket> brackets_ = {{}};  // Outermost: the statement.
  bool in_copy_ = false;
};

}  // namespace

std::vector<std::string_view> SplitStatements(std::string_view text) {
  std::vector<std::string_view> statements;
  const Tokens lexed = Tokenize(text);
  const Token* first = nullptr;
  const Token* last = nullptr;
  const auto finish = [&] {
    if (first)
      statements.push_back(text.substr(first->begin, last->end - first->begin));
    first = nullptr;
  };
  for (const Token& token : lexed.tokens) {
    if (token.Is(';')) {
      finish();
      continue;
    }
    if (!first) first = &token;
    last = &token;
  }
  finish();
  return statements;
}

Result<Statement> Translate(std::string_view statement, const PlaceOf& place_of,
                            const IsDelta& is_delta) {
  return Translator(statement, place_of, is_delta).Run();
}

}  // namespace bayou::sql
