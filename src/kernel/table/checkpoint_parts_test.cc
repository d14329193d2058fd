// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/checkpoint_parts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kernel/engine/engine.h"
#include "kernel/table/checkpoint_writer.h"

namespace bayou::table {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CheckpointPartsTest : public ::testing::Test {
 public:
  static void SetUpTestSuite() {
    engine_ = *engine::StartEngine({.threads = 2});
  }
  static void TearDownTestSuite() { engine_.reset(); }

  CheckpointPartsTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "parts-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    store_ = store::OpenLocalStore(folder_);
  }
  ~CheckpointPartsTest() override { std::filesystem::remove_all(folder_); }

  void Commit(const std::string& lines) {
    ASSERT_TRUE(store_->Put("_delta_log/" + log::CommitName(next_++), lines));
  }
  void Create(const std::string& features = "",
              const std::string& configuration = "") {
    Commit(fmt::format(
        R"({{"protocol":{{"minReaderVersion":3,"minWriterVersion":7,)"
        R"("readerFeatures":[{0}],"writerFeatures":[{0}]}}}})"
        "\n"
        R"({{"metaData":{{"id":"m","format":{{"provider":"parquet","options":{{}}}},)"
        R"("schemaString":"{{\"type\":\"struct\",\"fields\":[]}}",)"
        R"("partitionColumns":[],"configuration":{{{1}}}}}}})"
        "\n",
        features, configuration));
  }
  static std::string Add(int i, const std::string& more = "") {
    return fmt::format(
        R"({{"add":{{"path":"f{}","partitionValues":{{}},"size":1,)"
        R"("modificationTime":5,"dataChange":true{}}}}})"
        "\n",
        i, more);
  }
  void AddMany(int count, const std::string& more = "") {
    std::string lines;
    for (int i = 0; i < count; ++i) lines += Add(i, more);
    Commit(lines);
  }
  std::shared_ptr<const Snapshot> Open() {
    auto snapshot = Snapshot::Open(store_, *engine_->instance);
    if (!snapshot) ADD_FAILURE() << snapshot.error().message;
    return *snapshot;
  }
  std::string Write(int parts) {
    CheckpointForm form;
    form.parts = parts;
    const auto written = WriteCheckpoint(*Open(), form, *engine_->instance);
    return written ? *written : std::string(written.error().message);
  }
  std::string Place(int part, int parts) {
    return "_delta_log/" + CheckpointPartName(next_ - 1, part, parts);
  }
  void Forget() {
    for (Version v = 0; v < next_; ++v) {
      ASSERT_TRUE(store_->Delete("_delta_log/" + log::CommitName(v)));
    }
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    const auto files = store_->List("_delta_log", "");
    for (const auto& file : *files) names.push_back(file.name);
    return names;
  }

  inline static std::shared_ptr<duckdb::DuckDB> engine_;
  std::string folder_;
  std::shared_ptr<store::Store> store_;
  Version next_ = 0;
};

TEST_F(CheckpointPartsTest, SayTogetherWhatTheCommitsSaid) {
  Create(R"("deletionVectors")");
  AddMany(100);
  Commit(Add(7) +
         Add(200, R"(,"stats":"{\"numRecords\":1}","deletionVector":)"
                  R"({"storageType":"u","pathOrInlineDv":"abc",)"
                  R"("offset":1,"sizeInBytes":2,"cardinality":1})") +
         R"({"txn":{"appId":"app","version":3}})"
         "\n");
  EXPECT_EQ(Write(3),
            "00000000000000000002.checkpoint.0000000001.0000000003.parquet");
  EXPECT_THAT(
      *store_->Read("_delta_log/_last_checkpoint"),
      StartsWith(R"({"version":2,"size":104,"parts":3,"sizeInBytes":)"));
  EXPECT_THAT(Names(), Each(Not(StartsWith("."))));
  Forget();
  EXPECT_EQ(Open()->state().segment().checkpoint.size(), 3U);
  EXPECT_EQ(Open()->state().Totals()->files, 101);
  EXPECT_EQ(Open()->state().transactions().at("app").version, 3);
}

TEST_F(CheckpointPartsTest, DivideFilesAsSparkDoes) {
  Create();
  AddMany(20);
  Write(4);
  const auto found =
      engine::Connect(*engine_->instance)
          ->Query(fmt::format("SELECT add.path FROM '{}/{}' WHERE add.path IS "
                              "NOT NULL AND bayou_checkpoint_part(add.path, "
                              "NULL, 4) != 2",
                              folder_, Place(3, 4)));
  ASSERT_FALSE(found->HasError()) << found->GetError();
  EXPECT_EQ(found->RowCount(), 0U);
}

TEST_F(CheckpointPartsTest, OfWhichOneIsMissingAreNoCheckpoint) {
  Create();
  AddMany(20);
  Write(3);
  const std::string first = *store_->Read(Place(1, 3));
  ASSERT_TRUE(store_->Delete(Place(2, 3)));
  EXPECT_TRUE(Open()->state().segment().checkpoint.empty());
  // What a killed writer left behind, and what is no part at all, is replaced.
  ASSERT_TRUE(store_->Put(Place(1, 3), "PAR1 not"));
  Write(3);
  EXPECT_EQ(store_->Read(Place(1, 3))->size(), first.size());
  Forget();
  EXPECT_EQ(Open()->state().Totals()->files, 20);
}

TEST_F(CheckpointPartsTest, AreLeftWhereTheyAreComplete) {
  Create();
  AddMany(20);
  ASSERT_TRUE(WriteCheckpoint(*Open(), *engine_->instance));
  Write(2);
  const std::string before = *store_->Read(Place(1, 2));
  const auto time = store_->Head(Place(1, 2))->modified_ms;
  Write(2);
  EXPECT_EQ(*store_->Read(Place(1, 2)), before);
  EXPECT_EQ(store_->Head(Place(1, 2))->modified_ms, time);
  EXPECT_TRUE(store_->Head("_delta_log/" + log::CheckpointName(1)));
}

TEST_F(CheckpointPartsTest, ComeByThemselvesFromAPropertyOn) {
  Create("", R"("delta.checkpoint.partSize":"8")");
  AddMany(20);
  ASSERT_TRUE(WriteCheckpoint(*Open(), *engine_->instance));
  EXPECT_TRUE(store_->Head(Place(3, 3)));
}

TEST_F(CheckpointPartsTest, AreRefusedWhereTheProtocolForbidsThem) {
  Create(R"("v2Checkpoint")", R"("delta.checkpoint.partSize":"8")");
  AddMany(20);
  EXPECT_THAT(Write(2), HasSubstr("v2Checkpoint"));
  EXPECT_THAT(Write(100'000), HasSubstr("1 to 1000 parts"));
  ASSERT_TRUE(WriteCheckpoint(*Open(), *engine_->instance));
  EXPECT_TRUE(store_->Head("_delta_log/" + log::CheckpointName(1)));
}

}  // namespace
}  // namespace bayou::table
