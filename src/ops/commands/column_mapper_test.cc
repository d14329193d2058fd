// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/column_mapper.h"

#include <gtest/gtest.h>

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::Field;

constexpr char kId[] = "delta.columnMapping.id";

Field Column(const std::string& name, const char* id = nullptr) {
  Field field;
  field.name = name;
  field.type = DataType::Of(protocol::TypeKind::kLong);
  if (id != nullptr) field.metadata[kId] = id;
  return field;
}

std::int64_t Last(const char* stored, const protocol::Schema& schema) {
  protocol::Metadata metadata;
  if (stored != nullptr)
    metadata.configuration["delta.columnMapping.maxColumnId"] = stored;
  return LastColumnId(metadata, schema);
}

TEST(LastColumnId, TakesTheLargest) {
  EXPECT_EQ(Last(nullptr, {}), 0);
  EXPECT_EQ(Last("7", {{Column("a", "3")}}), 7);
  EXPECT_EQ(Last("2", {{Column("a", "3"), Column("b")}}), 3);
  EXPECT_EQ(Last("x", {{Column("a", "3")}}), 3);
}

// 2^32 + 5 is not 5.
TEST(LastColumnId, CutsNothingOff) {
  EXPECT_EQ(Last("4294967301", {{Column("a", "3")}}), 4294967301);
  EXPECT_EQ(Last("1", {{Column("a", "4294967301")}}), 4294967301);
}

TEST(ColumnMapper, EndsWithTheIdsThatFilesCanHold) {
  ColumnMapper mapper(Env::System(), ColumnMapper::Names::kOld, INT32_MAX - 1);
  std::vector<Field> fields = {Column("a"), Column("b", "4"), Column("c")};
  const Status mapped = mapper.Map(fields);
  ASSERT_FALSE(mapped);
  EXPECT_EQ(mapped.error().condition, "DELTA_COLUMN_IDS_EXHAUSTED");
  EXPECT_EQ(fields[0].metadata[kId], "2147483647");
  EXPECT_EQ(fields[1].metadata[kId], "4");

  ColumnMapper behind(Env::System(), ColumnMapper::Names::kOld, INT64_MAX);
  EXPECT_FALSE(behind.Map(fields));

  Field list = Column("l");
  list.type = DataType::Of(protocol::TypeKind::kArray);
  list.type.children.push_back(DataType::Of(protocol::TypeKind::kLong));
  std::vector<Field> lists = {list};
  EXPECT_FALSE(ColumnMapper(Env::System(), ColumnMapper::Names::kOld,
                            INT32_MAX - 1, true)
                   .Map(lists));
}

}  // namespace
}  // namespace bayou::commands
