// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/tolerated_metadata.h"

#include <gtest/gtest.h>

namespace bayou::transaction {
namespace {

using protocol::Metadata;
using protocol::Protocol;

std::string Schema(const std::string& type, const std::string& marks = "") {
  return R"({"type":"struct","fields":[{"name":"x","type":")" + type +
         R"(","nullable":true,"metadata":{)" + marks + "}}]}";
}

constexpr const char* kMarks =
    R"("delta.columnMapping.id":1,"delta.columnMapping.physicalName":"x")";

Metadata With(protocol::StringMap properties,
              std::string schema = Schema("integer")) {
  Metadata metadata;
  metadata.schema_string = std::move(schema);
  metadata.configuration = std::move(properties);
  return metadata;
}

Protocol Features(std::vector<std::string> features) {
  Protocol protocol;
  protocol.min_reader_version = 3;
  protocol.min_writer_version = 7;
  protocol.reader_features.emplace();
  protocol.writer_features = std::move(features);
  return protocol;
}

TEST(ToleratedMetadata, SwitchesThatLeaveRowsAsTheyAre) {
  const struct {
    const char* feature;
    protocol::StringMap after;
  } cases[] = {
      {"rowTracking",
       {{"delta.enableRowTracking", "true"},
        {"delta.rowTracking.materializedRowIdColumnName", "_a"},
        {"delta.rowTracking.materializedRowCommitVersionColumnName", "_b"}}},
      {"deletionVectors", {{"delta.enableDeletionVectors", "true"}}},
      {"v2Checkpoint", {{"delta.checkpointPolicy", "v2"}}},
      {"inCommitTimestamp",
       {{"delta.enableInCommitTimestamps", "true"},
        {"delta.inCommitTimestampEnablementVersion", "4"},
        {"delta.inCommitTimestampEnablementTimestamp", "99"}}},
  };
  for (const auto& [feature, after] : cases) {
    EXPECT_FALSE(FirstHarmfulChange(With({}), With(after), Features({feature})))
        << feature;
    EXPECT_TRUE(FirstHarmfulChange(With({}), With(after), Features({})))
        << feature;
  }
}

TEST(ToleratedMetadata, ColumnMappingByNameBegins) {
  const Metadata after = With({{"delta.columnMapping.mode", "name"},
                               {"delta.columnMapping.maxColumnId", "1"}},
                              Schema("integer", kMarks));
  const Protocol protocol = Features({"columnMapping"});
  EXPECT_FALSE(FirstHarmfulChange(With({}), after, protocol));
  EXPECT_FALSE(FirstHarmfulChange(With({{"delta.columnMapping.mode", "none"}}),
                                  after, protocol));
  Metadata by_id = after;
  by_id.configuration["delta.columnMapping.mode"] = "id";
  EXPECT_TRUE(FirstHarmfulChange(With({}), by_id, protocol));
  Metadata wider = after;
  wider.schema_string = Schema("long", kMarks);
  EXPECT_TRUE(FirstHarmfulChange(With({}), wider, protocol));
}

TEST(ToleratedMetadata, EverythingElseHarms) {
  const Metadata before = With({{"a", "1"}});
  const Protocol protocol = Features({"deletionVectors"});
  const auto harms = [&](auto change) {
    Metadata after = before;
    change(after);
    return FirstHarmfulChange(before, after, protocol).has_value();
  };
  EXPECT_FALSE(harms([](Metadata&) {}));
  EXPECT_TRUE(harms([](Metadata& m) { m.schema_string = Schema("long"); }));
  EXPECT_TRUE(harms([](Metadata& m) { m.partition_columns = {"x"}; }));
  EXPECT_TRUE(harms([](Metadata& m) { m.description = "new"; }));
  EXPECT_TRUE(harms([](Metadata& m) { m.id = "another"; }));
  EXPECT_TRUE(harms([](Metadata& m) { m.configuration.clear(); }));
  EXPECT_TRUE(harms([](Metadata& m) { m.configuration["a"] = "2"; }));
  EXPECT_TRUE(harms([](Metadata& m) {
    m.configuration["delta.enableDeletionVectors"] = "false";
  }));
  EXPECT_TRUE(harms([](Metadata& m) {
    m.configuration["delta.enableChangeDataFeed"] = "true";
  }));
}

}  // namespace
}  // namespace bayou::transaction
