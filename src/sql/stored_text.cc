// SPDX-License-Identifier: Apache-2.0
#include "sql/stored_text.h"

#include <algorithm>

#include "kernel/engine/stored_expression_binder.h"
#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/stored_expression.h"

namespace bayou::sql {
namespace {

using protocol::StoredExpression;

Result<StoredExpression> InSparkWords(std::string_view text) {
  BAYOU_ASSIGN(auto written, protocol::ParseStoredExpression(
                                 text, protocol::Spelling::kDuckDB));
  return protocol::InSparkWords(std::move(written));
}

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, "DELTA_EXPRESSION_INVALID",
              std::move(message));
}

}  // namespace

Result<std::string> StoredCondition(duckdb::ClientContext& context,
                                    std::string_view text,
                                    const protocol::Schema& schema) {
  BAYOU_ASSIGN(const auto expression, InSparkWords(text));
  BAYOU_ASSIGN(const auto bound,
               engine::BindStoredExpression(context, expression, schema));
  if (bound->return_type.id() != duckdb::LogicalTypeId::BOOLEAN) {
    return Invalid("'" + std::string(text) + "' is no condition");
  }
  return protocol::SparkText(expression);
}

Result<std::string> StoredGeneration(duckdb::ClientContext& context,
                                     std::string_view text,
                                     const protocol::Schema& schema,
                                     const protocol::Field& column) {
  BAYOU_ASSIGN(const auto expression, InSparkWords(text));
  for (const std::string& used : protocol::ColumnsOf(expression)) {
    const protocol::Field* field = schema.Find(used);
    if (field == nullptr) continue;  // The binder reports it.
    if (protocol::EqualIgnoringCase(used, column.name) ||
        field->metadata.contains("delta.generationExpression")) {
      return Invalid("generated column " + column.name +
                     " cannot be made of column " + used +
                     ", which is generated itself");
    }
  }
  BAYOU_TRY(engine::BindStoredValue(context, expression, schema, column.type));
  return protocol::SparkText(expression);
}

Result<std::string> StoredDefault(duckdb::ClientContext& context,
                                  std::string_view text,
                                  const protocol::DataType& type) {
  BAYOU_ASSIGN(const auto expression, InSparkWords(text));
  BAYOU_TRY(engine::BindStoredValue(context, expression, protocol::Schema{},
                                    type, engine::Clock::kAllowed));
  return protocol::SparkText(expression);
}

}  // namespace bayou::sql
