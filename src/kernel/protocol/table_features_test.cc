// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/table_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Names = std::vector<std::string>;

Protocol Legacy(int reader, int writer) { return {reader, writer, {}, {}}; }

// Reader version 3 and writer version 7; `both` concern readers and writers.
Protocol Features(const Names& both, const Names& writer = {}) {
  Protocol protocol{3, 7, both, both};
  protocol.writer_features->insert(protocol.writer_features->end(),
                                   writer.begin(), writer.end());
  return protocol;
}

Protocol WriterFeatures(const Names& names) { return {1, 7, {}, names}; }

// A table of one column `c`.
Metadata Table(const StringMap& configuration = {},
               const std::string& type = "long",
               const std::string& column_metadata = "{}") {
  Metadata metadata;
  metadata.configuration = configuration;
  metadata.schema_string =
      R"({"type":"struct","fields":[{"name":"c","type":")" + type +
      R"(","nullable":true,"metadata":)" + column_metadata + "}]}";
  return metadata;
}

TEST(SupportedFeatures, FollowVersionNumbers) {
  EXPECT_THAT(SupportedFeatures(Legacy(1, 1)), IsEmpty());
  EXPECT_THAT(SupportedFeatures(Legacy(1, 2)),
              UnorderedElementsAre("appendOnly", "invariants"));
  EXPECT_THAT(SupportedFeatures(Legacy(2, 5)),
              UnorderedElementsAre("appendOnly", "invariants",
                                   "checkConstraints", "changeDataFeed",
                                   "generatedColumns", "columnMapping"));
  EXPECT_FALSE(Supports(Legacy(1, 5), "columnMapping"));
  EXPECT_TRUE(Supports(Legacy(1, 6), "identityColumns"));
  EXPECT_FALSE(Supports(Legacy(2, 3), "columnMapping"));
}

TEST(SupportedFeatures, FollowNamesInAnyCase) {
  const Protocol protocol = Features({"DeletionVectors", "superFuture"}, {"x"});
  EXPECT_THAT(SupportedFeatures(protocol),
              UnorderedElementsAre("deletionVectors", "superFuture", "x"));
  EXPECT_TRUE(Supports(protocol, "DELETIONVECTORS"));
  EXPECT_TRUE(Supports(protocol, "SuperFuture"));
  EXPECT_FALSE(Supports(protocol, "appendOnly"));
  EXPECT_TRUE(Supports({2, 7, {}, Names{"columnMapping"}}, "columnMapping"));
}

TEST(CheckReadable, TakesEveryFeatureThatBayouReads) {
  for (const Protocol& protocol :
       {Legacy(1, 1), Legacy(2, 5), Legacy(2, 6), Legacy(1, 99),
        WriterFeatures({"superFuture"}), Features({}),
        Protocol{2, 7, {}, Names{"columnMapping"}},
        Protocol{1, 2, Names{}, Names{}}, Protocol{3, 7, Names{}, {}},
        Features({"columnMapping", "deletionVectors", "timestampNtz",
                  "timestampWithoutTimezone", "v2Checkpoint",
                  "vacuumProtocolCheck", "typeWidening", "typeWidening-preview",
                  "variantType", "variantType-preview", "variantShredding",
                  "variantShredding-preview", "catalogManaged", "catalogOwned",
                  "catalogOwned-preview", "geospatial", "geospatial-dev"},
                 {"superFuture"})}) {
    const auto status = CheckReadable(protocol, "t");
    EXPECT_TRUE(status) << status.error().message;
  }
}

TEST(CheckReadable, NamesWhatItLacks) {
  const auto status = CheckReadable(
      Features({"deletionVectors", "superFuture", "adaptiveMetadata"}),
      "/lake/t");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(status.error().condition, "DELTA_UNSUPPORTED_READER_FEATURE");
  EXPECT_EQ(status.error().message,
            "/lake/t needs the reader features superFuture, adaptiveMetadata, "
            "which this version of Bayou does not have; a newer one may");
  EXPECT_EQ(CheckReadable(Legacy(4, 7), "t").error().code,
            ErrorCode::kUnsupported);
}

TEST(CheckReadable, RefusesContradictions) {
  for (const Protocol& protocol :
       {Legacy(0, 2), Legacy(3, 7), Protocol{1, 7, Names{"x"}, Names{"x"}},
        Protocol{3, 6, Names{}, {}}}) {
    const auto status = CheckReadable(protocol, "t");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kCorruption);
  }
}

struct Appending {
  Protocol protocol;
  Metadata metadata;
  std::string lacking;  // Empty when appends are possible.
};

class CheckWritableOf : public ::testing::TestWithParam<Appending> {};

TEST_P(CheckWritableOf, DependsOnWhatTheTableUses) {
  const auto& [protocol, metadata, lacking] = GetParam();
  const auto status = CheckWritable(protocol, metadata, "t");
  if (lacking.empty()) {
    EXPECT_TRUE(status) << status.error().message;
    return;
  }
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(status.error().message, HasSubstr(lacking));
}

const std::string kInvariant = R"({"delta.invariants":"{}"})";
const std::string kGenerated = R"({"delta.generationExpression":"1"})";
const std::string kIdentity = R"({"delta.identity.start":1})";
const std::string kDefault = R"({"CURRENT_DEFAULT":"1"})";

INSTANTIATE_TEST_SUITE_P(
    , CheckWritableOf,
    ::testing::Values(
        Appending{Legacy(1, 1), Table(), ""},
        Appending{Legacy(1, 2), Table(), ""},
        Appending{Legacy(1, 2), Table({{"delta.appendOnly", "true"}}), ""},
        Appending{Legacy(1, 2), Table({}, "long", kInvariant), ""},
        Appending{Legacy(1, 3), Table(), ""},
        Appending{Legacy(1, 3), Table({{"delta.constraints.a", "c > 1"}}), ""},
        Appending{Legacy(1, 4), Table({{"delta.enableChangeDataFeed", "true"}}),
                  ""},
        Appending{Legacy(1, 4), Table({}, "long", kGenerated), ""},
        Appending{Legacy(2, 6), Table({{"delta.columnMapping.mode", "name"}}),
                  ""},
        Appending{Legacy(1, 6), Table({}, "long", kIdentity), ""},
        Appending{Legacy(1, 8), Table(), "writer version 8"},
        Appending{Features({"deletionVectors", "v2Checkpoint", "typeWidening",
                            "variantType"},
                           {"appendOnly", "invariants", "domainMetadata",
                            "rowTracking", "clustering", "inCommitTimestamp",
                            "checkpointProtection"}),
                  Table(), ""},
        Appending{WriterFeatures({"allowColumnDefaults"}), Table(), ""},
        Appending{WriterFeatures({"allowColumnDefaults"}),
                  Table({}, "long", kDefault), ""},
        Appending{WriterFeatures({"icebergCompatV2"}), Table(), ""},
        Appending{WriterFeatures({"icebergCompatV2"}),
                  Table({{"delta.enableIcebergCompatV2", "true"}}),
                  "delta.enableIcebergCompatV2"},
        Appending{WriterFeatures({"superFuture", "collations"}), Table(),
                  "collations, superFuture"},
        Appending{Features({"catalogManaged"}), Table(), "catalogManaged"},
        Appending{Features({"superFuture"}), Table(), "superFuture"},
        Appending{WriterFeatures({"materializePartitionColumns"}), Table(),
                  ""}),
    [](const auto& test) { return std::to_string(test.index); });

TEST(CheckWritable, RefusesProtocolsThatContradictThemselves) {
  Metadata metadata;
  metadata.schema_string = "{";
  EXPECT_EQ(CheckWritable(Legacy(1, 2), metadata, "t").error().code,
            ErrorCode::kCorruption);
  EXPECT_EQ(CheckWritable(Legacy(1, 7), Table(), "t").error().code,
            ErrorCode::kCorruption);
}

Protocol New(const Metadata& metadata) {
  auto protocol = ProtocolForNewTable(metadata);
  if (!protocol) ADD_FAILURE() << protocol.error().message;
  return protocol.value_or(Protocol{});
}

void ExpectLegacy(const Metadata& metadata, int reader, int writer) {
  const Protocol protocol = New(metadata);
  EXPECT_EQ(protocol.min_reader_version, reader);
  EXPECT_EQ(protocol.min_writer_version, writer);
  EXPECT_FALSE(protocol.reader_features);
  EXPECT_FALSE(protocol.writer_features);
}

TEST(ProtocolForNewTable, IsTheSmallestNumberThatWillDo) {
  ExpectLegacy(Table(), 1, 2);
  ExpectLegacy(Metadata{}, 1, 2);
  ExpectLegacy(Table({{"delta.appendOnly", "true"}}), 1, 2);
  ExpectLegacy(Table({{"delta.constraints.a", "c > 1"}}), 1, 3);
  ExpectLegacy(Table({{"delta.enableChangeDataFeed", "true"}}), 1, 4);
  ExpectLegacy(Table({}, "long", kGenerated), 1, 4);
  ExpectLegacy(Table({{"delta.columnMapping.mode", "name"}}), 2, 5);
  ExpectLegacy(Table({}, "long", kIdentity), 1, 6);
  ExpectLegacy(Table({{"delta.feature.changeDataFeed", "supported"}}), 1, 4);
}

TEST(ProtocolForNewTable, HonoursVersionsThatTheUserAsksFor) {
  ExpectLegacy(Table({{"delta.minWriterVersion", "1"}}), 1, 1);
  ExpectLegacy(
      Table({{"delta.minReaderVersion", "2"}, {"delta.minWriterVersion", "5"}}),
      2, 5);
  ExpectLegacy(
      Table({{"delta.minReaderVersion", "2"}, {"delta.minWriterVersion", "3"}}),
      1, 3);
  const Protocol writer = New(Table({{"delta.minWriterVersion", "7"}}));
  EXPECT_EQ(writer.min_reader_version, 1);
  EXPECT_FALSE(writer.reader_features);
  EXPECT_THAT(writer.writer_features.value(),
              ElementsAre("appendOnly", "invariants"));
  const Protocol both = New(Table(
      {{"delta.minReaderVersion", "3"}, {"delta.minWriterVersion", "7"}}));
  EXPECT_EQ(both.min_reader_version, 3);
  EXPECT_THAT(both.reader_features.value(), IsEmpty());
  EXPECT_FALSE(ProtocolForNewTable(Table({{"delta.minReaderVersion", "4"}})));
  EXPECT_FALSE(ProtocolForNewTable(Table({{"delta.minWriterVersion", "x"}})));
}

struct Named {
  Metadata metadata;
  Names reader;  // Empty: reader version 1.
  Names writer;  // Besides appendOnly and invariants.
};

class ProtocolForNewTableWith : public ::testing::TestWithParam<Named> {};

TEST_P(ProtocolForNewTableWith, FeaturesThatOnlyHaveNames) {
  const Protocol protocol = New(GetParam().metadata);
  EXPECT_EQ(protocol.min_reader_version, GetParam().reader.empty() ? 1 : 3);
  EXPECT_EQ(protocol.min_writer_version, 7);
  EXPECT_EQ(protocol.reader_features.value_or(Names{}), GetParam().reader);
  Names writer = GetParam().writer;
  writer.insert(writer.end(), {"appendOnly", "invariants"});
  EXPECT_THAT(protocol.writer_features.value(),
              ::testing::UnorderedElementsAreArray(writer));
}

INSTANTIATE_TEST_SUITE_P(
    , ProtocolForNewTableWith,
    ::testing::Values(
        Named{Table({{"delta.enableDeletionVectors", "true"}}),
              {"deletionVectors"},
              {"deletionVectors"}},
        Named{Table({{"delta.enableDeletionVectors", "true"},
                     {"delta.columnMapping.mode", "name"},
                     {"delta.enableChangeDataFeed", "true"}}),
              {"columnMapping", "deletionVectors"},
              {"changeDataFeed", "columnMapping", "deletionVectors"}},
        Named{Table({{"delta.enableInCommitTimestamps", "true"}}),
              {},
              {"inCommitTimestamp"}},
        Named{Table({{"delta.enableRowTracking", "true"}}),
              {},
              {"domainMetadata", "rowTracking"}},
        Named{Table({{"delta.enableTypeWidening", "true"}}),
              {"typeWidening"},
              {"typeWidening"}},
        Named{Table({{"delta.checkpointPolicy", "v2"}}),
              {"v2Checkpoint"},
              {"v2Checkpoint"}},
        Named{Table({}, "timestamp_ntz"), {"timestampNtz"}, {"timestampNtz"}},
        Named{Table({}, "variant"), {"variantType"}, {"variantType"}},
        Named{Table({{"delta.feature.variantType-preview", "supported"}},
                    "variant"),
              {"variantType-preview"},
              {"variantType-preview"}},
        Named{Table({{"delta.feature.CLUSTERING", "enabled"}}),
              {},
              {"clustering", "domainMetadata"}},
        Named{Table({}, "long", kDefault), {}, {"allowColumnDefaults"}}),
    [](const auto& test) { return std::to_string(test.index); });

TEST(ProtocolForNewTable, RefusesFeaturesThatBayouDoesNotKnow) {
  const auto unknown =
      ProtocolForNewTable(Table({{"delta.feature.superFuture", "supported"}}));
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("superFuture"));
  EXPECT_FALSE(
      ProtocolForNewTable(Table({{"delta.feature.rowTracking", "yes"}})));
}

std::optional<Protocol> Changed(const Protocol& current,
                                const Metadata& metadata) {
  auto protocol = ProtocolForChangedTable(current, metadata);
  if (!protocol) ADD_FAILURE() << protocol.error().message;
  return protocol.value_or(std::nullopt);
}

TEST(ProtocolForChangedTable, StaysWhereItSuffices) {
  EXPECT_FALSE(Changed(Legacy(1, 2), Table({{"delta.appendOnly", "true"}})));
  EXPECT_FALSE(Changed(Legacy(1, 4), Table({{"delta.constraints.a", "c"}})));
  EXPECT_FALSE(Changed(Features({"deletionVectors"}),
                       Table({{"delta.enableDeletionVectors", "true"}})));
  EXPECT_FALSE(Changed(Features({"variantType-preview"}),
                       Table({{"delta.feature.variantType", "supported"}})));
}

TEST(ProtocolForChangedTable, RaisesNumbersAsLongAsTheyCanSayIt) {
  const auto constraint =
      Changed(Legacy(1, 1), Table({{"delta.constraints.a", "c"}}));
  ASSERT_TRUE(constraint);
  EXPECT_EQ(constraint->min_reader_version, 1);
  EXPECT_EQ(constraint->min_writer_version, 3);
  EXPECT_FALSE(constraint->writer_features);
  const auto mapped =
      Changed(Legacy(1, 2), Table({{"delta.columnMapping.mode", "name"}}));
  ASSERT_TRUE(mapped);
  EXPECT_EQ(mapped->min_reader_version, 2);
  EXPECT_EQ(mapped->min_writer_version, 5);
}

TEST(ProtocolForChangedTable, NamesWhatTheNumbersHadImplied) {
  const auto vectors =
      Changed(Legacy(1, 3), Table({{"delta.enableDeletionVectors", "true"}}));
  ASSERT_TRUE(vectors);
  EXPECT_EQ(vectors->min_reader_version, 3);
  EXPECT_THAT(*vectors->reader_features, ElementsAre("deletionVectors"));
  EXPECT_THAT(*vectors->writer_features,
              UnorderedElementsAre("appendOnly", "invariants",
                                   "checkConstraints", "deletionVectors"));
}

TEST(ProtocolForChangedTable, KeepsWhatIsNamed) {
  const auto constraint =
      Changed(WriterFeatures({"domainMetadata", "somethingNew"}),
              Table({{"delta.constraints.a", "c"}}));
  ASSERT_TRUE(constraint);
  EXPECT_EQ(constraint->min_reader_version, 1);
  EXPECT_THAT(*constraint->writer_features,
              UnorderedElementsAre("checkConstraints", "domainMetadata",
                                   "somethingNew"));
}

TEST(ProtocolForChangedTable, RefusesLowerVersions) {
  const auto lower = ProtocolForChangedTable(
      Legacy(1, 4), Table({{"delta.minWriterVersion", "2"}}));
  ASSERT_FALSE(lower);
  EXPECT_EQ(lower.error().condition, "DELTA_INVALID_PROTOCOL_DOWNGRADE");
}

TEST(WithoutFeature, NamesTheOthers) {
  const Protocol left = WithoutFeature(Legacy(1, 3), "checkConstraints");
  EXPECT_EQ(left.min_writer_version, 7);
  EXPECT_EQ(left.min_reader_version, 1);
  EXPECT_THAT(*left.writer_features,
              UnorderedElementsAre("appendOnly", "invariants"));
}

}  // namespace
}  // namespace bayou::protocol
