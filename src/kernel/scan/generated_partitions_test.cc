// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/generated_partitions.h"

#include <gtest/gtest.h>

#include "kernel/engine/types.h"

namespace bayou::scan {
namespace {

using duckdb::ExpressionType;
using duckdb::Value;
using protocol::DataType;
using protocol::Field;
using protocol::TypeKind;

using Partition = std::vector<std::pair<std::string_view, std::string_view>>;

struct Generation {
  const char* name;
  TypeKind type;
  const char* expression;
};

Field Column(const char* name, TypeKind kind) {
  Field field;
  field.name = name;
  field.type = DataType::Of(kind);
  return field;
}

// A table with the column c and partition columns generated from it.
class Table {
 public:
  Table(TypeKind base, const std::vector<Generation>& generations)
      : base_(base) {
    Add(Column("c", base), false);
    for (const Generation& generation : generations) {
      Field field = Column(generation.name, generation.type);
      field.metadata["delta.generationExpression"] =
          '"' + std::string(generation.expression) + '"';
      Add(std::move(field), true);
    }
  }

  ValueRange Range(const Partition& partition) const {
    log::FileView file;
    file.partition_values = partition;
    ValueRange range;
    GeneratedPartitions(scanned_).Narrow({{"c"}, DataType::Of(base_)}, file,
                                         range);
    return range;
  }

  // Whether c = `text` can be in the partition.
  bool May(const Partition& partition, const char* text) const {
    const Value value =
        *engine::ParsePartitionValue(std::string(text), DataType::Of(base_));
    return Compare(Range(partition), ExpressionType::COMPARE_EQUAL, value)
        .can_be_true;
  }

 private:
  void Add(Field field, bool is_partition) {
    ScannedColumn column;
    column.type = engine::ToLogicalType(field.type);
    column.field = std::move(field);
    column.is_partition = is_partition;
    scanned_.columns.push_back(std::move(column));
  }

  TypeKind base_;
  ScannedTable scanned_;
};

TEST(GeneratedPartitions, ADayHoldsItsTimes) {
  for (const char* expression :
       {"CAST(c AS DATE)", "DATE(c)", "to_date(c)", "date_trunc('DAY', c)"}) {
    const Table table(TypeKind::kTimestampNtz,
                      {{"d", TypeKind::kDate, expression}});
    EXPECT_TRUE(table.May({{"d", "2024-01-02"}}, "2024-01-02 00:00:00"));
    EXPECT_TRUE(table.May({{"d", "2024-01-02"}}, "2024-01-02 23:59:59.999999"));
    EXPECT_FALSE(table.May({{"d", "2024-01-02"}}, "2024-01-03 00:00:00"));
    EXPECT_FALSE(
        table.May({{"d", "2024-01-02"}}, "2024-01-01 23:59:59.999999"));
  }
}

TEST(GeneratedPartitions, AnInstantMayBeOfAnyZone) {
  const Table table(TypeKind::kTimestamp,
                    {{"d", TypeKind::kDate, "CAST(c AS DATE)"}});
  EXPECT_TRUE(table.May({{"d", "2024-01-02"}}, "2024-01-03 11:00:00"));
  EXPECT_TRUE(table.May({{"d", "2024-01-02"}}, "2024-01-01 10:00:00"));
  EXPECT_FALSE(table.May({{"d", "2024-01-02"}}, "2024-01-04 00:00:00"));
  EXPECT_FALSE(table.May({{"d", "2024-01-02"}}, "2024-01-01 00:00:00"));
}

TEST(GeneratedPartitions, PartsOfATimeGoTogether) {
  const Table table(TypeKind::kTimestampNtz,
                    {{"y", TypeKind::kInteger, "YEAR(c)"},
                     {"m", TypeKind::kInteger, "MONTH(c)"},
                     {"d", TypeKind::kInteger, "DAY(CAST(c AS DATE))"},
                     {"h", TypeKind::kInteger, "HOUR(c)"}});
  const Partition december = {
      {"y", "2024"}, {"m", "12"}, {"d", "31"}, {"h", "23"}};
  EXPECT_TRUE(table.May(december, "2024-12-31 23:30:00"));
  EXPECT_FALSE(table.May(december, "2024-12-31 22:30:00"));
  EXPECT_FALSE(table.May(december, "2025-01-01 00:00:00"));
  EXPECT_TRUE(table.May({{"y", "2024"}, {"m", "12"}}, "2024-12-01 00:00:00"));
  EXPECT_FALSE(table.May({{"y", "2024"}, {"m", "12"}}, "2025-01-01 00:00:00"));
  EXPECT_FALSE(table.May({{"y", "2024"}}, "2025-01-01 00:00:00"));
  // A month of an unknown year; what is no month.
  EXPECT_TRUE(table.May({{"m", "12"}}, "1999-01-01 00:00:00"));
  EXPECT_TRUE(table.May({{"y", "2024"}, {"m", "13"}}, "1999-01-01 00:00:00"));
  EXPECT_TRUE(table.May({{"y", "x"}}, "1999-01-01 00:00:00"));
}

TEST(GeneratedPartitions, TruncatedAndFormattedTimesAreTheirBegin) {
  const struct {
    Generation generation;
    const char* value;
    const char* in;
    const char* behind;
  } cases[] = {
      {{"p", TypeKind::kDate, "trunc(c, 'MM')"},
       "2024-02-01",
       "2024-02-29",
       "2024-03-01"},
      {{"p", TypeKind::kDate, "trunc(c, 'QUARTER')"},
       "2024-10-01",
       "2024-12-31",
       "2025-01-01"},
      {{"p", TypeKind::kString, "date_format(c, 'yyyy-MM')"},
       "2024-02",
       "2024-02-29",
       "2024-03-01"},
      {{"p", TypeKind::kString, "date_format(c, 'yyyyMMdd')"},
       "20240229",
       "2024-02-29",
       "2024-03-01"},
      {{"p", TypeKind::kString, "date_format(c, 'yyyy')"},
       "2023",
       "2023-12-31",
       "2024-01-01"},
      {{"p", TypeKind::kString, "CAST(YEAR(c) AS STRING)"},
       "2023",
       "2023-01-01",
       "2024-01-01"},
  };
  for (const auto& [generation, value, in, behind] : cases) {
    const Table table(TypeKind::kDate, {generation});
    EXPECT_TRUE(table.May({{"p", value}}, in)) << generation.expression;
    EXPECT_FALSE(table.May({{"p", value}}, behind)) << generation.expression;
  }
}

TEST(GeneratedPartitions, FirstCharactersOfATextAndTheValueItself) {
  const Table prefix(TypeKind::kString,
                     {{"p", TypeKind::kString, "SUBSTRING(c, 1, 2)"}});
  EXPECT_TRUE(prefix.May({{"p", "ab"}}, "ab"));
  EXPECT_TRUE(prefix.May({{"p", "ab"}}, "abzzz"));
  EXPECT_FALSE(prefix.May({{"p", "ab"}}, "aa"));
  EXPECT_FALSE(prefix.May({{"p", "ab"}}, "ac"));
  const Table same(TypeKind::kLong, {{"p", TypeKind::kLong, "c"}});
  EXPECT_TRUE(same.May({{"p", "7"}}, "7"));
  EXPECT_FALSE(same.May({{"p", "7"}}, "8"));
}

TEST(GeneratedPartitions, NullStandsForNullAndOfTextsForTheEmptyOneToo) {
  const Table day(TypeKind::kDate, {{"p", TypeKind::kInteger, "YEAR(c)"}});
  EXPECT_FALSE(day.Range({{"p", std::string_view()}}).can_be_value);
  EXPECT_FALSE(day.Range({{"p", "2024"}}).can_be_null);
  EXPECT_TRUE(day.Range({}).can_be_value);
  const Table text(TypeKind::kString,
                   {{"p", TypeKind::kString, "SUBSTRING(c, 1, 2)"}});
  EXPECT_TRUE(text.Range({{"p", std::string_view()}}).can_be_value);
}

TEST(GeneratedPartitions, OtherExpressionsSayNothing) {
  for (const char* expression :
       {"CAST(c AS STRING)", "date_format(c, 'dd-MM-yyyy')", "upper('x')",
        "trunc(c, 'decade')", "concat(date_format(c, 'yyyy'), 'x')", "(("}) {
    const Table table(TypeKind::kDate, {{"p", TypeKind::kString, expression}});
    EXPECT_TRUE(table.May({{"p", "2024-01-01"}}, "1999-01-01")) << expression;
  }
}

}  // namespace
}  // namespace bayou::scan
