// SPDX-License-Identifier: Apache-2.0
#include "sql/table_options.h"

#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/parsed_data/create_table_info.hpp>

#include "base/json.h"
#include "kernel/engine/engine.h"

namespace bayou::sql {
namespace {

constexpr std::string_view kProperties = "bayou_properties";
constexpr std::string_view kColumnComments = "bayou_column_comments";
constexpr std::string_view kComment = "bayou_comment";
constexpr std::string_view kLocation = "bayou_location";

std::string ToJson(const std::map<std::string, std::string>& map) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  for (const auto& [key, value] : map) {
    WriteKey(writer, key);
    WriteString(writer, value);
  }
  writer.EndObject();
  return TakeText(buffer);
}

Status FromJson(std::string_view text,
                std::map<std::string, std::string>& map) {
  simdjson::dom::parser parser;
  BAYOU_ASSIGN(const simdjson::dom::element parsed, ParseJson(parser, text));
  simdjson::dom::object object;
  if (parsed.get(object) != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_TABLE_PROPERTY",
                "a JSON object of texts is wanted, not " + std::string(text));
  }
  for (const auto [key, value] : object) {
    std::string_view word;
    if (value.get(word) != simdjson::SUCCESS) {
      return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_TABLE_PROPERTY",
                  "the value of " + std::string(key) + " must be a text");
    }
    map[std::string(key)] = word;
  }
  return {};
}

// `k = v`: a constant, or a bare word, which DuckDB parses as a column.
Result<std::string> TextOf(const std::string& option,
                           const duckdb::ParsedExpression& value) {
  if (value.GetExpressionClass() == duckdb::ExpressionClass::CONSTANT) {
    return value.Cast<duckdb::ConstantExpression>().value.ToString();
  }
  if (value.GetExpressionClass() == duckdb::ExpressionClass::COLUMN_REF) {
    return value.Cast<duckdb::ColumnRefExpression>().GetColumnName();
  }
  return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_TABLE_PROPERTY",
              "the value of " + option + " must be a constant, not " +
                  value.ToString());
}

void Append(std::string& clause, std::string_view option,
            std::string_view value) {
  if (!clause.empty()) clause += ", ";
  clause += std::string(option) + " = " + engine::Literal(value);
}

}  // namespace

std::string ToWithClause(const TableOptions& options) {
  std::string clause;
  if (!options.properties.empty())
    Append(clause, kProperties, ToJson(options.properties));
  if (!options.column_comments.empty()) {
    Append(clause, kColumnComments, ToJson(options.column_comments));
  }
  if (options.comment) Append(clause, kComment, *options.comment);
  if (options.location) Append(clause, kLocation, *options.location);
  return clause;
}

Result<TableOptions> FromCreateTable(const duckdb::CreateTableInfo& info) {
  TableOptions options;
  for (const auto& [option, expression] : info.options) {
    if (!expression) continue;
    BAYOU_ASSIGN(std::string value, TextOf(option, *expression));
    if (option == kProperties) {
      BAYOU_TRY(FromJson(value, options.properties));
    } else if (option == kColumnComments) {
      BAYOU_TRY(FromJson(value, options.column_comments));
    } else if (option == kComment) {
      options.comment = std::move(value);
    } else if (option == kLocation) {
      options.location = std::move(value);
    } else {
      options.properties[option] = std::move(value);
    }
  }
  return options;
}

}  // namespace bayou::sql
