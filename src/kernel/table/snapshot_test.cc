// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/snapshot.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kernel/engine/engine.h"
#include "kernel/table/checkpoint_writer.h"

namespace bayou::table {
namespace {

using ::testing::HasSubstr;

class TableTest : public ::testing::Test {
 public:
  static void SetUpTestSuite() {
    engine_ = *engine::StartEngine({.threads = 2});
  }
  static void TearDownTestSuite() { engine_.reset(); }

  TableTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "table-XXXXXX").string();
    base_ = ::mkdtemp(pattern.data());
    folder_ = base_ + "/t";
    store_ = store::OpenLocalStore(folder_);
  }
  ~TableTest() override { std::filesystem::remove_all(base_); }

  void Commit(const std::string& lines) {
    ASSERT_TRUE(store_->Put("_delta_log/" + log::CommitName(next_++), lines));
  }
  void Create(const std::string& configuration = "",
              const std::string& partition = "",
              const std::string& protocol =
                  R"({"minReaderVersion":1,"minWriterVersion":2})") {
    Commit(R"({"protocol":)" + protocol + "}\n" +
           MetadataLine(configuration, partition));
  }
  static std::string MetadataLine(const std::string& configuration,
                                  const std::string& partition) {
    return R"({"metaData":{"id":"m","format":{"provider":"parquet","options":{}},)"
           R"("schemaString":"{\"type\":\"struct\",\"fields\":[)"
           R"({\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},)"
           R"({\"name\":\"t\",\"type\":\"timestamp\",\"nullable\":true,\"metadata\":{}},)"
           R"({\"name\":\"p\",\"type\":\"date\",\"nullable\":true,\"metadata\":{}}]}",)"
           R"("partitionColumns":[)" +
           partition + R"(],"configuration":{)" + configuration + "}}}\n";
  }
  static std::string Add(const std::string& path, const std::string& stats = "",
                         const std::string& partition = "") {
    return fmt::format(
        R"({{"add":{{"path":"{}","partitionValues":{{{}}},"size":10,)"
        R"("modificationTime":5,"dataChange":true{}}}}})"
        "\n",
        path, partition, stats.empty() ? "" : R"(,"stats":")" + stats + "\"");
  }
  Result<std::shared_ptr<const Snapshot>> Open(
      std::optional<Version> version = {}) {
    return Snapshot::Open(store_, *engine_->instance, {version, {}});
  }
  std::int64_t Count(std::optional<Version> version = {}) {
    const auto snapshot = Open(version);
    if (!snapshot) {
      ADD_FAILURE() << snapshot.error().message;
      return -1;
    }
    return (*snapshot)->state().Totals()->files;
  }
  void Forget(Version first, Version last) {
    for (Version v = first; v <= last; ++v) {
      ASSERT_TRUE(store_->Delete("_delta_log/" + log::CommitName(v)));
    }
  }
  void Checkpoint() {
    const Status written = WriteCheckpoint(**Open(), *engine_->instance);
    ASSERT_TRUE(written) << written.error().message;
  }
  // The value of a query over the checkpoint of `version`, as text.
  std::string Ask(Version version, const std::string& select) {
    const auto result =
        engine::Connect(*engine_->instance)
            ->Query(fmt::format("SELECT {} FROM '{}/_delta_log/{}'", select,
                                folder_, log::CheckpointName(version)));
    return result->HasError() ? result->GetError()
                              : result->GetValue(0, 0).ToString();
  }
  std::vector<std::string> LogNames() {
    std::vector<std::string> names;
    const auto objects = store_->List("_delta_log", "");
    for (const auto& object : *objects) names.push_back(object.name);
    return names;
  }

  // One for all tests: to start it costs more than most of them.
  inline static std::shared_ptr<duckdb::DuckDB> engine_;
  std::string base_;
  std::string folder_;
  std::shared_ptr<store::Store> store_;
  Version next_ = 0;
};

TEST_F(TableTest, OpensEachVersion) {
  Create();
  Commit(Add("a"));
  Commit(Add("b"));
  EXPECT_EQ(Count(), 2);
  EXPECT_EQ(Count(0), 0);
  EXPECT_EQ(Count(1), 1);
  const auto none = Open(9);
  EXPECT_EQ(none.error().condition, "DELTA_VERSION_NOT_FOUND");
  EXPECT_THAT(none.error().message,
              HasSubstr("version 9 does not exist; the latest is 2"));
  EXPECT_THAT(none.error().message, HasSubstr(folder_));
}

TEST_F(TableTest, TakesTheHintForAHintOnly) {
  Create();
  Commit(Add("a"));
  Commit(Add("b"));
  Checkpoint();
  Commit(Add("c"));
  for (const char* hint :
       {R"({"version":2,"size":4})", R"({"version":1,"size":4})",
        R"({"version":9,"size":4})", R"({"version":-1})",
        R"({"version":9223372036854775807})", R"({"vers)", ""}) {
    ASSERT_TRUE(store_->Put("_delta_log/_last_checkpoint", hint));
    EXPECT_EQ(Count(), 3) << hint;
    EXPECT_EQ(Count(1), 1) << hint;
  }
}

TEST_F(TableTest, FallsBackWhenACheckpointIsUnreadable) {
  Create();
  Commit(Add("a"));
  Checkpoint();
  Commit(Add("b"));
  Checkpoint();
  const std::string newest = "_delta_log/" + log::CheckpointName(2);
  const std::string whole = *store_->Read(newest);
  for (const std::string& damaged :
       {std::string(), whole.substr(0, whole.size() / 2),
        std::string("PAR1 nonsense")}) {
    ASSERT_TRUE(store_->Put(newest, damaged));
    EXPECT_EQ(Count(), 2);
  }
  Forget(0, 1);
  ASSERT_TRUE(store_->Delete("_delta_log/" + log::CheckpointName(1)));
  const auto lost = Open();
  ASSERT_FALSE(lost);
  EXPECT_THAT(lost.error().message, HasSubstr(log::CheckpointName(2)));
}

TEST_F(TableTest, FallsBackToTheCommitsOfAnUnreadableCompactedFile) {
  Create();
  Commit(Add("a"));
  Commit(Add("b"));
  ASSERT_TRUE(store_->Put(
      "_delta_log/00000000000000000001.00000000000000000002.compacted.json",
      "{\"add\""));
  EXPECT_EQ(Count(), 2);
}

TEST_F(TableTest, SaysWhatIsThereInsteadOfATable) {
  const auto error = [&](const std::string& place) {
    return Snapshot::Open(place, *engine_->instance).error();
  };
  EXPECT_EQ(error(base_ + "/none").condition, "DELTA_TABLE_NOT_FOUND");
  EXPECT_THAT(error(base_ + "/none").message, HasSubstr("no such folder"));
  EXPECT_THAT(error(base_).message, HasSubstr("no _delta_log"));
  std::filesystem::create_directories(base_ + "/files");
  ASSERT_TRUE(store::OpenLocalStore(base_ + "/files")->Put("a.parquet", "x"));
  EXPECT_THAT(error(base_ + "/files").message, HasSubstr("convert"));
  Create();
  std::filesystem::create_directories(folder_ + "/inside");
  EXPECT_THAT(error(folder_ + "/inside").message,
              HasSubstr("inside the table " + folder_));
  EXPECT_TRUE(Snapshot::IsTable(folder_));
  EXPECT_FALSE(Snapshot::IsTable(folder_ + "/inside"));
  EXPECT_FALSE(Snapshot::IsTable(base_ + "/none"));
}

TEST_F(TableTest, RefusesAPartitionColumnThatTheSchemaLacks) {
  Create("", R"("nope")");
  EXPECT_EQ(Open().error().condition, "DELTA_SCHEMA_INVALID");
  EXPECT_THAT(Open().error().message, HasSubstr("'nope'"));
  EXPECT_THAT(Open().error().message, HasSubstr("version 0"));
}

TEST_F(TableTest, RefusesCatalogManagedTables) {
  Create(
      "", "",
      R"({"minReaderVersion":3,"minWriterVersion":7,)"
      R"("readerFeatures":["catalogManaged"],"writerFeatures":["catalogManaged"]})");
  EXPECT_EQ(Open().error().condition, "DELTA_CATALOG_MANAGED");
  EXPECT_THAT(Open().error().message, HasSubstr("up to 0"));
  EXPECT_EQ((*Open(0))->version(), 0);
}

TEST_F(TableTest, IgnoresColumnMappingThatTheProtocolLacks) {
  Create(R"("delta.columnMapping.mode":"name")");
  EXPECT_EQ((*Open())->column_mapping(), protocol::ColumnMappingMode::kNone);
}

TEST_F(TableTest, WritesACheckpointThatStandsForTheCommits) {
  Create("", R"("p")");
  Commit(
      Add("a",
          R"({\"numRecords\":2,\"minValues\":{\"id\":1,\"t\":\"2024-01-01T00:00:00.000Z\"},)"
          R"(\"maxValues\":{\"id\":5},\"nullCount\":{\"id\":0}})",
          R"("p":"2024-02-03")") +
      Add("b", "", R"("p":null)"));
  Commit(R"({"txn":{"appId":"x","version":7,"lastUpdated":9}})"
         "\n" +
         Add("c", R"({\"minValues\":{\"id\":\"abc\"}})", R"("p":"")"));
  Commit(
      R"({"remove":{"path":"b","deletionTimestamp":9999999999999,"dataChange":true,)"
      R"("stats":"{}"}})"
      "\n");
  Checkpoint();
  EXPECT_EQ(Ask(3, "count(add.path)"), "2");
  EXPECT_EQ(Ask(3, "any_value(remove.path)"), "b");
  EXPECT_EQ(Ask(3, "max(add.stats_parsed.\"minValues\".t)::VARCHAR"),
            "2024-01-01 00:00:00+00");
  EXPECT_EQ(Ask(3, "max(add.stats_parsed.\"maxValues\".id)"), "5");
  EXPECT_EQ(Ask(3, "max(add.stats_parsed.\"nullCount\".id)"), "0");
  EXPECT_EQ(Ask(3, "max(add.\"partitionValues_parsed\".p)"), "2024-02-03");
  EXPECT_EQ(Ask(3, "count(add.\"partitionValues_parsed\".p)"), "1");
  EXPECT_EQ(Ask(3, "count(add.stats)"), "2");
  Forget(0, 3);
  const auto snapshot = *Open();
  EXPECT_EQ(snapshot->version(), 3);
  EXPECT_EQ(snapshot->state().Totals()->files, 2);
  EXPECT_EQ(snapshot->state().transactions().at("x").version, 7);
  EXPECT_EQ(snapshot->metadata().partition_columns,
            std::vector<std::string>{"p"});
  EXPECT_EQ(snapshot->state().Tombstones(0)->size(), 1U);
}

TEST_F(TableTest, CarriesAnOlderCheckpointIntoTheNext) {
  Create(R"("delta.checkpoint.writeStatsAsJson":"false")");
  Commit(
      Add("a",
          R"({\"numRecords\":2,\"maxValues\":{\"t\":\"2024-01-01T00:00:00.123Z\"}})") +
      Add("b"));
  Checkpoint();
  Commit(R"({"remove":{"path":"b","deletionTimestamp":1,"dataChange":true}})"
         "\n" +
         Add("c") + MetadataLine("", ""));
  Checkpoint();
  EXPECT_EQ(Ask(2, "count(add.path)"), "2");
  EXPECT_EQ(Ask(2, "count(remove.path)"), "0") << "an expired tombstone";
  EXPECT_EQ(
      Ask(2, "max(add.stats)"),
      R"({"numRecords":2,"minValues":{"id":null,"t":null,"p":null},"maxValues":)"
      R"({"id":null,"t":"2024-01-01T00:00:00.123000Z","p":null},"nullCount":)"
      R"({"id":null,"t":null,"p":null}})");
  EXPECT_EQ(Ask(2, "max(add.stats_parsed.\"maxValues\".t)::VARCHAR"),
            "2024-01-01 00:00:00.123+00");
}

TEST_F(TableTest, KeepsTheOrderOfTheFiles) {
  Create();
  constexpr int kFiles = 50'000;
  std::string lines;
  for (int i = 0; i < kFiles; ++i) {
    lines += Add(fmt::format("{:06}", i),
                 fmt::format(R"({{\"minValues\":{{\"id\":{}}}}})", i));
  }
  Commit(lines);
  Checkpoint();
  Commit(R"({"remove":{"path":"000007","deletionTimestamp":1,)"
         R"("dataChange":true}})"
         "\n" +
         Add("100000"));
  Checkpoint();
  for (const Version version : {1, 2}) {
    EXPECT_EQ(Ask(version, "count(add.path)"), std::to_string(kFiles));
    EXPECT_EQ(
        Ask(version,
            "count(*) FROM (SELECT add.path AS path, lag(add.path) OVER "
            "(ORDER BY file_row_number) AS before FROM read_parquet('" +
                folder_ + "/_delta_log/" + log::CheckpointName(version) +
                "', file_row_number = true) WHERE add.path IS NOT NULL) WHERE "
                "before > path --"),
        "0");
  }
}

TEST_F(TableTest, LeavesOutFieldsThatNoFileHas) {
  Create();
  Commit(Add("a"));
  Checkpoint();
  EXPECT_THAT(Ask(1, "count(add.\"deletionVector\")"),
              HasSubstr("Could not find key"));
  // No feature of the table has it; lost it must not be.
  Commit(R"({"add":{"path":"b","partitionValues":{},"size":1,)"
         R"("modificationTime":1,"dataChange":true,"deletionVector":)"
         R"({"storageType":"i","pathOrInlineDv":"x","sizeInBytes":1,)"
         R"("cardinality":1}}})"
         "\n");
  Checkpoint();
  Commit(Add("c"));
  Checkpoint();
  EXPECT_EQ(Ask(3, "count(add.\"deletionVector\".\"storageType\")"), "1");
}

TEST_F(TableTest, WritesAHintWithItsChecksumAndNoTemporaryFile) {
  Create();
  Commit(Add("a"));
  Checkpoint();
  const std::string hint = *store_->Read("_delta_log/_last_checkpoint");
  EXPECT_THAT(hint, HasSubstr(R"({"version":1,"size":3,"sizeInBytes":)"));
  EXPECT_THAT(hint, HasSubstr(R"("numOfAddFiles":1,"checksum":")"));
  EXPECT_THAT(LogNames(),
              ::testing::Each(::testing::Not(::testing::StartsWith("."))));
  ASSERT_TRUE(
      store_->Put("_delta_log/_last_checkpoint", R"({"version":7,"size":3})"));
  Checkpoint();
  EXPECT_EQ(*store_->Read("_delta_log/_last_checkpoint"),
            R"({"version":7,"size":3})");
}

TEST_F(TableTest, KnowsWhetherItsVersionHasACheckpoint) {
  Create();
  Commit(Add("a"));
  EXPECT_FALSE(HasCheckpoint(**Open()));
  Checkpoint();
  EXPECT_TRUE(HasCheckpoint(**Open()));
  Commit(Add("b"));
  EXPECT_FALSE(HasCheckpoint(**Open()));
}

TEST_F(TableTest, RefusesToCheckpointWhatItMayNotWrite) {
  Create(
      "", "",
      R"({"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["superFuture"]})");
  const auto before = LogNames();
  const Status written = WriteCheckpoint(**Open(), *engine_->instance);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("superFuture"));
  EXPECT_EQ(LogNames(), before);
}

}  // namespace
}  // namespace bayou::table
