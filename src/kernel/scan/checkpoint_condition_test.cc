// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/checkpoint_condition.h"

#include <gtest/gtest.h>

#include "kernel/engine/engine.h"

namespace bayou::scan {
namespace {

using duckdb::ExpressionType;
using duckdb::Value;

constexpr auto kEqual = ExpressionType::COMPARE_EQUAL;
constexpr auto kLess = ExpressionType::COMPARE_LESSTHAN;
constexpr auto kGreater = ExpressionType::COMPARE_GREATERTHAN;

// Whether `x <op> constant` keeps a file whose parsed statistics have the
// bounds, given as SQL.
class BoundsSqlTest : public ::testing::Test {
 protected:
  bool Keeps(const std::string& min, const std::string& max, ExpressionType op,
             const Value& constant) {
    const std::string add = "{'stats_parsed': {'minValues': {'x': " + min +
                            "}, 'maxValues': {'x': " + max + "}}}";
    const auto type = connection_->Query("SELECT " + add)->types[0];
    const std::string condition = BoundsSql({"x"}, op, constant, 32, type);
    if (condition.empty()) return true;
    const auto kept = connection_->Query("SELECT " + condition +
                                         " FROM (SELECT " + add + " AS add)");
    EXPECT_FALSE(kept->HasError()) << kept->GetError();
    return kept->GetValue(0, 0).GetValue<bool>();
  }

  std::shared_ptr<duckdb::DuckDB> engine_ = *engine::StartEngine({});
  std::unique_ptr<duckdb::Connection> connection_ =
      engine::Connect(*engine_->instance);
};

TEST_F(BoundsSqlTest, LeavesOutWhatIsOutsideOfTheBounds) {
  EXPECT_TRUE(Keeps("3", "7", kEqual, Value::INTEGER(7)));
  EXPECT_FALSE(Keeps("3", "7", kEqual, Value::INTEGER(8)));
  EXPECT_FALSE(Keeps("3", "7", kLess, Value::INTEGER(3)));
  EXPECT_FALSE(Keeps("0.5::DOUBLE", "0.7::DOUBLE", kEqual, Value::DOUBLE(0.8)));
  EXPECT_TRUE(Keeps("NULL::INTEGER", "7", kLess, Value::INTEGER(3)));
}

TEST_F(BoundsSqlTest, KeepsAColumnThatWasWidenedFromFloat) {
  EXPECT_TRUE(Keeps("0.1::DOUBLE", "0.1::DOUBLE", kEqual, Value::DOUBLE(0.1F)));
  EXPECT_TRUE(
      Keeps("-0.1::DOUBLE", "-0.1::DOUBLE", kLess, Value::DOUBLE(-0.1)));
  EXPECT_TRUE(
      Keeps("1e300::DOUBLE", "1e300::DOUBLE", kEqual, Value::DOUBLE(1e300)));
}

TEST_F(BoundsSqlTest, SaysNothingThatSqlCannotSay) {
  EXPECT_TRUE(Keeps("'a'", "'b'", kEqual, Value(std::string("c\0", 2))));
  EXPECT_TRUE(Keeps("{'x': 1}", "{'x': 1}", kEqual,
                    Value::STRUCT({{"y", Value::INTEGER(2)}})));
  EXPECT_TRUE(Keeps("1::DECIMAL(20, 2)", "2::DECIMAL(20, 2)", kEqual,
                    Value::DECIMAL(duckdb::hugeint_t(500), 20, 2)));
  EXPECT_FALSE(Keeps("1::DECIMAL(10, 2)", "2::DECIMAL(10, 2)", kEqual,
                     Value::DECIMAL(std::int64_t{500}, 10, 2)));
}

TEST_F(BoundsSqlTest, KeepsStringsThatOthersCutElsewhere) {
  const std::string whole(52, 'a');
  for (const int cut : {16, 31, 32, 40}) {
    const std::string max =
        "'" + whole.substr(0, static_cast<std::size_t>(cut)) + "'";
    EXPECT_TRUE(Keeps("'a'", max, kEqual, Value(whole))) << cut;
    EXPECT_FALSE(Keeps("'a'", max, kGreater, Value("b"))) << cut;
  }
}

}  // namespace
}  // namespace bayou::scan
