// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/vacuum_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernel/engine/engine.h"
#include "kernel/log/log_file_name.h"
#include "kernel/store/memory_store.h"
#include "kernel/table/checkpoint_writer.h"
#include "ops/commands/table_names.h"

namespace bayou::commands {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Time stands still, and files are as old as a test says.
constexpr std::int64_t kNow = 1'700'000'000'000;
constexpr std::int64_t kDay = 24 * 60 * 60 * 1000LL;

class VacuumPlanTest : public ::testing::Test {
 public:
  VacuumPlanTest() {
    std::string pattern = (fs::temp_directory_path() / "vacuum-XXXXXX");
    base_ = ::mkdtemp(pattern.data());
    store_ = store::OpenLocalStore(base_ / "t");
    engine_ = engine::StartEngine({.threads = 1}).value();
    Commit(30, R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,)"
               R"("readerFeatures":["deletionVectors"],)"
               R"("writerFeatures":["deletionVectors"]}})"
               "\n"
               R"({"metaData":{"id":"m","format":{"provider":"parquet",)"
               R"("options":{}},"schemaString":"{\"type\":\"struct\",)"
               R"(\"fields\":[{\"name\":\"a\",\"type\":\"long\",)"
               R"(\"nullable\":true,\"metadata\":{}},{\"name\":\"_p\",)"
               R"(\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}",)"
               R"("partitionColumns":["_p"],"configuration":{}}})"
               "\n");
  }
  ~VacuumPlanTest() override { fs::remove_all(base_); }

  fs::path Place(const std::string& name) { return base_ / "t" / name; }

  void SetAge(const fs::path& place, std::int64_t days) {
    const auto now = std::chrono::file_clock::from_sys(
        std::chrono::sys_time(std::chrono::milliseconds(kNow)));
    fs::last_write_time(place, now - std::chrono::hours(24 * days));
  }
  void File(const std::string& name, std::int64_t days) {
    fs::create_directories(Place(name).parent_path());
    std::ofstream(Place(name)) << "text";
    SetAge(Place(name), days);
  }
  // Days ago.
  void Commit(std::int64_t days, const std::string& lines) {
    const std::string name = "_delta_log/" + log::CommitName(next_++);
    ASSERT_TRUE(store_->Put(name, lines));
    SetAge(Place(name), days);
  }
  static std::string Add(const std::string& path,
                         const std::string& more = "") {
    return fmt::format(
        R"({{"add":{{"path":"{}","partitionValues":{{"_p":"x"}},"size":4,)"
        R"("modificationTime":5,"dataChange":true{}}}}})"
        "\n",
        path, more);
  }
  static std::string Remove(const std::string& path, std::int64_t days,
                            const std::string& more = "") {
    return fmt::format(
        R"({{"remove":{{"path":"{}","deletionTimestamp":{},"dataChange":true{}}}}})"
        "\n",
        path, kNow - days * kDay, more);
  }
  std::shared_ptr<const table::Snapshot> Open() {
    auto snapshot = table::Snapshot::Open(store_, *engine_->instance);
    if (!snapshot) throw std::runtime_error(snapshot.error().message);
    return *snapshot;
  }
  VacuumPlan Full(std::int64_t days = 7) {
    // Folders are as old as what lies in them.
    for (fs::recursive_directory_iterator entry(base_ / "t"), end; entry != end;
         ++entry) {
      if (entry->is_directory() && !entry->is_symlink())
        SetAge(entry->path(), 100);
    }
    return PlanFullVacuum(*Open(), kNow - days * kDay).value();
  }
  // By an inventory that says all is old.
  Result<VacuumPlan> ByInventory(const std::vector<std::string>& paths,
                                 std::int64_t days = 7) {
    const Inventory inventory = [&](const auto& visit) -> Status {
      for (const std::string& path : paths) {
        const bool is_folder = path.ends_with('/');
        BAYOU_TRY(visit({path, 4, is_folder, kNow - 100 * kDay}));
      }
      return {};
    };
    return PlanInventoryVacuum(*Open(), kNow - days * kDay, inventory);
  }
  static std::vector<std::string> Names(const VacuumPlan& plan) {
    std::vector<std::string> names;
    for (const VacuumFile& file : plan.files) names.push_back(file.name);
    return names;
  }

  fs::path base_;
  std::shared_ptr<store::Store> store_;
  std::shared_ptr<duckdb::DuckDB> engine_;
  protocol::Version next_ = 0;
};

TEST_F(VacuumPlanTest, TakesWhatNoVersionInTheRetentionTimeHas) {
  for (const char* name :
       {"live", "removed_lately", "removed_long_ago", "orphan", "a b/c%41"}) {
    File(name, 40);
  }
  File("young_orphan", 3);
  Commit(20, Add("live") + Add("removed_lately") + Add("removed_long_ago") +
                 Add("a%20b/c%2541"));
  Commit(10, Remove("removed_long_ago", 10));
  Commit(5, Remove("removed_lately", 5));
  const VacuumPlan plan = Full();
  EXPECT_THAT(Names(plan), ElementsAre("orphan", "removed_long_ago"));
  EXPECT_TRUE(plan.files[0].is_orphan);
  EXPECT_FALSE(plan.files[1].is_orphan);
  EXPECT_EQ(plan.bytes(), 8);
  EXPECT_EQ(plan.expired_until, 2);
  EXPECT_THAT(Names(Full(12)), ElementsAre("orphan"));
  EXPECT_THAT(Names(Full(0)), ElementsAre("orphan", "removed_lately",
                                          "removed_long_ago", "young_orphan"));
}

TEST_F(VacuumPlanTest, TakesWhatAnInventoryNames) {
  for (const char* name : {"live", "removed_lately", "removed_long_ago",
                           "a b/orphan%41", "not_named", "_own/file"}) {
    File(name, 40);
  }
  Commit(20, Add("live") + Add("removed_lately") + Add("removed_long_ago"));
  Commit(10, Remove("removed_long_ago", 10));
  Commit(5, Remove("removed_lately", 5));
  const std::string base = Place("").string();
  const auto plan = ByInventory(
      {base + "live", base + "removed_lately", base + "removed_long_ago",
       "file:" + base + "a b/orphan%41", "file://" + base + "a b/orphan%41",
       base + "a b/", base + "gone", base + "_own/file", base + "live/below",
       "removed_long_ago"});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(Names(*plan), ElementsAre("a b/orphan%41", "removed_long_ago"));
  EXPECT_TRUE(plan->files[0].is_orphan);
  EXPECT_FALSE(plan->files[1].is_orphan);
  EXPECT_THAT(plan->folders, IsEmpty());  // Nobody has looked at them.
  EXPECT_EQ(plan->mode, VacuumMode::kInventory);
  EXPECT_EQ(plan->done_until, std::nullopt);
}

TEST_F(VacuumPlanTest, LooksAtWhatAnInventoryNames) {
  File("live/file", 40);
  File("young", 3);
  File("other/orphan", 40);
  File("other/_delta_log/0.json", 40);
  File("iceberg/orphan", 40);
  File("iceberg/metadata/1.metadata.json", 40);
  fs::create_directory_symlink(Place("live"), Place("link"));
  fs::create_directory(base_ / "elsewhere");
  std::ofstream(base_ / "elsewhere" / "file") << "text";
  SetAge(base_ / "elsewhere" / "file", 40);
  fs::create_directory_symlink(base_ / "elsewhere", Place("out"));
  fs::create_symlink(Place("live/file"), Place("alias"));
  Commit(20, Add("live/file"));
  const std::string base = Place("").string();
  const auto plan = ByInventory(
      {base + "young", base + "other/orphan", base + "iceberg/orphan",
       base + "link/file", base + "out/file", base + "alias", base + "out/sub/",
       base + "other/sub/", base + "../elsewhere/file", base + "x/../live/file",
       base + "./live/file", base + "/live/file", base, "/", ""});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(Names(*plan), IsEmpty());
  EXPECT_THAT(plan->folders, IsEmpty());
}

TEST_F(VacuumPlanTest, FailsWithItsInventory) {
  Commit(20, Add("live"));
  const auto plan =
      PlanInventoryVacuum(*Open(), kNow, [](const auto&) -> Status {
        return Fail(ErrorCode::kUnavailable, "AWAY", "the inventory is away");
      });
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().condition, "AWAY");
}

TEST_F(VacuumPlanTest, KeepsWhatACheckpointHasForgotten) {
  File("a", 40);
  File("b", 40);
  Commit(20, Add("a") + Add("b"));
  Commit(10, Remove("a", 10));
  ASSERT_TRUE(table::WriteCheckpoint(*Open(), *engine_->instance));
  EXPECT_THAT(Names(Full(14)), IsEmpty());
  EXPECT_THAT(Names(Full(7)), ElementsAre("a"));
}

TEST_F(VacuumPlanTest, KeepsDeletionVectorsWithTheirFiles) {
  // deletion_vector_61d16c75-6994-46b7-a15b-8b538852e50e.bin
  const std::string vector =
      R"(,"deletionVector":{"storageType":"u","pathOrInlineDv":)"
      R"("vBn[lx{q8@P<9BNH/isA","offset":1,"sizeInBytes":36,"cardinality":2})";
  const std::string name =
      "deletion_vector_61d16c75-6994-46b7-a15b-8b538852e50e.bin";
  File("f", 40);
  File(name, 40);
  Commit(20, Add("f", vector));
  EXPECT_THAT(Names(Full(0)), IsEmpty());
  Commit(10, Remove("f", 10, vector) + Add("f"));
  EXPECT_THAT(Names(Full(14)), IsEmpty());
  EXPECT_THAT(Names(Full(7)), ElementsAre(name));
}

TEST_F(VacuumPlanTest, KeepsChangeDataOfVersionsThatCanBeRead) {
  File("_change_data/old", 40);
  File("_change_data/young", 40);  // As after a copy that kept no times.
  const auto change = [](const std::string& name) {
    return R"({"cdc":{"path":"_change_data/)" + name +
           R"(","partitionValues":{},"size":4,"dataChange":false}})"
           "\n";
  };
  Commit(20, change("old"));
  Commit(3, change("young"));
  EXPECT_THAT(Names(Full()), ElementsAre("_change_data/old"));
}

TEST_F(VacuumPlanTest, LeavesWhatIsHidden) {
  for (const char* name :
       {"_SUCCESS", ".hidden", "_delta_log/00000000000000000009.json.bak",
        "_symlink_format_manifest/m", ".git/x", "_p=1/f", "_delta_index/i",
        "_other=1/f", "p/_mark"}) {
    File(name, 40);
  }
  EXPECT_THAT(Names(Full()), ElementsAre("_delta_index/i", "_p=1/f"));
}

TEST_F(VacuumPlanTest, LeavesTheTablesInsideOfThisOne) {
  for (const char* name :
       {"other/part", "other/deep/part", "other/_delta_log/0.json",
        "ice/data/part", "ice/metadata/v1.metadata.json", "part"}) {
    File(name, 40);
  }
  const VacuumPlan plan = Full();
  EXPECT_THAT(Names(plan), ElementsAre("part"));
  EXPECT_THAT(plan.folders, IsEmpty());
}

TEST_F(VacuumPlanTest, KeepsFilesUnderAnySpellingOfTheirPath) {
  for (const char* name : {"a", "b", "c", "d"}) File(name, 40);
  fs::create_directory_symlink("t", base_ / "link");
  Commit(20, Add("file:" + Place("a").string()) + Add(Place("b").string()) +
                 Add("x/../c") + Add((base_ / "link/d").string()));
  EXPECT_THAT(Names(Full()), IsEmpty());
}

TEST_F(VacuumPlanTest, FindsFoldersThatHoldNothing) {
  fs::create_directories(Place("empty/deep"));
  fs::create_directories(Place("young"));
  File("gone/f", 40);
  File("half/gone/f", 40);
  File("half/f", 3);
  const VacuumPlan plan = Full();
  EXPECT_THAT(plan.folders,
              ElementsAre("young", "half/gone", "gone", "empty/deep", "empty"));
  SetAge(Place("young"), 1);
  const auto again = PlanFullVacuum(*Open(), kNow - 7 * kDay).value();
  EXPECT_THAT(again.folders,
              ElementsAre("half/gone", "gone", "empty/deep", "empty"));
}

TEST_F(VacuumPlanTest, FindsWhatKilledWritersLeftInTheLog) {
  const std::string left =
      ".00000000000000000007.json.61d16c75-6994-46b7-a15b-8b538852e50e.tmp";
  File("_delta_log/" + left, 40);
  File("_delta_log/.x" + left, 40);
  File(
      "_delta_log/.00000000000000000008.json"
      ".61d16c75-6994-46b7-a15b-8b538852e50f.tmp",
      3);
  EXPECT_THAT(Full().temporary_log_files, ElementsAre("_delta_log/" + left));
}

TEST_F(VacuumPlanTest, LiteFindsInTheLogWhatWent) {
  for (const char* name : {"a", "b", "c", "orphan", "_delta_log/x", "other/f",
                           "other/_delta_log/0.json"}) {
    File(name, 40);
  }
  Commit(20, Add("a") + Add("b") + Add("c"));
  Commit(15, Remove("a", 15) + Remove("nothing_there", 15) +
                 Remove("_delta_log/x", 15) + Remove("../t/b", 15) +
                 Remove("other/f", 15));
  Commit(10, Remove("b", 10));
  Commit(5, Remove("c", 5));
  const auto lite = [&](std::optional<protocol::Version> done_until) {
    return PlanLiteVacuum(*Open(), kNow - 7 * kDay, done_until).value();
  };
  EXPECT_THAT(Names(lite({})), ElementsAre("a", "b"));
  EXPECT_THAT(Names(lite(2)), ElementsAre("b"));
  EXPECT_THAT(Names(lite(3)), IsEmpty());
  EXPECT_EQ(lite(1).first_commit, 2);
  EXPECT_EQ(lite(1).last_commit, 3);
}

// Its writer's clock was ahead of the store's, or of the one who commits.
TEST_F(VacuumPlanTest, WhatIsKeptForNowIsLookedAtAgain) {
  for (const char* name : {"a", "b", "c"}) File(name, 40);
  Commit(20, Add("a") + Add("b") + Add("c"));
  Commit(15, Remove("a", 15));
  Commit(12, Remove("b", 3));
  Commit(10, Remove("c", 10));
  EXPECT_EQ(Full(13).done_until, 2);
  EXPECT_EQ(Full().expired_until, 4);
  EXPECT_EQ(Full().done_until, std::nullopt);
  const auto lite = [&](std::int64_t days,
                        std::optional<protocol::Version> done_until) {
    return PlanLiteVacuum(*Open(), kNow - days * kDay, done_until).value();
  };
  EXPECT_THAT(Names(lite(7, {})), ElementsAre("a", "c"));
  EXPECT_EQ(lite(7, {}).done_until, 2);
  EXPECT_EQ(lite(7, 2).done_until, 2);
  EXPECT_EQ(lite(13, 2).done_until, 2);
  EXPECT_EQ(lite(21, {}).done_until, 0);
  EXPECT_EQ(lite(31, {}).done_until, std::nullopt);
  EXPECT_THAT(Names(lite(1, 2)), ElementsAre("b", "c"));
  EXPECT_EQ(lite(1, 2).done_until, 4);
  EXPECT_EQ(Full(1).done_until, 4);

  File("a", 1);  // A copy, say.
  EXPECT_THAT(Names(lite(2, {})), ElementsAre("a", "b", "c"));
  EXPECT_EQ(Full(2).done_until, std::nullopt);
}

TEST_F(VacuumPlanTest, LiteNeedsTheWholeLogSinceTheLastRun) {
  File("a", 40);
  Commit(20, Add("a"));
  Commit(10, Remove("a", 10));
  ASSERT_TRUE(table::WriteCheckpoint(*Open(), *engine_->instance));
  ASSERT_TRUE(store_->Delete("_delta_log/" + log::CommitName(0)));
  ASSERT_TRUE(store_->Delete("_delta_log/" + log::CommitName(1)));
  const auto lite = [&](std::optional<protocol::Version> done_until) {
    return PlanLiteVacuum(*Open(), kNow - 7 * kDay, done_until);
  };
  EXPECT_EQ(lite({}).error().condition, "DELTA_CANNOT_VACUUM_LITE");
  EXPECT_EQ(lite(0).error().condition, "DELTA_CANNOT_VACUUM_LITE");
  EXPECT_THAT(Names(lite(1).value()), ElementsAre("a"));
}

// As object stores have none.
TEST(PlanFullVacuum, NeedsNoFoldersToKnowWhatIsHidden) {
  class Clock final : public Env {
   public:
    std::int64_t NowMs() override { return kNow; }
    std::uint64_t Random() override { return 0; }
  } clock;
  const auto memory = store::Memory::Make(clock);
  const auto store = memory->Open("t", "memory://t");
  ASSERT_TRUE(store->Put("_delta_log/" + log::CommitName(0),
                         R"({"protocol":{"minReaderVersion":1,)"
                         R"("minWriterVersion":2}})"
                         "\n"
                         R"({"metaData":{"id":"m","format":{"provider":)"
                         R"("parquet","options":{}},"schemaString":)"
                         R"("{\"type\":\"struct\",\"fields\":[]}",)"
                         R"("partitionColumns":[],"configuration":{}}})"));
  for (const char* name :
       {"a", "p=1/b", "_own/c", "p=1/.d", "other/_delta_log/e", "other/f"}) {
    ASSERT_TRUE(store->Put(name, "text"));
  }
  const auto engine = engine::StartEngine({.threads = 1}).value();
  const auto snapshot = table::Snapshot::Open(store, *engine->instance).value();
  const auto plan = PlanFullVacuum(*snapshot, kNow + 1).value();
  std::vector<std::string> names;
  for (const VacuumFile& file : plan.files) names.push_back(file.name);
  EXPECT_THAT(names, ElementsAre("a", "p=1/b"));
}

TEST(IsTemporaryLogFile, KnowsTheNamesOfWriters) {
  const std::string uuid = "61d16c75-6994-46b7-a15b-8b538852e50e";
  for (const std::string& name : std::vector<std::string>{
           ".00000000000000000007.json." + uuid + ".tmp",
           "._last_checkpoint." + uuid + ".tmp",
           ".00000000000000000007.checkpoint.parquet." + uuid + ".tmp"}) {
    EXPECT_TRUE(IsTemporaryLogFile(name)) << name;
  }
  for (const std::string& name : std::vector<std::string>{
           "00000000000000000007.json", ".00000000000000000007.json.crc",
           ".notes." + uuid + ".tmp", ".tmp", uuid + ".tmp",
           ".00000000000000000007.json.tmp"}) {
    EXPECT_FALSE(IsTemporaryLogFile(name)) << name;
  }
}

}  // namespace
}  // namespace bayou::commands
