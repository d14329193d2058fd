// SPDX-License-Identifier: Apache-2.0
#include "sql/clone_statement.h"

#include <utility>

#include "kernel/engine/engine.h"
#include "sql/property_list.h"
#include "sql/time_travel_spelling.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

using engine::Literal;

class Parser : private TokenCursor {
 public:
  Parser(std::string_view text, std::span<const Token> tokens)
      : TokenCursor(tokens, 0), text_(text) {}

  Result<std::optional<CloneStatement>> Run() {
    if (!TakeHead()) return std::nullopt;
    const auto clone = ParseTableName(tokens_, i_);
    if (!clone) return std::nullopt;
    i_ = clone->next;
    const bool is_shallow = Take("shallow");
    if (!is_shallow) Take("deep");
    if (!Take("clone")) return std::nullopt;
    const auto source = ParseTableName(tokens_, i_);
    if (!source) return Malformed("CLONE wants a table");
    i_ = source->next;
    std::string run = "SELECT * FROM bayou_clone(" +
                      Literal(clone->name.Sql()) + ", " +
                      Literal(source->name.Sql());
    if (is_shallow) run += ", shallow => true";
    if (mode_ != nullptr) run += std::string(", mode => '") + mode_ + "'";
    BAYOU_ASSIGN(const std::string clauses, Clauses());
    return CloneStatement{source->name, run + clauses + ")"};
  }

 private:
  static tl::unexpected<Error> Malformed(std::string message) {
    return Fail(ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
                std::move(message));
  }

  bool TakeHead() {
    if (Take("replace")) {
      mode_ = "replace";
      return Take("table");
    }
    if (!Take("create")) return false;
    if (Is("or") && Is("replace", 1)) {
      i_ += 2;
      mode_ = "create_or_replace";
    }
    if (!Take("table")) return false;
    if (mode_ == nullptr && Is("if") && Is("not", 1) && Is("exists", 2)) {
      i_ += 3;
      mode_ = "create_if_not_exists";
    }
    return true;
  }

  Result<std::string> Clauses() {
    std::string arguments;
    if (const auto travel = ParseTimeTravel(text_, tokens_, i_)) {
      arguments += ", " + TimeTravelArgument(*travel);
      i_ = travel->next;
    }
    while (!AtEnd()) {
      if (Take("tblproperties")) {
        BAYOU_ASSIGN(const auto properties, TakeProperties(tokens_, i_));
        arguments += ", properties => " + MapOf(properties);
      } else if (Is("location") && IsKind(TokenKind::kString, 1)) {
        arguments += ", location => " + Literal(tokens_[i_ + 1].Value());
        i_ += 2;
      } else {
        return Malformed("CLONE: " + std::string(tokens_[i_].text) +
                         " is not expected here");
      }
    }
    return arguments;
  }

  static std::string MapOf(const std::map<std::string, std::string>& items) {
    std::string map;
    for (const auto& [key, value] : items)
      map += (map.empty() ? "" : ", ") + Literal(key) + ": " + Literal(value);
    return "MAP {" + map + "}";
  }

  std::string_view text_;
  const char* mode_ = nullptr;  // Of bayou_clone; nullptr: there is no table.
};

}  // namespace

Result<std::optional<CloneStatement>> ParseClone(
    std::string_view text, std::span<const Token> tokens) {
  return Parser(text, tokens).Run();
}

}  // namespace bayou::sql
