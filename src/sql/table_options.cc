// SPDX-License-Identifier: Apache-2.0
#include "sql/table_options.h"

#include <algorithm>
#include <array>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/parsed_data/create_table_info.hpp>

#include "base/json.h"
#include "kernel/engine/engine.h"

namespace bayou::sql {
namespace {

constexpr std::string_view kComment = "bayou_comment";
constexpr std::string_view kLocation = "bayou_location";
constexpr std::string_view kClusterBy = "bayou_cluster_by";

using TextMap = std::map<std::string, std::string>;

struct MapOption {
  std::string_view name;
  TextMap TableOptions::* map;
};
constexpr std::array kMaps = {
    MapOption{"bayou_properties", &TableOptions::properties},
    MapOption{"bayou_column_comments", &TableOptions::column_comments},
    MapOption{"bayou_column_types", &TableOptions::column_types},
    MapOption{"bayou_lengths", &TableOptions::lengths},
    MapOption{"bayou_defaults", &TableOptions::defaults},
    MapOption{"bayou_generated", &TableOptions::generated},
    MapOption{"bayou_identities", &TableOptions::identities},
    MapOption{"bayou_checks", &TableOptions::checks},
};

struct TextOption {
  std::string_view name;
  std::optional<std::string> TableOptions::* text;
};
constexpr std::array kTexts = {
    TextOption{kComment, &TableOptions::comment},
    TextOption{kLocation, &TableOptions::location},
    TextOption{kClusterBy, &TableOptions::cluster_by},
};

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

bool TableOptions::empty() const {
  return std::ranges::all_of(kMaps,
                             [&](const MapOption& option) {
                               return (this->*option.map).empty();
                             }) &&
         std::ranges::none_of(kTexts, [&](const TextOption& option) {
           return (this->*option.text).has_value();
         });
}

std::string ToWithClause(const TableOptions& options) {
  std::string clause;
  for (const MapOption& option : kMaps) {
    const TextMap& map = options.*option.map;
    if (!map.empty()) Append(clause, option.name, ToJson(map));
  }
  for (const TextOption& option : kTexts) {
    if (const auto& text = options.*option.text) {
      Append(clause, option.name, *text);
    }
  }
  return clause;
}

Result<TableOptions> FromCreateTable(const duckdb::CreateTableInfo& info) {
  TableOptions options;
  for (const auto& [option, expression] : info.options) {
    if (!expression) continue;
    BAYOU_ASSIGN(std::string value, TextOf(option, *expression));
    const auto map =
        std::ranges::find(kMaps, std::string_view(option), &MapOption::name);
    const auto text =
        std::ranges::find(kTexts, std::string_view(option), &TextOption::name);
    if (map != kMaps.end()) {
      BAYOU_TRY(FromJson(value, options.*map->map));
    } else if (text != kTexts.end()) {
      options.*text->text = std::move(value);
    } else {
      options.properties[option] = std::move(value);
    }
  }
  return options;
}

}  // namespace bayou::sql
