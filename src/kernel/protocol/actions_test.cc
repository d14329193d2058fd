// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/actions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr std::string_view kFile = "00000000000000000007.json";

template <typename Kind>
Kind ParseOne(std::string_view line) {
  const auto actions = ParseActions(line, kFile);
  if (!actions) {
    ADD_FAILURE() << actions.error().message;
    return {};
  }
  if (actions->size() != 1 || !std::holds_alternative<Kind>(actions->front())) {
    ADD_FAILURE() << "not one action of the kind: " << line;
    return {};
  }
  return std::get<Kind>(actions->front());
}

TEST(ParseActions, ReadsAnAdd) {
  const auto add = ParseOne<AddFile>(
      R"({"add":{"path":"p=a%20b/x.parquet","partitionValues":{"p":"a b","q":null},)"
      R"("size":9007199254740993,"modificationTime":1700000000000,"dataChange":false,)"
      R"("stats":"{\"numRecords\":1,\"minValues\":{\"s\":\"\\\"é\"}}","tags":{"a":"b"},)"
      R"("deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^",)"
      R"("offset":4,"sizeInBytes":40,"cardinality":6},"baseRowId":10,)"
      R"("defaultRowCommitVersion":2,"clusteringProvider":"liquid"}})");
  EXPECT_EQ(add.path, "p=a%20b/x.parquet");
  EXPECT_THAT(add.partition_values,
              ElementsAre(Pair("p", "a b"), Pair("q", std::nullopt)));
  EXPECT_EQ(add.size, 9007199254740993);
  EXPECT_EQ(add.modification_time, 1700000000000);
  EXPECT_FALSE(add.data_change);
  EXPECT_EQ(add.stats, R"({"numRecords":1,"minValues":{"s":"\"é"}})");
  EXPECT_THAT(add.tags, ElementsAre(Pair("a", "b")));
  ASSERT_TRUE(add.deletion_vector);
  EXPECT_EQ(add.deletion_vector->UniqueId(), "uab^-aqEH.-t@S}K{vb[*k^@4");
  EXPECT_EQ(add.deletion_vector->size_in_bytes, 40);
  EXPECT_EQ(add.deletion_vector->cardinality, 6);
  EXPECT_EQ(add.base_row_id, 10);
  EXPECT_EQ(add.default_row_commit_version, 2);
  EXPECT_EQ(add.clustering_provider, "liquid");
}

TEST(ParseActions, TakesNullForAbsent) {
  const auto add = ParseOne<AddFile>(
      R"({"add":{"path":"x","partitionValues":null,"stats":null,"tags":null,)"
      R"("deletionVector":null,"baseRowId":null,"size":null}})");
  EXPECT_THAT(add.partition_values, IsEmpty());
  EXPECT_EQ(add.stats, std::nullopt);
  EXPECT_EQ(add.deletion_vector, std::nullopt);
  EXPECT_EQ(add.base_row_id, std::nullopt);
  EXPECT_EQ(add.size, 0);
  EXPECT_TRUE(add.data_change);
}

TEST(ParseActions, KeepsTheTextOfValuesThatShouldBeStrings) {
  const auto add = ParseOne<AddFile>(
      R"({"add":{"path":"x","partitionValues":{"i":7,"b":true}}})");
  EXPECT_THAT(add.partition_values,
              ElementsAre(Pair("b", "true"), Pair("i", "7")));
  const auto metadata = ParseOne<Metadata>(
      R"({"metaData":{"configuration":{"a":1,"b":false,"c":null,"d":"x"}}})");
  EXPECT_THAT(metadata.configuration,
              ElementsAre(Pair("a", "1"), Pair("b", "false"), Pair("d", "x")));
}

TEST(ParseActions, ReadsEveryOtherKind) {
  const auto actions = ParseActions(
      R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["a"],"writerFeatures":["a","b"]}}
{"metaData":{"id":"i","name":"n","description":null,"format":{"provider":"parquet","options":{"k":"v"}},"schemaString":"{}","partitionColumns":["p"],"configuration":{},"createdTime":5}}
{"remove":{"path":"x","deletionTimestamp":3,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{"p":"1"},"size":7}}
{"cdc":{"path":"_change_data/x","partitionValues":{},"size":7,"dataChange":false}}
{"txn":{"appId":"","version":-1,"lastUpdated":4}}
{"domainMetadata":{"domain":"d","configuration":"{}","removed":true}}
{"commitInfo":{"timestamp":1,"inCommitTimestamp":2,"operation":"WRITE","txnId":"t","isBlindAppend":true}}
{"checkpointMetadata":{"version":9,"tags":{}}}
{"sidecar":{"path":"s","sizeInBytes":1,"modificationTime":2}})",
      kFile);
  ASSERT_TRUE(actions) << actions.error().message;
  ASSERT_THAT(*actions, SizeIs(9));
  const auto& protocol = std::get<Protocol>(actions->at(0));
  EXPECT_EQ(protocol.min_reader_version, 3);
  EXPECT_THAT(protocol.reader_features.value(), ElementsAre("a"));
  EXPECT_THAT(protocol.writer_features.value(), ElementsAre("a", "b"));
  const auto& metadata = std::get<Metadata>(actions->at(1));
  EXPECT_EQ(metadata.name, "n");
  EXPECT_EQ(metadata.description, std::nullopt);
  EXPECT_THAT(metadata.format_options, ElementsAre(Pair("k", "v")));
  EXPECT_EQ(metadata.schema_string, "{}");
  EXPECT_THAT(metadata.partition_columns, ElementsAre("p"));
  EXPECT_EQ(metadata.created_time, 5);
  EXPECT_EQ(std::get<RemoveFile>(actions->at(2)).size, 7);
  EXPECT_EQ(std::get<CdcFile>(actions->at(3)).path, "_change_data/x");
  EXPECT_EQ(std::get<SetTransaction>(actions->at(4)).version, -1);
  EXPECT_TRUE(std::get<DomainMetadata>(actions->at(5)).removed);
  EXPECT_EQ(std::get<CommitInfo>(actions->at(6)).in_commit_timestamp, 2);
  EXPECT_EQ(std::get<CheckpointMetadata>(actions->at(7)).version, 9);
  EXPECT_EQ(std::get<Sidecar>(actions->at(8)).size_in_bytes, 1);
}

TEST(ParseActions, KeepsCommitInfoAsItStands) {
  const std::string json =
      R"({"timestamp":"yesterday", "x":1.10,"operationParameters":{"a":[{}],"b":null}})";
  const auto plain = ParseOne<CommitInfo>(R"({"commitInfo": )" + json + " }\r");
  EXPECT_EQ(plain.json, json);
  EXPECT_EQ(plain.timestamp, std::nullopt);
  EXPECT_EQ(ParseOne<CommitInfo>(R"({"commitInfo":{}})").json, "{}");
  // With something else in the line it is written anew.
  EXPECT_EQ(ParseOne<CommitInfo>(
                R"({"future":{"commitInfo":{}},"commitInfo": {"a": 1}})")
                .json,
            R"({"a":1})");
}

TEST(ParseActions, IgnoresWhatItDoesNotKnow) {
  const auto actions = ParseActions(
      R"({"futureAction":[1,{"add":{}}],"add":null}

   )"
      "\r\n"
      R"({"add":{"path":"x","future":{"path":"y"}},"future":[]})"
      "\n{}\n",
      kFile);
  ASSERT_TRUE(actions) << actions.error().message;
  ASSERT_THAT(*actions, SizeIs(1));
  EXPECT_EQ(std::get<AddFile>(actions->front()).path, "x");
}

TEST(ParseActions, FindsNothingInAnEmptyText) {
  EXPECT_THAT(ParseActions("", kFile).value(), IsEmpty());
  EXPECT_THAT(ParseActions("\n\n", kFile).value(), IsEmpty());
}

TEST(ParseActions, ReadsTextsOfAnySize) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += R"({"add":{"path":"x)" +
            std::string(static_cast<std::size_t>(i), 'x') + "\"}}\n";
    if (i % 977 != 0) continue;
    const auto actions = ParseActions(text, kFile);
    ASSERT_TRUE(actions) << actions.error().message;
    text.clear();
  }
}

TEST(ParseActions, NamesFileAndLine) {
  const auto actions = ParseActions(
      "{\"txn\":{\"appId\":\"a\",\"version\":1}}\n\n{\"add\":{}}\n", kFile);
  ASSERT_FALSE(actions);
  EXPECT_EQ(actions.error().code, ErrorCode::kCorruption);
  EXPECT_EQ(actions.error().condition, "DELTA_LOG_INVALID");
  EXPECT_EQ(actions.error().message,
            "00000000000000000007.json, line 3: field 'path' is missing in "
            "action 'add'");
}

struct Broken {
  std::string text;
  std::string reason;
};

class ParseActionsRefuses : public ::testing::TestWithParam<Broken> {};

TEST_P(ParseActionsRefuses, WithAReason) {
  const auto actions = ParseActions(GetParam().text, kFile);
  ASSERT_FALSE(actions) << GetParam().text;
  EXPECT_EQ(actions.error().code, ErrorCode::kCorruption);
  EXPECT_THAT(actions.error().message, HasSubstr(GetParam().reason));
}

std::string Deep(std::size_t depth) {
  return R"({"future":)" + std::string(depth, '[') + std::string(depth, ']') +
         "}";
}

INSTANTIATE_TEST_SUITE_P(
    , ParseActionsRefuses,
    ::testing::Values(
        Broken{"{", "no JSON object"}, Broken{"null", "no JSON object"},
        Broken{"[]", "no JSON object"}, Broken{"\"add\"", "no JSON object"},
        Broken{"\0"s, "no JSON object"},
        Broken{R"({"add":{"path":"x")", "no JSON object"},
        Broken{R"({"add":{"path":"x"}}})", "no JSON object"},
        Broken{R"({"add":{"path":"x"}} {"add":{"path":"y"}})",
               "no JSON object"},
        Broken{"{\n\"add\":{\"path\":\"x\"}}", "line 1"},
        Broken{"{\"add\":{\"path\":\"\xff\"}}", "UTF-8"},
        Broken{"{\"add\":{\"path\":\"a\tb\"}}", "no JSON object"},
        Broken{R"({"add":{"path":"\ud800"}})", "no JSON object"},
        Broken{Deep(200), "too deep"}, Broken{Deep(100'000), "too deep"},
        Broken{"{\"x\":\"" + std::string(65u << 20, 'x') + "\"}", "64 MiB"},
        Broken{R"({"add":{"path":"x"},"add":{"path":"y"}})", "more than one"},
        Broken{R"({"add":{"path":"x"},"remove":{"path":"y"}})",
               "more than one"},
        Broken{R"({"add":[]})", "'add' is no object"},
        Broken{R"({"add":{}})", "'path' is missing"},
        Broken{R"({"add":{"path":null}})", "'path' is missing"},
        Broken{R"({"add":{"path":1}})", "'path' is no string"},
        Broken{R"({"add":{"path":"x","size":"1"}})", "'size' is no integer"},
        Broken{R"({"add":{"path":"x","size":1.5}})", "'size' is no 64-bit"},
        Broken{R"({"add":{"path":"x","size":-1}})", "'size' is negative"},
        Broken{R"({"add":{"path":"x","size":9223372036854775808}})", "64-bit"},
        Broken{R"({"add":{"path":"x","size":99999999999999999999}})",
               "no JSON"},
        Broken{R"({"add":{"path":"x","dataChange":1}})",
               "'dataChange' is no boolean"},
        Broken{R"({"add":{"path":"x","partitionValues":[]}})", "no object"},
        Broken{R"({"add":{"path":"x","stats":{}}})", "'stats' is no string"},
        Broken{R"({"add":{"path":"x","deletionVector":{}}})", "storageType"},
        Broken{R"({"add":{"path":"x","deletionVector":{"storageType":"u"}}})",
               "pathOrInlineDv"},
        Broken{
            R"({"add":{"path":"x","deletionVector":{"storageType":"u","pathOrInlineDv":"","sizeInBytes":4294967296}}})",
            "32-bit"},
        Broken{
            R"({"add":{"path":"x","deletionVector":{"storageType":"u","pathOrInlineDv":"","offset":-1}}})",
            "'offset' is negative"},
        Broken{R"({"remove":{"size":1}})", "'path' is missing"},
        Broken{R"({"protocol":{"minReaderVersion":1}})", "minWriterVersion"},
        Broken{R"({"protocol":{"minWriterVersion":1}})", "minReaderVersion"},
        Broken{
            R"({"protocol":{"minReaderVersion":4294967297,"minWriterVersion":1}})",
            "32-bit"},
        Broken{
            R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":[1]}})",
            "'readerFeatures' is no string"},
        Broken{R"({"metaData":{"schemaString":{}}})",
               "'schemaString' is no string"},
        Broken{R"({"txn":{"version":1}})", "appId"},
        Broken{R"({"txn":{"appId":"a"}})", "version"},
        Broken{R"({"domainMetadata":{"configuration":""}})", "domain"},
        Broken{R"({"sidecar":{}})", "path"},
        Broken{R"({"checkpointMetadata":{}})", "version"}),
    [](const auto& test) { return std::to_string(test.index); });

TEST(ActionToJson, WritesFieldsInDeltaSparksOrder) {
  const std::string lines[] = {
      R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})",
      R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":[],"writerFeatures":["x"]}})",
      R"({"metaData":{"id":"i","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\"}","partitionColumns":["p"],"configuration":{"a":"b"},"createdTime":5}})",
      R"({"add":{"path":"x","partitionValues":{"p":null,"q":""},"size":1,"modificationTime":2,"dataChange":true,"stats":"{\"numRecords\":1}","tags":{"t":null},"deletionVector":{"storageType":"i","pathOrInlineDv":"{}","sizeInBytes":1,"cardinality":1},"baseRowId":0,"defaultRowCommitVersion":3,"clusteringProvider":"c"}})",
      R"({"remove":{"path":"x","deletionTimestamp":1,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{},"size":1,"deletionVector":{"storageType":"u","pathOrInlineDv":"x","offset":1,"sizeInBytes":1,"cardinality":1},"stats":"{}"}})",
      R"({"remove":{"path":"x","dataChange":false}})",
      R"({"cdc":{"path":"x","partitionValues":{},"size":1,"dataChange":false}})",
      R"({"txn":{"appId":"a","version":1}})",
      R"({"domainMetadata":{"domain":"d","configuration":"{}","removed":false}})",
      R"({"commitInfo":{"operation":"WRITE","x":[1.10]}})",
      R"({"checkpointMetadata":{"version":1}})",
      R"({"sidecar":{"path":"s","sizeInBytes":1,"modificationTime":2}})",
  };
  for (const std::string& line : lines) {
    const auto actions = ParseActions(line, kFile);
    ASSERT_TRUE(actions) << actions.error().message;
    EXPECT_EQ(ActionToJson(actions->at(0)), line);
  }
}

TEST(ActionToJson, EscapesSoThatALineStaysALine) {
  AddFile add;
  add.path = "a\nb\"\\\x01\xc3\xa9";
  const std::string line = ActionToJson(add);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(ParseOne<AddFile>(line).path, add.path);
}

TEST(FileKey, IsOneForEverySpellingOfAFile) {
  const DeletionVectorDescriptor vector{'u', "abc", 1, 2, 3};
  DeletionVectorDescriptor other = vector;
  other.offset = 4;
  EXPECT_EQ(FileKey("file:/a%20b", {}), FileKey("/a b", {}));
  EXPECT_EQ(FileKey("a%20b", vector), FileKey("a b", vector));
  EXPECT_NE(FileKey("a", {}), FileKey("a", vector));
  EXPECT_NE(FileKey("a", other), FileKey("a", vector));
}

TEST(DeletionVectorDescriptor, NamesItsFile) {
  const auto path = [](char type, std::string text) {
    return DeletionVectorDescriptor{type, std::move(text), 1, 2, 3}.FilePath();
  };
  EXPECT_EQ(path('u', "ab^-aqEH.-t@S}K{vb[*k^"),
            "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin");
  EXPECT_EQ(path('u', "^-aqEH.-t@S}K{vb[*k^"),
            "deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin");
  EXPECT_EQ(path('p', "file:///t/a%20b.bin"), "/t/a b.bin");
  EXPECT_EQ(path('i', "abcde").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(path('r', "abcde").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(path('u', "abc").error().code, ErrorCode::kCorruption);
  EXPECT_EQ(path('u', "^-aqEH.-t@S}K{vb[*k ").error().code,
            ErrorCode::kCorruption);
}

}  // namespace
}  // namespace bayou::protocol
