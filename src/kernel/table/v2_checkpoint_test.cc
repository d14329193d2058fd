// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/v2_checkpoint.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "kernel/engine/engine.h"
#include "kernel/log/checkpoint.h"
#include "kernel/store/faulty_store.h"
#include "kernel/table/checkpoint_writer.h"
#include "kernel/table/kept_sidecars.h"

namespace bayou::table {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Names = std::vector<std::string>;

// Decides about the puts of manifests.
class ManifestTrouble final : public store::Adversary {
 public:
  explicit ManifestTrouble(store::Fault fault) : fault_(fault) {}
  store::Fault Before(const store::StoreCall& call) override {
    const bool manifest = call.kind == store::CallKind::kPutIfAbsent &&
                          call.name.find(".checkpoint.") != call.name.npos;
    if (manifest && before) before();
    return manifest ? fault_ : store::Fault::kNone;
  }
  std::function<void()> before;

 private:
  store::Fault fault_;
};

constexpr CheckpointForm kParquet = {.spec = CheckpointForm::Spec::kV2};
constexpr CheckpointForm kJson = {.spec = CheckpointForm::Spec::kV2,
                                  .json_manifest = true};

class V2CheckpointTest : public ::testing::Test {
 public:
  static void SetUpTestSuite() {
    engine_ = *engine::StartEngine({.threads = 2});
  }
  static void TearDownTestSuite() { engine_.reset(); }

  V2CheckpointTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "v2-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    store_ = store::OpenLocalStore(folder_);
  }
  ~V2CheckpointTest() override { std::filesystem::remove_all(folder_); }

  void Commit(const std::string& lines) {
    ASSERT_TRUE(store_->Put("_delta_log/" + log::CommitName(next_++), lines));
  }
  void Create(const char* policy = "v2") {
    Commit(
        R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,)"
        R"("readerFeatures":["v2Checkpoint"],"writerFeatures":["v2Checkpoint"]}})"
        "\n" +
        Metadata("id", policy));
  }
  static std::string Metadata(const std::string& column,
                              const std::string& policy) {
    return R"({"metaData":{"id":"m","format":{"provider":"parquet","options":{}},)"
           R"("schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\")" +
           column +
           R"(\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}",)"
           R"("partitionColumns":[],"configuration":)"
           R"({"delta.checkpointPolicy":")" +
           policy + "\"}}}\n";
  }
  static std::string Add(const std::string& path) {
    return R"({"add":{"path":")" + path +
           R"(","partitionValues":{},"size":10,"modificationTime":5,)"
           R"("dataChange":true,"stats":"{\"numRecords\":1,\"minValues\":)"
           R"({\"id\":1}}"}})"
           "\n";
  }
  static std::string Remove(const std::string& path, std::int64_t when) {
    return fmt::format(
        R"({{"remove":{{"path":"{}","deletionTimestamp":{},"dataChange":true}}}})"
        "\n",
        path, when);
  }
  // Enough that they are kept.
  static std::string Many(const std::string& prefix) {
    std::string lines;
    for (int i = 0; i < kSidecarActions / 2; ++i) {
      lines += Add(prefix + std::to_string(i));
    }
    return lines;
  }
  std::shared_ptr<const Snapshot> Open() {
    auto snapshot = Snapshot::Open(store_, *engine_->instance);
    if (!snapshot) ADD_FAILURE() << snapshot.error().message;
    return *snapshot;
  }
  std::string Write(const CheckpointForm& form = kParquet) {
    const auto written = WriteCheckpoint(*Open(), form, *engine_->instance);
    return written ? *written : std::string(written.error().condition);
  }
  Names Sidecars() { return NamesIn("_delta_log/_sidecars"); }
  Names NamesIn(const std::string& folder) {
    Names names;
    const auto files = store_->List(folder, "");
    if (!files) return names;
    for (const auto& file : *files) names.push_back(file.name);
    return names;
  }
  // The latest version, with the commits up to it deleted.
  Result<log::FileTotals> TotalsBehindIt() {
    for (Version v = 0; v < next_; ++v) {
      BAYOU_TRY(store_->Delete("_delta_log/" + log::CommitName(v)));
    }
    return Open()->state().Totals();
  }

  inline static std::shared_ptr<duckdb::DuckDB> engine_;
  std::string folder_;
  std::shared_ptr<store::Store> store_;
  Version next_ = 0;
};

TEST_F(V2CheckpointTest, SaysAllThatTheCommitsSaid) {
  for (const CheckpointForm& form : {kParquet, kJson}) {
    next_ = 0;
    Create();
    Commit(
        Add("a") + Add("b") +
        R"({"txn":{"appId":"app","version":3,"lastUpdated":9}})"
        "\n"
        R"({"domainMetadata":{"domain":"d","configuration":"c","removed":false}})"
        "\n");
    const std::int64_t now = Env::System().NowMs();
    Commit(Remove("a", now) + Remove("old", 5));
    const std::string name = Write(form);
    EXPECT_THAT(name, StartsWith("00000000000000000002.checkpoint."));
    EXPECT_THAT(name, HasSubstr(form.json_manifest ? ".json" : ".parquet"));
    ASSERT_EQ(TotalsBehindIt()->files, 1);
    const auto snapshot = Open();
    EXPECT_EQ(snapshot->state().transactions().at("app").last_updated, 9);
    EXPECT_EQ(snapshot->state().domains().at("d").configuration, "c");
    EXPECT_EQ(snapshot->metadata().id, "m");
    EXPECT_THAT(*snapshot->state().Tombstones(1), SizeIs(1));
    EXPECT_THAT(Sidecars(), SizeIs(1));
    EXPECT_THAT(NamesIn("_delta_log"), Not(Contains(StartsWith("."))));
    std::filesystem::remove_all(folder_ + "/_delta_log");
  }
}

TEST_F(V2CheckpointTest, IsNamedByTheHint) {
  Create();
  Commit(Add("a"));
  const std::string name = Write();
  const std::string hint = *store_->Read("_delta_log/_last_checkpoint");
  EXPECT_THAT(hint, StartsWith(R"({"version":1,"size":5,"sizeInBytes":)"));
  EXPECT_THAT(hint, HasSubstr(R"("v2Checkpoint":{"path":")" + name));
  EXPECT_THAT(hint, HasSubstr(R"("sidecarNumActions":"1")"));
  EXPECT_THAT(hint, HasSubstr(Sidecars().front()));
}

TEST_F(V2CheckpointTest, OfNoFilesHasNoSidecars) {
  Create();
  Write();
  EXPECT_THAT(Sidecars(), IsEmpty());
  EXPECT_EQ(TotalsBehindIt()->files, 0);
}

TEST_F(V2CheckpointTest, IsWhatTheTableAsksFor) {
  Create();
  Commit(Add("a"));
  ASSERT_TRUE(WriteCheckpoint(*Open(), *engine_->instance));
  EXPECT_THAT(NamesIn("_delta_log"), Not(Contains(log::CheckpointName(1))));
  EXPECT_THAT(Sidecars(), SizeIs(1));
  Commit(Metadata("id", "classic"));
  ASSERT_TRUE(WriteCheckpoint(*Open(), *engine_->instance));
  EXPECT_THAT(NamesIn("_delta_log"), Contains(log::CheckpointName(2)));
  EXPECT_EQ(TotalsBehindIt()->files, 1);
}

TEST_F(V2CheckpointTest, IsRefusedWithoutTheFeature) {
  Commit(R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})"
         "\n" +
         Metadata("id", "v2"));
  EXPECT_EQ(Write(), "DELTA_CHECKPOINT_FORM_NOT_ALLOWED");
  ASSERT_TRUE(WriteCheckpoint(*Open(), *engine_->instance));
  EXPECT_THAT(NamesIn("_delta_log"), Contains(log::CheckpointName(0)));
}

TEST_F(V2CheckpointTest, KeepsSidecarsWhoseFilesAreAllThere) {
  Create();
  Commit(Many("a"));
  Write();
  const Names first = Sidecars();
  ASSERT_THAT(first, SizeIs(1));
  Commit(Add("b"));
  Write();
  ASSERT_THAT(Sidecars(), SizeIs(2));
  Commit(Add("c"));
  Write(kJson);  // The small one is written anew with what has come.
  ASSERT_THAT(Sidecars(), SizeIs(3));
  for (const std::string& name : Sidecars()) {
    if (name == first.front()) continue;
    (void)store_->Delete("_delta_log/_sidecars/" + name);
    break;
  }
  Write();
  EXPECT_EQ(TotalsBehindIt()->files, kSidecarActions / 2 + 2);
}

TEST_F(V2CheckpointTest, WritesSidecarsAnewThatSayTooMuch) {
  Create();
  Commit(Many("a"));
  Write();
  const Names first = Sidecars();
  Commit(Remove("a7", Env::System().NowMs()));
  Write();
  EXPECT_THAT(Sidecars(), SizeIs(2));
  ASSERT_TRUE(store_->Delete("_delta_log/_sidecars/" + first.front()));
  EXPECT_EQ(TotalsBehindIt()->files, kSidecarActions / 2 - 1);
}

TEST_F(V2CheckpointTest, WritesSidecarsAnewThatHaveOtherColumns) {
  Create();
  Commit(Many("a"));
  Write();
  const Names first = Sidecars();
  Commit(Metadata("other", "v2"));
  Write();
  ASSERT_THAT(Sidecars(), SizeIs(2));
  ASSERT_TRUE(store_->Delete("_delta_log/_sidecars/" + first.front()));
  EXPECT_EQ(TotalsBehindIt()->files, kSidecarActions / 2);
}

TEST_F(V2CheckpointTest, HasSidecarsOfBoundedSize) {
  Create();
  Commit(Many("a") + Many("b") + Many("c"));
  Write();
  EXPECT_THAT(Sidecars(), SizeIs(2));
  EXPECT_EQ(TotalsBehindIt()->files, 3 * kSidecarActions / 2);
}

TEST_F(V2CheckpointTest, IsPassedOverWithoutOneOfItsSidecars) {
  Create();
  Commit(Add("a"));
  Write();
  Commit(Add("b"));
  ASSERT_TRUE(store_->Delete("_delta_log/_sidecars/" + Sidecars().front()));
  EXPECT_EQ(Open()->state().Totals()->files, 2);
  EXPECT_THAT(Write(), StartsWith("00000000000000000002.checkpoint."));
  EXPECT_EQ(TotalsBehindIt()->files, 2);
}

TEST_F(V2CheckpointTest, LeavesNothingBehindWhenItsNameIsTaken) {
  Create();
  Commit(Add("a"));
  const Names before = NamesIn("_delta_log");
  store_ = store::MakeFaultyStore(
      store_, std::make_shared<ManifestTrouble>(store::Fault::kTaken));
  for (const CheckpointForm& form : {kParquet, kJson}) {
    const auto written = WriteCheckpoint(*Open(), form, *engine_->instance);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::kAlreadyExists);
    EXPECT_EQ(NamesIn("_delta_log"), before);
    EXPECT_THAT(Sidecars(), IsEmpty());
  }
}

TEST_F(V2CheckpointTest, IsTakenBackWhenTheLogWasCleanedMeanwhile) {
  Create();
  Commit(Many("a"));
  const std::string older = Write();
  Commit(Add("b"));
  const auto snapshot = Open();
  const auto trouble = std::make_shared<ManifestTrouble>(store::Fault::kNone);
  trouble->before = [older, inner = store_] {
    ASSERT_TRUE(inner->Delete("_delta_log/" + older));
  };
  store_ = store::MakeFaultyStore(store_, trouble);
  EXPECT_EQ(Write(), "DELTA_LOG_CLEANED_UP");
  EXPECT_THAT(NamesIn("_delta_log"), Not(Contains(HasSubstr(".checkpoint."))));
  EXPECT_EQ(Open()->state().Totals()->files, kSidecarActions / 2 + 1);
}

TEST_F(V2CheckpointTest, KeepsWhatAManifestOfUnknownFateMayName) {
  Create();
  Commit(Add("a"));
  store_ = store::MakeFaultyStore(
      store_, std::make_shared<ManifestTrouble>(store::Fault::kAnswerLost));
  const auto written = WriteCheckpoint(*Open(), kParquet, *engine_->instance);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kCommitUnknown);
  EXPECT_THAT(Sidecars(), SizeIs(1));
  EXPECT_EQ(TotalsBehindIt()->files, 1);
}

}  // namespace
}  // namespace bayou::table
