// SPDX-License-Identifier: Apache-2.0
#include "sql/alter_statement.h"

#include <utility>

#include "kernel/transaction/commit_info.h"
#include "sql/column_type.h"
#include "sql/property_list.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

using commands::ColumnPath;
using commands::ColumnPosition;
using transaction::TextParameter;

class AlterParser : private TokenCursor {
 public:
  AlterParser(std::string_view text, std::span<const Token> tokens)
      : TokenCursor(tokens, 0), text_(text) {}

  Result<AlterStatement> Run() {
    BAYOU_TRY(Clause());
    if (!AtEnd()) return Malformed();
    return std::move(statement_);
  }

 private:
  tl::unexpected<Error> Malformed() const {
    std::string place = "at its end";
    if (i_ < tokens_.size()) {
      place = "at '" + std::string(tokens_[i_].text) + "'";
    }
    return Fail(ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
                "ALTER TABLE ... " + std::string(text_) +
                    " is not understood " + place);
  }

  tl::unexpected<Error> Unsupported(const std::string& what) const {
    return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                "ALTER TABLE: " + what);
  }

  bool TakeAll(std::initializer_list<std::string_view> words) {
    std::size_t ahead = 0;
    for (const std::string_view word : words) {
      if (!Is(word, ahead++)) return false;
    }
    i_ += ahead;
    return true;
  }

  Status Clause() {
    if (Take("add")) return Add();
    if (Take("drop")) return Drop();
    if (Take("rename")) return Rename();
    if (Take("set")) return Set();
    if (Take("unset")) return Unset();
    if (Take("cluster")) return Cluster();
    if (Take("alter") || Take("change")) {
      Take("column");
      return Change();
    }
    if (Is("replace") || Is("recover") || Is("partition")) {
      return Unsupported("this clause is not supported; nothing was changed");
    }
    return Malformed();
  }

  Result<std::string> Name() {
    if (AtEnd() || !tokens_[i_].IsIdentifier()) return Malformed();
    return tokens_[i_++].Value();
  }

  Result<ColumnPath> Path() {
    ColumnPath path;
    do {
      BAYOU_ASSIGN(std::string name, Name());
      path.push_back(std::move(name));
    } while (TakeSymbol('.'));
    return path;
  }

  // (a, b.c), or a path without brackets.
  Result<std::vector<ColumnPath>> Paths() {
    std::vector<ColumnPath> paths;
    const bool brackets = TakeSymbol('(');
    do {
      BAYOU_ASSIGN(ColumnPath path, Path());
      paths.push_back(std::move(path));
    } while (TakeSymbol(','));
    if (brackets && !TakeSymbol(')')) return Malformed();
    return paths;
  }

  // What is between the bracket at i_ and the one that closes it.
  Result<std::string> Bracketed() {
    if (!IsSymbol('(')) return Malformed();
    const std::size_t begin = tokens_[i_].end;
    int depth = 0;
    do {
      if (AtEnd()) return Malformed();
      depth += IsSymbol('(') ? 1 : IsSymbol(')') ? -1 : 0;
      ++i_;
    } while (depth > 0);
    return std::string(text_.substr(begin, tokens_[i_ - 1].begin - begin));
  }

  // ----------------------------------------------------------------------- ADD

  Status Add() {
    if (Take("constraint")) return AddConstraint();
    if (Is("partition")) return Unsupported("Delta tables need no partitions");
    commands::AddColumns add;
    const bool several = Take("columns");
    if (!several) Take("column");
    add.if_not_exists = TakeAll({"if", "not", "exists"});
    const bool brackets = TakeSymbol('(');
    if (several && !brackets) return Malformed();
    do {
      BAYOU_ASSIGN(auto column, NewColumn());
      add.columns.push_back(std::move(column));
    } while (TakeSymbol(','));
    if (brackets && !TakeSymbol(')')) return Malformed();
    statement_.alteration = std::move(add);
    return {};
  }

  Result<commands::AddColumns::Column> NewColumn() {
    commands::AddColumns::Column column;
    BAYOU_ASSIGN(column.parent, Path());
    column.field.name = std::move(column.parent.back());
    column.parent.pop_back();
    auto type = ParseColumnType(tokens_, i_);
    if (!type) return Malformed();
    i_ = type->next;
    column.field.type = std::move(type->type);
    if (type->length_type) {
      column.field.metadata["__CHAR_VARCHAR_TYPE_STRING"] =
          TextParameter(*type->length_type);
    }
    for (;;) {
      if (TakeAll({"not", "null"})) {
        column.field.nullable = false;
      } else if (Take("null")) {
        column.field.nullable = true;
      } else if (Take("comment")) {
        if (!IsKind(TokenKind::kString)) return Malformed();
        column.field.metadata["comment"] = TextParameter(tokens_[i_++].Value());
      } else if (Is("first") || Is("after")) {
        BAYOU_ASSIGN(column.position, Position());
      } else if (Is("default")) {
        return Unsupported(
            "a column is added without DEFAULT, for the rows that are there "
            "keep NULL; add it, then ALTER COLUMN ... SET DEFAULT");
      } else if (Is("generated") || Is("check") || Is("as")) {
        return Unsupported("a column with a rule cannot be added");
      } else {
        return column;
      }
    }
  }

  Result<std::optional<ColumnPosition>> Position() {
    if (Take("first")) return ColumnPosition{};
    if (!Take("after")) return Malformed();
    BAYOU_ASSIGN(std::string name, Name());
    return ColumnPosition{std::move(name)};
  }

  Status AddConstraint() {
    commands::AddConstraint add;
    BAYOU_ASSIGN(add.name, Name());
    if (Is("primary") || Is("foreign") || Is("unique")) {
      return Unsupported("CHECK is the only kind of constraint");
    }
    if (!Take("check")) return Malformed();
    BAYOU_ASSIGN(add.text, Bracketed());
    statement_.alteration = std::move(add);
    return {};
  }

  // ---------------------------------------------------------------------- DROP

  Status Drop() {
    if (Take("constraint")) {
      commands::DropConstraint drop;
      drop.if_exists = TakeAll({"if", "exists"});
      BAYOU_ASSIGN(drop.name, Name());
      statement_.alteration = std::move(drop);
      return {};
    }
    if (Take("feature")) return DropFeature();
    if (Is("partition")) return Unsupported("Delta tables need no partitions");
    commands::DropColumns drop;
    if (!Take("columns")) Take("column");
    drop.if_exists = TakeAll({"if", "exists"});
    BAYOU_ASSIGN(drop.columns, Paths());
    Take("cascade") || Take("restrict");
    statement_.alteration = std::move(drop);
    return {};
  }

  Status DropFeature() {
    commands::DropFeature drop;
    if (IsKind(TokenKind::kString)) {
      drop.name = tokens_[i_++].Value();
    } else {
      do {  // variantType-preview
        BAYOU_ASSIGN(const std::string part, Name());
        drop.name += (drop.name.empty() ? "" : "-") + part;
      } while (TakeSymbol('-'));
    }
    drop.truncate_history = TakeAll({"truncate", "history"});
    statement_.alteration = std::move(drop);
    return {};
  }

  // --------------------------------------------------------- RENAME, SET, ....

  Status Rename() {
    if (Take("to")) {
      BAYOU_ASSIGN(std::string name, Name());
      while (TakeSymbol('.')) BAYOU_TRY(Last(name));
      statement_.rename_to = std::move(name);
      return {};
    }
    Take("column");
    commands::RenameColumn rename;
    BAYOU_ASSIGN(rename.column, Path());
    if (!Take("to")) return Malformed();
    BAYOU_ASSIGN(rename.name, Name());
    statement_.alteration = std::move(rename);
    return {};
  }

  Status Last(std::string& name) {
    BAYOU_ASSIGN(name, Name());
    return {};
  }

  Status Set() {
    if (!Take("tblproperties")) {
      return Unsupported("SET is known with TBLPROPERTIES alone");
    }
    commands::SetProperties set;
    BAYOU_ASSIGN(set.properties, TakeProperties(tokens_, i_));
    statement_.alteration = std::move(set);
    return {};
  }

  Status Unset() {
    if (!Take("tblproperties")) return Malformed();
    commands::UnsetProperties unset;
    unset.if_exists = TakeAll({"if", "exists"});
    BAYOU_ASSIGN(unset.keys, TakePropertyKeys(tokens_, i_));
    statement_.alteration = std::move(unset);
    return {};
  }

  Status Cluster() {
    if (!Take("by")) return Malformed();
    commands::ClusterBy cluster;
    if (!Take("none")) {
      if (!IsSymbol('(')) return Malformed();
      BAYOU_ASSIGN(cluster.columns, Paths());
    }
    statement_.alteration = std::move(cluster);
    return {};
  }

  // -------------------------------------------------------------- ALTER COLUMN

  Status Change() {
    commands::ChangeColumn change;
    BAYOU_ASSIGN(change.column, Path());
    if (Take("type") || TakeAll({"set", "data", "type"})) {
      BAYOU_TRY(ChangeType(change));
    } else if (TakeAll({"set", "not", "null"})) {
      change.nullable = false;
    } else if (TakeAll({"drop", "not", "null"})) {
      change.nullable = true;
    } else if (TakeAll({"set", "default"})) {
      if (AtEnd()) return Malformed();
      change.default_text = text_.substr(tokens_[i_].begin);
      i_ = tokens_.size();
    } else if (TakeAll({"drop", "default"})) {
      change.drop_default = true;
    } else if (Take("comment")) {
      if (!IsKind(TokenKind::kString)) return Malformed();
      change.comment = tokens_[i_++].Value();
    } else if (Is("first") || Is("after")) {
      BAYOU_ASSIGN(change.position, Position());
    } else if (TakeAll({"sync", "identity"})) {
      statement_.alteration =
          commands::SyncIdentity{.column = change.column, .furthest = {}};
      return {};
    } else {
      BAYOU_TRY(ChangeAsHive(change));
    }
    statement_.alteration = std::move(change);
    return {};
  }

  Status ChangeType(commands::ChangeColumn& change) {
    auto type = ParseColumnType(tokens_, i_);
    if (!type) return Malformed();
    if (type->length_type) {
      return Unsupported("a length cannot be changed; use STRING");
    }
    i_ = type->next;
    change.type = std::move(type->type);
    return {};
  }

  // CHANGE COLUMN a a BIGINT COMMENT 'x' AFTER b
  Status ChangeAsHive(commands::ChangeColumn& change) {
    BAYOU_ASSIGN(const std::string name, Name());
    if (!EqualIgnoringCase(name, change.column.back())) {
      return Unsupported("RENAME COLUMN gives a column another name");
    }
    BAYOU_TRY(ChangeType(change));
    if (Take("comment")) {
      if (!IsKind(TokenKind::kString)) return Malformed();
      change.comment = tokens_[i_++].Value();
    }
    if (Is("first") || Is("after")) {
      BAYOU_ASSIGN(change.position, Position());
    }
    return {};
  }

  std::string_view text_;
  AlterStatement statement_;
};

}  // namespace

Result<AlterStatement> ParseAlterStatement(std::string_view text) {
  const Tokens lexed = Tokenize(text);
  return AlterParser(text, lexed.tokens).Run();
}

}  // namespace bayou::sql
