// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/log_replay.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "kernel/engine/engine.h"
#include "kernel/log/log_listing.h"

namespace bayou::log {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char* const kProtocol =
    R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})";

std::string Metadata(const std::string& id) {
  return R"({"metaData":{"id":")" + id +
         R"(","format":{"provider":"parquet","options":{}},"schemaString":"{}",)"
         R"("partitionColumns":[],"configuration":{}}})";
}
std::string Add(const std::string& path, std::int64_t size = 10,
                const std::string& rest = "") {
  return fmt::format(
      R"({{"add":{{"path":"{}","partitionValues":{{}},"size":{},)"
      R"("modificationTime":5,"dataChange":true{}}}}})",
      path, size, rest);
}
std::string Remove(const std::string& path, std::int64_t deleted = 100,
                   const std::string& rest = "") {
  return fmt::format(
      R"({{"remove":{{"path":"{}","deletionTimestamp":{},"dataChange":true{}}}}})",
      path, deleted, rest);
}
std::string Vector(const std::string& id) {
  return R"(,"deletionVector":{"storageType":"i","pathOrInlineDv":")" + id +
         R"(","sizeInBytes":40,"cardinality":1})";
}

// A log folder on disk that is written commit by commit.
class Log : public ::testing::Test {
 public:
  static void SetUpTestSuite() {
    engine_ = *engine::StartEngine({.threads = 2});
  }
  static void TearDownTestSuite() { engine_.reset(); }

  Log() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "log-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    store_ = store::OpenLocalStore(folder_);
  }
  ~Log() override { std::filesystem::remove_all(folder_); }

  void Commit(const std::vector<std::string>& lines) {
    Put(CommitName(next_++), lines);
  }
  void Put(const std::string& name, const std::vector<std::string>& lines) {
    std::filesystem::create_directories(folder_ + "/_delta_log");
    std::ofstream file(folder_ + "/_delta_log/" + name);
    for (const std::string& line : lines) file << line << "\n";
  }
  // A checkpoint whose rows are given as SQL, one column for each kind of
  // action.
  void Checkpoint(Version version, const std::string& sql) {
    Parquet(CheckpointName(version), sql);
  }
  void Parquet(const std::string& name, const std::string& sql) {
    std::filesystem::create_directories(folder_ + "/_delta_log/_sidecars");
    const auto written =
        engine::Connect(*engine_->instance)
            ->Query(
                fmt::format("COPY ({}) TO '{}/_delta_log/{}' (FORMAT parquet)",
                            sql, folder_, name));
    ASSERT_FALSE(written->HasError()) << written->GetError();
  }

  Result<std::shared_ptr<const LogState>> Replay(
      std::optional<Version> target = {}) {
    BAYOU_ASSIGN(const auto files, ListLog(*store_, 0));
    BAYOU_ASSIGN(const LogSegment segment, ChooseLogSegment(files, target));
    return LogState::Replay(store_, *engine_->instance, segment, &unreadable_);
  }

  // The live files, sorted; also checks that Totals() agrees.
  std::vector<protocol::AddFile> Files(
      std::optional<Version> target = {},
      const std::shared_ptr<const FilePredicate>& predicate = {}) {
    const auto state = Replay(target);
    if (!state) {
      ADD_FAILURE() << state.error().message;
      return {};
    }
    std::vector<protocol::AddFile> all;
    std::vector<protocol::AddFile> batch;
    const auto cursor = (*state)->Files(
        {.stats = true, .tags = true, .row_tracking = true}, predicate);
    while (*(*cursor)->Next(batch))
      all.insert(all.end(), batch.begin(), batch.end());
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    if (!predicate) {
      std::int64_t bytes = 0;
      for (const auto& file : all) bytes += file.size;
      const auto totals = (*state)->Totals();
      EXPECT_EQ(totals->files, static_cast<std::int64_t>(all.size()));
      EXPECT_EQ(totals->bytes, bytes);
    }
    return all;
  }
  std::vector<std::string> Paths(
      std::optional<Version> target = {},
      const std::shared_ptr<const FilePredicate>& predicate = {}) {
    std::vector<std::string> paths;
    for (const auto& file : Files(target, predicate))
      paths.push_back(file.path);
    return paths;
  }
  std::string ConditionOf(std::optional<Version> target = {}) {
    const auto state = Replay(target);
    return state ? "none" : std::string(state.error().condition);
  }

  // One for all tests: to start it costs more than most of them.
  inline static std::shared_ptr<duckdb::DuckDB> engine_;
  std::string folder_;
  std::shared_ptr<store::Store> store_;
  std::string unreadable_;
  Version next_ = 0;
};

// One row for each path, with the columns that checkpoints have.
std::string CheckpointSql(const std::vector<std::string>& paths) {
  std::string sql =
      "SELECT {'minReaderVersion': 1, 'minWriterVersion': 2} AS protocol, "
      "{'id': 'from-checkpoint', 'format': {'provider': 'parquet', "
      "'options': MAP {}::MAP(VARCHAR, VARCHAR)}, 'schemaString': '{}', "
      "'partitionColumns': []::VARCHAR[], 'configuration': MAP "
      "{}::MAP(VARCHAR, VARCHAR)} "
      "AS \"metaData\", NULL AS add";
  for (const std::string& path : paths) {
    sql += fmt::format(
        " UNION ALL SELECT NULL, NULL, {{'path': '{}', 'partitionValues': "
        "MAP {{}}::MAP(VARCHAR, VARCHAR), 'size': 10::BIGINT, "
        "'modificationTime': 5::BIGINT, "
        "'dataChange': false, 'stats': NULL::VARCHAR}}",
        path);
  }
  return sql;
}

TEST_F(Log, NewestWordOnAFileHolds) {
  Commit({kProtocol, Metadata("m"), Add("a"), Add("b")});
  Commit({Remove("a")});
  Commit({Add("a", 11), Remove("b")});
  EXPECT_THAT(Paths(), ElementsAre("a"));
  EXPECT_THAT(Paths(1), ElementsAre("b"));
  EXPECT_THAT(Paths(0), ElementsAre("a", "b"));
  EXPECT_EQ(Files()[0].size, 11);
}

TEST_F(Log, ComparesDecodedPaths) {
  Commit({kProtocol, Metadata("m"), Add("special%20p@%23h"), Add("/abs/x"),
          Add("c")});
  Commit({Remove("special p@%23h"), Remove("file:///abs/x")});
  EXPECT_THAT(Paths(), ElementsAre("c"));
}

TEST_F(Log, AFileWithAnotherVectorIsAnotherFile) {
  Commit({kProtocol, Metadata("m"), Add("a")});
  Commit({Remove("a"), Add("a", 10, Vector("wi5b="))});
  ASSERT_EQ(Files().size(), 1U);
  EXPECT_EQ(Files()[0].deletion_vector->path_or_inline_dv, "wi5b=");
  Commit({Remove("a", 100, Vector("wi5b=")), Add("a", 10, Vector("other"))});
  ASSERT_EQ(Files().size(), 1U);
  EXPECT_EQ(Files()[0].deletion_vector->path_or_inline_dv, "other");
}

TEST_F(Log, NewestSmallActionsHold) {
  Commit(
      {kProtocol, Metadata("first"), R"({"txn":{"appId":"a","version":1}})",
       R"({"domainMetadata":{"domain":"d","configuration":"1","removed":false}})",
       R"({"domainMetadata":{"domain":"e","configuration":"1","removed":false}})"});
  Commit(
      {Metadata("second"), R"({"txn":{"appId":"a","version":2}})",
       R"({"domainMetadata":{"domain":"d","configuration":"","removed":true}})"});
  const auto state = *Replay();
  EXPECT_EQ(state->metadata().id, "second");
  EXPECT_EQ(state->transactions().at("a").version, 2);
  EXPECT_EQ(state->domains().size(), 1U);
  EXPECT_TRUE(state->domains().contains("e"));
}

TEST_F(Log, TakesTheCheckpointMinusWhatNewerCommitsTouch) {
  for (int i = 0; i < 3; ++i) Commit({"{}"});
  Checkpoint(2, CheckpointSql({"a", "b", "c%20d", "e"}));
  Commit({Remove("b"), Remove("c d"), Add("e", 99), Add("f")});
  EXPECT_THAT(Paths(), ElementsAre("a", "e", "f"));
  EXPECT_EQ(Files()[1].size, 99);
  EXPECT_THAT(Paths(2), ElementsAre("a", "b", "c%20d", "e"));
  EXPECT_EQ((*Replay())->metadata().id, "from-checkpoint");
}

TEST_F(Log, ReadsWhatOldCheckpointsHave) {
  Commit({"{}"});
  // No partitionValues but typed ones, no JSON statistics but typed ones.
  Checkpoint(
      0, CheckpointSql({}) +
             " UNION ALL SELECT NULL, NULL, {'path': 'a', 'size': 10::BIGINT, "
             "'modificationTime': 5::BIGINT, "
             "'partitionValues_parsed': {'p': DATE '2024-01-01', 'q': "
             "NULL::INTEGER}, "
             "'stats_parsed': {'numRecords': 3::BIGINT, "
             "'minValues': {'t': TIMESTAMPTZ '2024-01-01 00:00:00+00', 'd': "
             "1.50::DECIMAL(4,2)}}}");
  const auto files = Files();
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].partition_values.at("p"), "2024-01-01");
  EXPECT_EQ(files[0].partition_values.at("q"), std::nullopt);
  EXPECT_EQ(
      files[0].stats,
      R"({"numRecords":3,"minValues":{"t":"2024-01-01T00:00:00.000000Z","d":1.5}})");
}

TEST_F(Log, ReadsV2CheckpointsWithSidecars) {
  for (int i = 0; i < 2; ++i) Commit({"{}"});
  Parquet("_sidecars/one two.parquet",
          "SELECT {'path': 'a', 'size': 1::BIGINT, 'modificationTime': "
          "1::BIGINT} AS add");
  Parquet(
      "_sidecars/b.parquet",
      "SELECT {'path': 'b', 'size': 1::BIGINT, 'modificationTime': 1::BIGINT, "
      "'baseRowId': 7::BIGINT} AS add");
  const auto sidecar = [](const std::string& path) {
    return R"({"sidecar":{"path":")" + path +
           R"(","sizeInBytes":1,"modificationTime":1}})";
  };
  Put("00000000000000000001.checkpoint.aaaa.json",
      {R"({"checkpointMetadata":{"version":1}})", kProtocol, Metadata("v2"),
       sidecar("one%20two.parquet"),
       sidecar("file://" + folder_ + "/_delta_log/_sidecars/b.parquet")});
  EXPECT_THAT(Paths(), ElementsAre("a", "b"));
  EXPECT_EQ(Files()[1].base_row_id, 7);
  Commit({Remove("a")});
  EXPECT_THAT(Paths(), ElementsAre("b"));
}

TEST_F(Log, ReadsFileActionsOfAJsonManifest) {
  Commit({"{}"});
  Put("00000000000000000000.checkpoint.aaaa.json",
      {R"({"checkpointMetadata":{"version":0}})", kProtocol, Metadata("v2"),
       Add("a"), Remove("b")});
  Commit({Add("c"), Remove("a")});
  EXPECT_THAT(Paths(0), ElementsAre("a"));
  EXPECT_THAT(Paths(), ElementsAre("c"));
}

TEST_F(Log, RefusesSidecarsOutsideOfTheirFolder) {
  Commit({"{}"});
  for (const char* path : {"../x.parquet", "..%2Fx.parquet", "/etc/x.parquet",
                           "file:///etc/x.parquet"}) {
    Put("00000000000000000000.checkpoint.aaaa.json",
        {R"({"checkpointMetadata":{"version":0}})", kProtocol, Metadata("v2"),
         fmt::format(
             R"({{"sidecar":{{"path":"{}","sizeInBytes":1,"modificationTime":1}}}})",
             path)});
    EXPECT_EQ(ConditionOf(), "DELTA_PATH_OUTSIDE_TABLE") << path;
  }
}

TEST_F(Log, RefusesASidecarThatIsALinkOutOfTheTable) {
  Commit({"{}"});
  const std::string outside = folder_ + "-outside.parquet";
  Parquet("_sidecars/in.parquet", CheckpointSql({"a"}));
  std::filesystem::rename(folder_ + "/_delta_log/_sidecars/in.parquet",
                          outside);
  std::filesystem::create_symlink(outside,
                                  folder_ + "/_delta_log/_sidecars/x.parquet");
  Put("00000000000000000000.checkpoint.aaaa.json",
      {R"({"checkpointMetadata":{"version":0}})", kProtocol, Metadata("v2"),
       R"({"sidecar":{"path":"x.parquet","sizeInBytes":1,"modificationTime":1}})"});
  EXPECT_EQ(ConditionOf(), "DELTA_PATH_OUTSIDE_TABLE");
  std::filesystem::remove(outside);
}

TEST_F(Log, RefusesALineWithoutEndBeforeItFillsTheMemory) {
  Put(CommitName(0), {});
  std::filesystem::resize_file(folder_ + "/_delta_log/" + CommitName(0),
                               std::uintmax_t{1} << 36);
  EXPECT_EQ(ConditionOf(), "DELTA_LOG_INVALID");
}

TEST_F(Log, RefusesADeletionVectorOfNegativeSizeInACheckpoint) {
  Commit({"{}"});
  Checkpoint(
      0, CheckpointSql({}) +
             " UNION ALL SELECT NULL, NULL, {'path': 'a', 'partitionValues': "
             "MAP {}, 'size': 10::BIGINT, 'modificationTime': 5::BIGINT, "
             "'stats': '{}', 'deletionVector': {'storageType': 'u', "
             "'pathOrInlineDv': 'abc', 'offset': 1, 'sizeInBytes': 4, "
             "'cardinality': (-2)::BIGINT}}");
  const auto state = Replay();
  const auto cursor = (*state)->Files({}, nullptr);
  std::vector<protocol::AddFile> batch;
  const auto read = (*cursor)->Next(batch);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCorruption);
}

TEST_F(Log, TakesCompactedFilesForTheirCommits) {
  Commit({kProtocol, Metadata("m"), Add("a")});
  Commit({"not read"});
  Commit({"not read"});
  Put("00000000000000000001.00000000000000000002.compacted.json",
      {Add("b"), Remove("a")});
  EXPECT_THAT(Paths(), ElementsAre("b"));
}

TEST_F(Log, KeepsTombstonesUntilTheyExpire) {
  Commit({"{}"});
  Checkpoint(0, "SELECT *, NULL AS remove FROM (" + CheckpointSql({}) +
                    ") UNION ALL SELECT NULL, NULL, NULL, {'path': "
                    "unnest(['x', 'y', 'z']), "
                    "'deletionTimestamp': 50::BIGINT, 'dataChange': true}");
  Commit({Remove("b", 60), Remove("old", 10), Add("y"), Remove("z", 70)});
  std::vector<std::string> paths;
  const auto tombstones = (*Replay())->Tombstones(40);
  for (const auto& remove : *tombstones) paths.push_back(remove.path);
  EXPECT_THAT(paths, ::testing::UnorderedElementsAre("b", "z", "x"));
}

class KeepsOneSize final : public FilePredicate {
 public:
  explicit KeepsOneSize(std::string condition = {})
      : condition_(std::move(condition)) {}
  bool Keep(const FileView& file) const override { return file.size == 10; }
  std::string CheckpointFilter(const duckdb::LogicalType&) const override {
    return condition_;
  }
  std::string condition_;
};

TEST_F(Log, AsksThePredicateOfCommitsAndCheckpointAlike) {
  Commit({"{}"});
  Checkpoint(0, CheckpointSql({"a", "b"}));
  Commit({Add("c", 10), Add("d", 20), Remove("b")});
  EXPECT_THAT(Paths({}, std::make_shared<KeepsOneSize>()),
              ElementsAre("a", "c"));
  EXPECT_THAT(Paths({}, std::make_shared<KeepsOneSize>("add.path > 'a'")),
              ElementsAre("c"));
}

// Keeps the files whose statistics name the number, or that have none.
class KeepsNumber final : public FilePredicate {
 public:
  explicit KeepsNumber(int number) : number_(fmt::format(":{}}}", number)) {}
  bool Keep(const FileView& file) const override {
    return KeepStats(file.stats);
  }
  bool JudgesStats() const override { return true; }
  bool KeepStats(std::string_view stats) const override {
    return stats.empty() || stats.ends_with(number_);
  }
  const std::string number_;
};

// Files f0, f1, ... of which every 10,000th has no statistics, and a tombstone
// behind every tenth.
std::string ManyFiles(int from, int to) {
  return fmt::format(
      "SELECT CASE WHEN NOT gone THEN {{'path': 'f' || i, 'size': 1::BIGINT, "
      "'stats': "
      "CASE WHEN i % 10000 <> 5 THEN '{{\"numRecords\":' || i % 5000 || '}}' "
      "END}} END "
      "AS add, CASE WHEN gone THEN {{'path': 'r' || i, 'deletionTimestamp': "
      "1::BIGINT}} END "
      "AS remove FROM range({}, {}) t(i), (VALUES (false), (true)) g(gone) "
      "WHERE NOT gone OR i % 10 = 0 ORDER BY i, gone",
      from, to);
}

TEST_F(Log, LooksAtTheStatisticsOfALargeCheckpointFirst) {
  Commit({"{}"});
  Checkpoint(0, ManyFiles(0, 50'000));
  Commit({kProtocol, Metadata("m"), Remove("f7"), Add("f10007", 3)});
  EXPECT_THAT(
      Paths({}, std::make_shared<KeepsNumber>(7)),
      ::testing::UnorderedElementsAre(
          "f5007", "f10007", "f15007", "f20007", "f25007", "f30007", "f35007",
          "f40007", "f45007", "f5", "f10005", "f20005", "f30005", "f40005"));
  EXPECT_THAT(Paths({}, std::make_shared<KeepsNumber>(-1)),
              ::testing::UnorderedElementsAre("f5", "f10005", "f20005",
                                              "f30005", "f40005", "f10007"));
}

TEST_F(Log, LooksAtTheStatisticsOfEachPart) {
  Commit({"{}"});
  Commit({kProtocol, Metadata("m")});
  Parquet("00000000000000000000.checkpoint.0000000001.0000000002.parquet",
          ManyFiles(0, 20'000));
  Parquet("00000000000000000000.checkpoint.0000000002.0000000002.parquet",
          ManyFiles(20'006, 40'000));
  EXPECT_THAT(Paths({}, std::make_shared<KeepsNumber>(30)),
              ::testing::UnorderedElementsAre(
                  "f30", "f5030", "f10030", "f15030", "f20030", "f25030",
                  "f30030", "f35030", "f5", "f10005", "f30005"));
}

TEST_F(Log, HandsThePredicateWhatTheLogSays) {
  class Recorder final : public FilePredicate {
   public:
    bool Keep(const FileView& file) const override {
      std::string seen(file.path);
      for (const auto& [key, value] : file.partition_values) {
        seen += fmt::format(" {}={}", key,
                            value.data() == nullptr ? "NULL" : value);
      }
      seen_.push_back(fmt::format("{} {} {} {}", seen, file.stats,
                                  file.has_deletion_vector,
                                  file.modification_time));
      return false;
    }
    mutable std::vector<std::string> seen_;
  };
  Commit({"{}"});
  Checkpoint(
      0, CheckpointSql({}) +
             " UNION ALL SELECT NULL, NULL, {'path': 'a', 'partitionValues': "
             "MAP {'p': 'x', 'q': NULL, 'r': ''}, 'size': 10::BIGINT, "
             "'modificationTime': 5::BIGINT, 'stats': '{}', 'deletionVector': "
             "{'storageType': 'u', 'pathOrInlineDv': 'abc', 'offset': 1, "
             "'sizeInBytes': 4, 'cardinality': 2::BIGINT}}");
  const auto recorder = std::make_shared<Recorder>();
  EXPECT_THAT(Paths({}, recorder), IsEmpty());
  EXPECT_THAT(recorder->seen_, ElementsAre("a p=x q=NULL r= {} true 5"));
}

TEST_F(Log, ReadsALongTail) {
  Commit({kProtocol, Metadata("m")});
  for (int i = 0; i < 600; ++i) Commit({Add("f" + std::to_string(i % 100), i)});
  EXPECT_EQ(Files().size(), 100U);
  EXPECT_EQ(Files()[0].size, 500);
}

TEST_F(Log, ReadsALargeCommitInPieces) {
  Commit({kProtocol, Metadata("m")});
  std::vector<std::string> lines;
  for (int i = 0; i < 100'000; ++i)
    lines.push_back(Add("f" + std::to_string(i)));
  lines.push_back(Remove("f7"));
  Commit(lines);
  EXPECT_EQ((*Replay())->Totals()->files, 99'999);
  lines[50'000] = "{\"add\":";
  Put(CommitName(1), lines);
  EXPECT_THAT(Replay().error().message, HasSubstr("line 50001"));
}

TEST_F(Log, NamesTheFileThatIsWrong) {
  Commit({kProtocol, Metadata("m")});
  Commit({});
  EXPECT_EQ(ConditionOf(), "DELTA_LOG_EMPTY_COMMIT");
  EXPECT_THAT(Replay().error().message, HasSubstr(CommitName(1)));
  Put(CommitName(1), {"{\"add\":"});
  EXPECT_EQ(ConditionOf(), "DELTA_LOG_INVALID");
  EXPECT_THAT(Replay().error().message, HasSubstr(CommitName(1)));
}

TEST_F(Log, NeedsProtocolAndMetadata) {
  Commit({kProtocol});
  EXPECT_EQ(ConditionOf(), "DELTA_METADATA_MISSING");
  Put(CommitName(0), {Metadata("m")});
  EXPECT_EQ(ConditionOf(), "DELTA_PROTOCOL_MISSING");
}

TEST_F(Log, ReportsWhichCheckpointIsUnreadable) {
  Commit({kProtocol, Metadata("m"), Add("a")});
  Put(CheckpointName(0), {"PAR1 this is no checkpoint"});
  EXPECT_EQ(ConditionOf(), "DELTA_CHECKPOINT_UNREADABLE");
  EXPECT_EQ(unreadable_, CheckpointName(0));
}

}  // namespace
}  // namespace bayou::log
