// SPDX-License-Identifier: Apache-2.0
#include "sql/completion.h"

#include <algorithm>
#include <array>
#include <duckdb/catalog/catalog_entry/table_catalog_entry.hpp>
#include <set>
#include <span>
#include <string>

#include "kernel/engine/engine.h"
#include "sql/table_lookup.h"
#include "sql/table_name.h"
#include "sql/token.h"

namespace bayou::sql {
namespace {

constexpr std::array kKeywords = {
    "ALL",     "ALTER",     "AND",       "AS",       "ASC",
    "ATTACH",  "BEGIN",     "BETWEEN",   "BY",       "CASE",
    "CAST",    "COMMIT",    "COPY",      "CREATE",   "DELETE",
    "DESC",    "DESCRIBE",  "DETAIL",    "DISTINCT", "DROP",
    "ELSE",    "END",       "EXCEPT",    "EXISTS",   "EXPLAIN",
    "FROM",    "GROUP",     "HAVING",    "HISTORY",  "IN",
    "INNER",   "INSERT",    "INTERSECT", "INTERVAL", "INTO",
    "IS",      "JOIN",      "LEFT",      "LIKE",     "LIMIT",
    "NAME",    "NOT",       "NULL",      "OF",       "OFFSET",
    "ON",      "OR",        "ORDER",     "OVER",     "PARTITIONED",
    "QUALIFY", "RIGHT",     "ROLLBACK",  "SELECT",   "SET",
    "SHOW",    "SUMMARIZE", "TABLE",     "TABLES",   "TBLPROPERTIES",
    "TEMP",    "THEN",      "TIMESTAMP", "UNION",    "UPDATE",
    "USING",   "VALUES",    "VERSION",   "VIEW",     "WHEN",
    "WHERE",   "WINDOW",    "WITH"};

// Words behind which a table is named.
constexpr std::array kBeforeTable = {"from",   "join",     "into", "update",
                                     "table",  "describe", "desc", "history",
                                     "detail", "summarize"};

bool StartsWithIgnoreCase(std::string_view word, std::string_view prefix) {
  return word.size() >= prefix.size() &&
         EqualIgnoringCase(word.substr(0, prefix.size()), prefix);
}

bool IsPlainName(std::string_view name) {
  const Tokens lexed = Tokenize(name);
  return lexed.tokens.size() == 1 &&
         lexed.tokens.front().kind == TokenKind::kWord;
}

class Completer {
 public:
  Completer(duckdb::ClientContext& context, const LakeFolder& lake,
            std::string_view text)
      : context_(context),
        lake_(lake),
        lexed_(Tokenize(text)),
        tokens_(lexed_.tokens) {
    if (!tokens_.empty() && tokens_.back().end == text.size() &&
        tokens_.back().kind == TokenKind::kWord) {
      prefix_ = tokens_.back().text;
      tokens_ = tokens_.first(tokens_.size() - 1);
    }
    start_ = text.size() - prefix_.size();
  }

  std::vector<Session::Completion> Run() {
    if (lexed_.open_comment || (!tokens_.empty() && !tokens_.back().closed))
      return {};
    if (LastIsOneOf(kBeforeTable)) {
      AddTables();
    } else if (!tokens_.empty() && tokens_.back().Is("set")) {
      AddSettings();
    } else {
      AddColumns();
      if (tokens_.empty() || !tokens_.back().Is('.')) {
        for (const char* keyword : kKeywords) AddKeyword(keyword);
      }
    }
    std::vector<Session::Completion> completions;
    for (const std::string& word : words_)
      completions.push_back({word, start_});
    return completions;
  }

 private:
  template <std::size_t N>
  bool LastIsOneOf(const std::array<const char*, N>& words) const {
    return !tokens_.empty() &&
           std::ranges::any_of(words, [&](const char* word) {
             return tokens_.back().Is(word);
           });
  }

  void Add(std::string_view word) {
    if (StartsWithIgnoreCase(word, prefix_)) words_.emplace(word);
  }
  // In the letters' case of what is typed. The word itself completes nothing.
  void AddKeyword(std::string_view keyword) {
    if (EqualIgnoringCase(keyword, prefix_)) return;
    const std::string lower = LowerCase(keyword);
    const bool typed_lower = !prefix_.empty() && lower.starts_with(prefix_);
    Add(typed_lower ? lower : keyword);
  }
  void AddName(const std::string& name) {
    if (StartsWithIgnoreCase(name, prefix_)) {
      words_.insert(IsPlainName(name) ? name : engine::Identifier(name));
    }
  }

  void AddTables() {
    for (const std::string& table : lake_.Tables(kMainSchema)) AddName(table);
    for (const std::string& schema : lake_.Schemas()) AddName(schema);
  }

  void AddSettings() {
    for (const auto& option : duckdb::DBConfig::GetOptionNames()) Add(option);
    for (const auto& [name, option] :
         duckdb::DBConfig::GetConfig(context_).GetExtensionSettings()) {
      Add(name);
    }
  }

  // Of every table that is named so far in the text.
  void AddColumns() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (!std::ranges::any_of(
              kBeforeTable, [&](const char* w) { return tokens_[i].Is(w); })) {
        continue;
      }
      if (const auto name = ParseTableName(tokens_, i + 1))
        AddColumnsOf(name->name);
    }
  }

  void AddColumnsOf(const TableName& name) {
    // A table that cannot be opened completes nothing.
    (void)engine::Guard([&] {
      context_.RunFunctionInTransaction([&] {
        auto entry =
            FindEntry(context_, name, duckdb::OnEntryNotFound::RETURN_NULL);
        if (!entry || entry->type != duckdb::CatalogType::TABLE_ENTRY) return;
        for (const auto& column :
             entry->Cast<duckdb::TableCatalogEntry>().GetColumns().Logical()) {
          AddName(column.Name());
        }
      });
    });
  }

  duckdb::ClientContext& context_;
  const LakeFolder& lake_;
  Tokens lexed_;
  std::span<const Token> tokens_;
  std::string_view prefix_;
  std::size_t start_ = 0;
  std::set<std::string> words_;
};

}  // namespace

std::vector<Session::Completion> Complete(duckdb::ClientContext& context,
                                          const LakeFolder& lake,
                                          std::string_view text,
                                          std::size_t cursor) {
  return Completer(context, lake, text.substr(0, cursor)).Run();
}

}  // namespace bayou::sql
