// SPDX-License-Identifier: Apache-2.0
#include "sql/table_definition.h"

#include <fmt/format.h>

#include <charconv>
#include <duckdb/parser/constraints/not_null_constraint.hpp>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <map>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/protocol/table_properties.h"
#include "kernel/transaction/commit_info.h"
#include "sql/alter_statement.h"
#include "sql/property_list.h"
#include "sql/settings.h"
#include "sql/stored_text.h"
#include "sql/table_options.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

using duckdb::ClientContext;

tl::unexpected<Error> Unsupported(std::string_view condition,
                                  std::string message) {
  return Fail(ErrorCode::kUnsupported, condition, std::move(message));
}

Status CheckColumn(const duckdb::ColumnDefinition& column) {
  if (column.Generated()) {
    return Unsupported(
        "DELTA_UNSUPPORTED_GENERATED_COLUMN",
        fmt::format("column {} is generated, which Bayou cannot write yet",
                    column.Name()));
  }
  if (column.HasDefaultValue()) {
    return Unsupported(
        "DELTA_UNSUPPORTED_COLUMN_DEFAULT",
        fmt::format("column {} has a DEFAULT, which Bayou cannot write "
                    "yet; leave it out",
                    column.Name()));
  }
  return {};
}

// What the option says for the column, or nullptr.
const std::string* Of(const std::map<std::string, std::string>& option,
                      const std::string& column) {
  const auto found = option.find(column);
  return found == option.end() ? nullptr : &found->second;
}

// The type as it was declared, with NOT NULL and comments inside of it.
Result<protocol::DataType> DeclaredType(const std::string& json) {
  BAYOU_ASSIGN(auto schema,
               protocol::ParseSchema(
                   R"({"type":"struct","fields":[{"name":"c","type":)" + json +
                   R"(,"nullable":true,"metadata":{}}]})"));
  return std::move(schema.fields.front().type);
}

// ALWAYS ( START WITH 1 INCREMENT BY 2 )
Status AddIdentity(const std::string& words, protocol::Field& field) {
  const auto invalid = [&](std::string_view what) {
    return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_COLUMNS",
                fmt::format("column {}: {}", field.name, what));
  };
  if (field.type.kind != protocol::TypeKind::kLong) {
    return invalid("an identity column is a BIGINT");
  }
  std::map<std::string, std::string> numbers = {{"start", "1"},
                                                {"increment", "1"}};
  const Tokens lexed = Tokenize(words);
  const auto& tokens = lexed.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto number = numbers.find(LowerCase(tokens[i].text));
    if (number == numbers.end()) continue;
    std::size_t at = i + 1;
    if (IsWord(tokens, at, "with") || IsWord(tokens, at, "by")) ++at;
    const auto value = TakePropertyWord(tokens, at);
    std::int64_t parsed = 0;
    const char* end = value ? value->data() + value->size() : nullptr;
    const auto read = value ? std::from_chars(value->data(), end, parsed)
                            : std::from_chars_result{};
    if (!value || read.ec != std::errc{} || read.ptr != end) {
      return invalid("IDENTITY (START WITH number INCREMENT BY number)");
    }
    number->second = std::to_string(parsed);
  }
  if (numbers["increment"] == "0") return invalid("IDENTITY INCREMENT BY 0");
  field.metadata["delta.identity.start"] = numbers["start"];
  field.metadata["delta.identity.step"] = numbers["increment"];
  field.metadata["delta.identity.allowExplicitInsert"] =
      words.starts_with("BY") ? "true" : "false";
  return {};
}

Result<protocol::Field> FieldOf(ClientContext& context,
                                const duckdb::ColumnDefinition& column,
                                const TableOptions& options) {
  BAYOU_TRY(CheckColumn(column));
  protocol::Field field;
  field.name = column.Name();
  auto type = engine::FromLogicalType(column.Type());
  if (!type) {
    Error error = type.error();
    error.message = fmt::format("column {}: {}", column.Name(), error.message);
    return tl::unexpected<Error>(std::move(error));
  }
  field.type = *std::move(type);
  if (const auto* json = Of(options.column_types, field.name)) {
    BAYOU_ASSIGN(field.type, DeclaredType(*json));
  }
  if (const auto* length = Of(options.lengths, field.name)) {
    field.metadata["__CHAR_VARCHAR_TYPE_STRING"] =
        transaction::TextParameter(*length);
  }
  if (const auto* comment = Of(options.column_comments, field.name)) {
    field.metadata["comment"] = transaction::TextParameter(*comment);
  }
  if (const auto* text = Of(options.defaults, field.name)) {
    BAYOU_ASSIGN(const std::string stored,
                 StoredDefault(context, *text, field.type));
    field.metadata["CURRENT_DEFAULT"] = transaction::TextParameter(stored);
  }
  if (const auto* words = Of(options.identities, field.name)) {
    BAYOU_TRY(AddIdentity(*words, field));
  }
  return field;
}

// Expressions over columns, once all of these are known.
Status AddRules(ClientContext& context, const TableOptions& options,
                commands::TableDefinition& definition) {
  protocol::Schema schema{definition.columns};
  for (protocol::Field& field : schema.fields) {
    if (Of(options.generated, field.name) != nullptr) {
      field.metadata["delta.generationExpression"] = "null";
    }
  }
  for (protocol::Field& field : definition.columns) {
    const auto* text = Of(options.generated, field.name);
    if (text == nullptr) continue;
    BAYOU_ASSIGN(const std::string stored,
                 StoredGeneration(context, *text, schema, field));
    field.metadata["delta.generationExpression"] =
        transaction::TextParameter(stored);
  }
  for (const auto& [name, text] : options.checks) {
    BAYOU_ASSIGN(const std::string stored,
                 StoredCondition(context, text, schema));
    if (!definition.constraints.emplace(LowerCase(name), stored).second) {
      return Fail(
          ErrorCode::kAlreadyExists, "DELTA_CONSTRAINT_ALREADY_EXISTS",
          fmt::format("two constraints of the new table are called {}", name));
    }
  }
  if (options.cluster_by) {
    BAYOU_ASSIGN(const auto parsed, ParseAlterStatement(*options.cluster_by));
    definition.cluster_by =
        std::get<commands::ClusterBy>(parsed.alteration).columns;
  }
  return {};
}

Status ApplyConstraint(const duckdb::Constraint& constraint,
                       std::vector<protocol::Field>& columns) {
  if (constraint.type != duckdb::ConstraintType::NOT_NULL) {
    return Unsupported(
        "DELTA_UNSUPPORTED_CONSTRAINT",
        fmt::format(
            "a new table cannot have the constraint {}; a Delta table has NOT "
            "NULL, and conditions with a name: CONSTRAINT c CHECK (v > 0)",
            constraint.ToString()));
  }
  const auto column = constraint.Cast<duckdb::NotNullConstraint>().index.index;
  columns[column].nullable = false;
  return {};
}

Status CheckSupportedClauses(const duckdb::CreateTableInfo& info) {
  if (info.temporary) {
    return Unsupported(
        "DELTA_UNSUPPORTED_TEMPORARY_TABLE",
        "a Delta table cannot be temporary; leave TEMPORARY out, or "
        "create it in database memory");
  }
  if (!info.sort_keys.empty()) {
    return Unsupported(
        "DELTA_UNSUPPORTED_CLUSTERING",
        "SORTED BY is not supported; CLUSTER BY (columns) is what Delta has");
  }
  return {};
}

}  // namespace

Result<commands::TableDefinition> DefinitionOf(
    ClientContext& context, const duckdb::CreateTableInfo& info) {
  BAYOU_TRY(CheckSupportedClauses(info));
  BAYOU_ASSIGN(TableOptions options, FromCreateTable(info));
  commands::TableDefinition definition;
  for (const duckdb::ColumnDefinition& column : info.columns.Logical()) {
    BAYOU_ASSIGN(protocol::Field field, FieldOf(context, column, options));
    definition.columns.push_back(std::move(field));
  }
  for (const auto& constraint : info.constraints) {
    BAYOU_TRY(ApplyConstraint(*constraint, definition.columns));
  }
  for (const auto& key : info.partition_keys) {
    if (key->GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF) {
      return Unsupported(
          "DELTA_UNSUPPORTED_PARTITION_EXPRESSION",
          fmt::format("PARTITIONED BY ({}) is no column; Delta tables are "
                      "partitioned by columns",
                      key->ToString()));
    }
    definition.partition_columns.push_back(
        key->Cast<duckdb::ColumnRefExpression>().GetColumnName());
  }
  BAYOU_TRY(AddRules(context, options, definition));
  BAYOU_TRY(protocol::CheckUserProperties(
      options.properties, BoolSetting(context, kAllowUnknownProperties)));
  definition.properties = std::move(options.properties);
  definition.comment = std::move(options.comment);
  return definition;
}

}  // namespace bayou::sql
