// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/stored_expression_binder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <duckdb/execution/expression_executor.hpp>
#include <string>
#include <vector>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"

namespace bayou::engine {
namespace {

using protocol::DataType;
using protocol::ParseStoredExpression;
using protocol::Spelling;
using protocol::TypeKind;
using testing::HasSubstr;

// What Spark 4.1 gives in ANSI mode and in time zone UTC, for each of kRows.
struct SparkValues {
  const char* expression;
  const char* type;
  std::vector<const char*> values;
};
const std::vector<SparkValues> kSparkValues = {
#include "kernel/engine/stored_expression_values.inc"
};

constexpr char kRows[] = R"(
SELECT * EXCLUDE k FROM (VALUES
 (0, 1::TINYINT, 10::INT, 100::BIGINT, 1.5::FLOAT, 2.5::DOUBLE,
  12.34::DECIMAL(10,2), 'Hello', TIMESTAMPTZ '2024-02-29 13:45:59.123456+00',
  TIMESTAMP '2024-02-29 23:59:59', DATE '2024-02-29', true, [1,2,3],
  MAP {'a': 1, 'b': 2}, {'a': 7, 'b': 'x'}),
 (1, 127, 2147483647, 9223372036854775807, -0.25, -2.5, -0.05, ' 42 ',
  TIMESTAMPTZ '1969-12-31 23:59:59+00', TIMESTAMP '1999-12-31 00:00:00',
  DATE '1969-12-31', false, [5], MAP {'z': 9}, {'a': NULL, 'b': ''}),
 (2, -128, -2147483648, -5, 0, 0, 0, '', TIMESTAMPTZ '2023-01-01 00:00:00+00',
  TIMESTAMP '2023-01-01 00:00:00.5', DATE '2023-01-01', true, [], MAP {}, NULL),
 (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL),
 (4, 7, -3, 4, 'NaN', 'Infinity', 99999999.99, 'çß%_x',
  TIMESTAMPTZ '9999-12-31 23:59:59.999+00', TIMESTAMP '0001-01-01 00:00:00',
  DATE '2020-12-31', NULL, [NULL, 4], MAP {'a': NULL}, {'a': -1, 'b': 'y'}))
AS v(k, b, i, l, f, d, p, s, t, n, dt, bo, xs, m, st) ORDER BY k)";

protocol::Schema SchemaOf(const duckdb::QueryResult& result) {
  protocol::Schema schema;
  for (std::size_t i = 0; i < result.names.size(); ++i) {
    protocol::Field field;
    field.name = result.names[i];
    field.type = *FromLogicalType(result.types[i]);
    schema.fields.push_back(std::move(field));
  }
  return schema;
}

class StoredExpressionBinderTest : public testing::Test {
 protected:
  StoredExpressionBinderTest()
      : engine_(*StartEngine({})),
        connection_(Connect(*engine_->instance)),
        rows_(connection_->Query(kRows)) {
    EXPECT_FALSE(rows_->HasError()) << rows_->GetError();
    schema_ = SchemaOf(*rows_);
    chunk_ = rows_->Fetch();
    connection_->BeginTransaction();
  }

  Result<duckdb::unique_ptr<duckdb::Expression>> Bind(
      std::string_view text, Clock clock = Clock::kForbidden) {
    BAYOU_ASSIGN(const auto parsed,
                 ParseStoredExpression(text, Spelling::kSpark));
    return BindStoredExpression(*connection_->context, parsed, schema_, clock);
  }

  // The value for one row: text as Spark casts it, NULL or ERROR.
  std::string Value(const duckdb::Expression& bound, duckdb::idx_t row) {
    duckdb::DataChunk one;
    one.InitializeEmpty(chunk_->GetTypes());
    one.Reference(*chunk_);
    duckdb::SelectionVector selected(1);
    selected.set_index(0, row);
    one.Slice(selected, 1);
    duckdb::Vector result(bound.return_type);
    const auto run = Guard([&] {
      duckdb::ExpressionExecutor executor(*connection_->context, bound);
      executor.ExecuteExpression(one, result);
      return result.GetValue(0);
    });
    if (!run) return "ERROR";
    if (run->IsNull()) return "NULL";
    if (bound.return_type.id() == duckdb::LogicalTypeId::TIMESTAMP_TZ) {
      return run->DefaultCastAs(duckdb::LogicalType::TIMESTAMP).ToString();
    }
    if (bound.return_type.id() == duckdb::LogicalTypeId::DECIMAL) {
      const auto scale = duckdb::DecimalType::GetScale(bound.return_type);
      return run->DefaultCastAs(duckdb::LogicalType::DECIMAL(38, scale))
          .ToString();
    }
    return run->ToString();
  }

  std::shared_ptr<duckdb::DuckDB> engine_;
  std::unique_ptr<duckdb::Connection> connection_;
  duckdb::unique_ptr<duckdb::MaterializedQueryResult> rows_;
  protocol::Schema schema_;
  duckdb::unique_ptr<duckdb::DataChunk> chunk_;
};

bool Same(const std::string& value, const std::string& expected,
          const std::string& type) {
  if (value == expected) return true;
  if ((type != "double" && type != "float") || value == "NULL" ||
      value == "ERROR" || expected == "NULL" || expected == "ERROR") {
    return false;
  }
  const double a = std::stod(value);
  const double b = std::stod(expected);
  if (std::isnan(a) && std::isnan(b)) return true;
  if (type == "float" && static_cast<float>(a) == static_cast<float>(b)) {
    return true;  // Printed in other digits.
  }
  return a == b || std::fabs(a - b) <= 1e-15 * std::fabs(b);
}

TEST_F(StoredExpressionBinderTest, GivesTheValuesOfSpark) {
  for (const SparkValues& spark : kSparkValues) {
    const auto bound = Bind(spark.expression);
    ASSERT_TRUE(bound) << spark.expression << ": " << bound.error().message;
    const auto type = FromLogicalType((*bound)->return_type);
    if (type && type->kind != TypeKind::kDecimal) {
      EXPECT_EQ(protocol::TypeName(*type), spark.type) << spark.expression;
    }
    ASSERT_EQ(spark.values.size(), chunk_->size()) << spark.expression;
    for (std::size_t row = 0; row < spark.values.size(); ++row) {
      const std::string value = Value(**bound, row);
      EXPECT_TRUE(Same(value, spark.values[row], spark.type))
          << spark.expression << " in row " << row << " is " << value
          << ", with Spark " << spark.values[row];
    }
  }
}

TEST_F(StoredExpressionBinderTest, GivesTheSameAfterItWasWrittenAgain) {
  for (const SparkValues& spark : kSparkValues) {
    const auto parsed =
        ParseStoredExpression(spark.expression, Spelling::kSpark);
    ASSERT_TRUE(parsed);
    const auto first = Bind(spark.expression);
    const auto second = Bind(protocol::SparkText(*parsed));
    ASSERT_TRUE(second) << second.error().message;
    for (std::size_t row = 0; row < spark.values.size(); ++row) {
      EXPECT_EQ(Value(**first, row), Value(**second, row))
          << protocol::SparkText(*parsed);
    }
  }
}

TEST_F(StoredExpressionBinderTest, KnowsNoOtherFunctions) {
  for (const char* text : {"read_text('/etc/passwd')",
                           "getenv('HOME')",
                           "rand()",
                           "uuid()",
                           "current_user()",
                           "java_method('java.lang.Runtime', 'exit')",
                           "reflect('a', 'b')",
                           "input_file_name()",
                           "query('SELECT 1')",
                           "nextval('s')",
                           "sum(i)",
                           "current_setting('threads')",
                           "error('x')",
                           "current_timestamp()",
                           "current_date",
                           "repeat(s, 1000000)",
                           "lpad(s, 1000000000)",
                           "replace(s, 'a', 'aaaaaaaaaaaaaaaa')",
                           "p / 2",
                           "CAST(d AS STRING)",
                           "s RLIKE s"}) {
    const auto bound = Bind(text);
    ASSERT_FALSE(bound) << text;
    EXPECT_EQ(bound.error().condition, "DELTA_EXPRESSION_UNSUPPORTED") << text;
    EXPECT_THAT(bound.error().message, HasSubstr("expression"));
  }
}

TEST_F(StoredExpressionBinderTest, RefusesWhatDoesNotFit) {
  for (const char* text :
       {"nowhere", "st.nowhere", "i.a", "year()", "year(dt, dt)", "i AND bo",
        "NOT i", "DATE'2024-13-01' = dt", "CASE WHEN i THEN 1 ELSE 2 END",
        "s RLIKE '(?=a)'", "TIMESTAMP'now' = t", "128Y"}) {
    const auto bound = Bind(text);
    ASSERT_FALSE(bound) << text;
    EXPECT_EQ(bound.error().condition, "DELTA_EXPRESSION_INVALID") << text;
  }
}

TEST_F(StoredExpressionBinderTest, BoundsWhatATranslationMultiplies) {
  std::string text = "i";
  for (int depth = 0; depth < 30; ++depth) text = "pmod(" + text + ", 7)";
  const auto bound = Bind(text);
  ASSERT_FALSE(bound);
  EXPECT_THAT(bound.error().message, HasSubstr("too large"));
}

TEST_F(StoredExpressionBinderTest, HasATimeForDefaultsAlone) {
  const auto now = Bind("current_timestamp()", Clock::kAllowed);
  ASSERT_TRUE(now);
  EXPECT_EQ((*now)->return_type, duckdb::LogicalType::TIMESTAMP_TZ);
  EXPECT_EQ((*Bind("current_date", Clock::kAllowed))->return_type,
            duckdb::LogicalType::DATE);
}

TEST_F(StoredExpressionBinderTest, TakesDatesInTheZoneOfTheSession) {
  connection_->Rollback();
  connection_->Query("SET TimeZone = 'Australia/Melbourne'");
  connection_->BeginTransaction();
  EXPECT_EQ(Value(**Bind("CAST(t AS DATE)"), 0), "2024-03-01");
  EXPECT_EQ(Value(**Bind("hour(t)"), 0), "0");
}

TEST_F(StoredExpressionBinderTest, CastsToTheColumnsType) {
  const auto parsed = ParseStoredExpression("i + 0.5", Spelling::kSpark);
  const auto bound =
      BindStoredValue(*connection_->context, *parsed, schema_,
                      DataType::Of(TypeKind::kInteger), Clock::kForbidden);
  ASSERT_TRUE(bound);
  EXPECT_EQ(Value(**bound, 0), "10");
}

}  // namespace
}  // namespace bayou::engine
