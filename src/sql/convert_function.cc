// SPDX-License-Identifier: Apache-2.0
//
// bayou_convert: what CONVERT TO DELTA runs.
#include <fmt/format.h>

#include <cstdio>

#include "base/env.h"
#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "ops/commands/convert.h"
#include "sql/column_type.h"
#include "sql/commit_words.h"
#include "sql/row_function.h"
#include "sql/standalone_command.h"
#include "sql/table_functions.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

using commands::ConvertRequest;
using commands::ConvertResult;
using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::Value;

constexpr const char* kPartitionedBy = "partitioned_by";
constexpr const char* kStatistics = "statistics";

[[noreturn]] void ThrowSyntax(const std::string& text) {
  engine::Throw({ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
                 "PARTITIONED BY wants columns with their types, such as (day "
                 "DATE, country STRING), not (" +
                     text + ")"});
}

// day DATE, country STRING
std::vector<protocol::Field> ParseColumns(const std::string& text) {
  const Tokens lexed = Tokenize(text);
  const std::span<const Token> tokens = lexed.tokens;
  std::vector<protocol::Field> columns;
  for (std::size_t i = 0; i < tokens.size();) {
    if (!tokens[i].IsIdentifier()) ThrowSyntax(text);
    protocol::Field column;
    column.name = tokens[i].Value();
    auto type = ParseColumnType(tokens, i + 1);
    if (!type) ThrowSyntax(text);
    column.type = std::move(type->type);
    columns.push_back(std::move(column));
    i = type->next;
    if (i == tokens.size()) break;
    if (!IsSymbol(tokens, i++, ',')) ThrowSyntax(text);
  }
  if (columns.empty()) ThrowSyntax(text);
  return columns;
}

void Note(const ConvertRequest& request, const ConvertResult& result) {
  if (result.was_table) {
    fmt::print(stderr, "note: {} is a Delta table already\n", request.location);
  }
  for (const std::string& file : result.ignored) {
    fmt::print(stderr,
               "note: file {} is no Parquet file, and no part of the "
               "table\n",
               file);
  }
}

std::vector<Row> Run(ClientContext& context, ConvertRequest request) {
  CheckStandalone(context, "CONVERT TO DELTA");
  request.user_metadata = WordsForCommit(context);
  const ConvertResult result =
      engine::Unwrap(commands::Convert(context, request, Env::System()));
  if (!result.was_table) NoteCommitted(context);
  Note(request, result);
  return {{Value(request.location), Value::BIGINT(result.files),
           Value::BIGINT(result.bytes)}};
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  ConvertRequest request;
  request.location = engine::Unwrap(LocationFromUser(TableArgument(input)));
  const auto by = input.named_parameters.find(kPartitionedBy);
  if (by != input.named_parameters.end() && !by->second.IsNull())
    request.partition_columns = ParseColumns(by->second.ToString());
  const auto statistics = input.named_parameters.find(kStatistics);
  if (statistics != input.named_parameters.end())
    request.collects_statistics = FlagArgument(input, kStatistics);
  return BindRows({{"path", LogicalType::VARCHAR},
                   {"numConvertedFiles", LogicalType::BIGINT},
                   {"sizeInBytes", LogicalType::BIGINT}},
                  types, names, [request](ClientContext& context) {
                    return Run(context, request);
                  });
}

}  // namespace

duckdb::TableFunction ConvertFunction() {
  auto function = RowFunction("bayou_convert", {LogicalType::VARCHAR}, Bind);
  function.named_parameters[kPartitionedBy] = LogicalType::VARCHAR;
  function.named_parameters[kStatistics] = LogicalType::BOOLEAN;
  return function;
}

}  // namespace bayou::sql
