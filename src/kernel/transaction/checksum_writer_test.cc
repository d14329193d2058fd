// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/checksum_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/log/checksum.h"
#include "kernel/log/log_file_name.h"
#include "kernel/store/store.h"
#include "kernel/table/checkpoint_writer.h"

namespace bayou::transaction {
namespace {

using protocol::AddFile;
using protocol::VersionChecksum;
using ::testing::HasSubstr;

class ChecksumWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    database_ = engine::StartEngine({}).value();
    store_ = store::OpenLocalStore(folder_);  // Where the engine can write.
    protocol::Metadata metadata;
    metadata.id = "id";
    metadata.schema_string =
        R"({"type":"struct","fields":[{"name":"x","type":"integer","nullable":true,"metadata":{}}]})";
    Transaction create =
        Transaction::Create(store_, {}, metadata, Env::System());
    Commit(create);
  }

  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::shared_ptr<const table::Snapshot> Latest() const {
    return table::Snapshot::Open(store_, *database_->instance).value();
  }

  Transaction Begin() const {
    return Transaction::On(Latest(), Env::System()).value();
  }

  Version Commit(Transaction& transaction) {
    const Version version = transaction.Commit({"WRITE", {}, {}}).value();
    written_ = WriteChecksum(transaction, version);
    return version;
  }

  static AddFile File(const std::string& path, std::int64_t size) {
    AddFile add;
    add.path = path;
    add.size = size;
    return add;
  }

  // As another writer, who writes no checksum.
  void Other(const AddFile& file) {
    Transaction transaction = Begin();
    transaction.AddFiles({file});
    EXPECT_TRUE(transaction.Commit({"WRITE", {}, {}}));
  }

  static std::string Name(Version version) {
    return JoinPath(log::kLogFolder, log::ChecksumName(version));
  }

  std::optional<VersionChecksum> Written(Version version) {
    return log::ReadChecksum(*store_, version).value();
  }

  // The latest version has a checksum, and it is what the log gives.
  void ExpectTrue() {
    const auto latest = Latest();
    const auto written = Written(latest->version());
    ASSERT_TRUE(written);
    const auto counted = log::ChecksumOf(latest->state()).value();
    const auto difference = log::DifferenceOf(*written, counted);
    EXPECT_FALSE(difference) << *difference;
  }

  const std::string folder_ = std::filesystem::temp_directory_path() /
                              ("bayou-" + NewUuid(Env::System()));
  std::shared_ptr<duckdb::DuckDB> database_;
  std::shared_ptr<store::Store> store_;
  Status written_;
};

TEST_F(ChecksumWriterTest, FollowsEveryKindOfChange) {
  ExpectTrue();
  Transaction append = Begin();
  append.AddFiles({File("a", 10), File("b", 20), File("c", 30)});
  append.SetAppVersion({"app", 4, std::nullopt});
  append.SetDomain({"d", "{}", false});
  Commit(append);
  ExpectTrue();
  EXPECT_EQ(Written(1)->num_files, 3);
  EXPECT_EQ(Written(1)->table_size_bytes, 60);
  EXPECT_EQ(Written(1)->set_transactions->at(0).version, 4);
  EXPECT_EQ(Written(1)->txn_id, append.txn_id());

  Transaction change = Begin();
  change.RemoveFile(File("a", 10));
  AddFile deleted_rows = File("b", 20);
  deleted_rows.deletion_vector = {'u', "ab^-aqEH.-t@S}K{vb[*k^", 1, 40, 2};
  change.ReplaceFile(File("b", 20), deleted_rows);
  AddFile tagged = File("c", 30);
  tagged.tags["seen"] = "yes";
  change.ReplaceFile(File("c", 30), tagged);
  change.SetDomain({"d", "", true});
  protocol::Metadata metadata = change.metadata();
  metadata.configuration["delta.appendOnly"] = "false";
  change.SetMetadata(metadata);
  Commit(change);
  ExpectTrue();
  EXPECT_EQ(Written(2)->num_files, 2);
  EXPECT_EQ(Written(2)->table_size_bytes, 50);
  EXPECT_TRUE(Written(2)->domain_metadata->empty());
}

TEST_F(ChecksumWriterTest, IsNotWrittenAfterALostRace) {
  Transaction late = Begin();
  Other(File("a", 10));
  late.AddFiles({File("b", 20)});
  const Version version = Commit(late);
  EXPECT_TRUE(written_);
  EXPECT_EQ(version, 2);
  EXPECT_FALSE(Written(2));
}

TEST_F(ChecksumWriterTest, IsCountedWhereTheVersionBeforeHasNone) {
  Other(File("a", 10));
  ASSERT_TRUE(table::WriteCheckpoint(*Latest(), *database_->instance));
  Other(File("b", 20));
  Transaction append = Begin();
  append.AddFiles({File("c", 30)});
  Commit(append);
  EXPECT_TRUE(written_);
  ExpectTrue();
  EXPECT_EQ(Written(3)->num_files, 3);
}

TEST_F(ChecksumWriterTest, NeverReplacesOne) {
  ASSERT_TRUE(store_->Put(Name(1), "another's"));
  Transaction append = Begin();
  append.AddFiles({File("a", 10)});
  Commit(append);
  EXPECT_TRUE(written_);
  EXPECT_EQ(store_->Read(Name(1)).value(), "another's");
}

TEST_F(ChecksumWriterTest, AWrongOneIsReportedAndNotTrustedAtACheckpoint) {
  Other(File("a", 10));
  VersionChecksum wrong = log::ChecksumOf(Latest()->state()).value();
  wrong.num_files = 7;
  ASSERT_TRUE(store_->Put(Name(1), protocol::VersionChecksumToJson(wrong)));
  ASSERT_TRUE(table::WriteCheckpoint(*Latest(), *database_->instance));
  Transaction append = Begin();
  append.AddFiles({File("b", 20)});
  Commit(append);
  ASSERT_FALSE(written_);
  EXPECT_EQ(written_.error().condition, "DELTA_CHECKSUM_MISMATCH");
  EXPECT_THAT(written_.error().message, HasSubstr("7 files"));
  ExpectTrue();
  EXPECT_EQ(Written(2)->num_files, 2);
}

TEST_F(ChecksumWriterTest, BehindACheckpointTheOneBeforeIsCarriedOn) {
  Other(File("a", 10));
  ASSERT_TRUE(table::WriteCheckpoint(*Latest(), *database_->instance));
  Other(File("b", 20));
  VersionChecksum known = log::ChecksumOf(Latest()->state()).value();
  ASSERT_TRUE(store_->Put(Name(2), protocol::VersionChecksumToJson(known)));
  Transaction append = Begin();
  append.AddFiles({File("c", 30)});
  Commit(append);
  EXPECT_TRUE(written_);
  ExpectTrue();
  // That of another table, whose folder this was.
  known.metadata->id = "other";
  known.num_files = 99;
  ASSERT_TRUE(store_->Put(Name(3), protocol::VersionChecksumToJson(known)));
  Transaction again = Begin();
  again.AddFiles({File("d", 40)});
  Commit(again);
  ExpectTrue();
}

TEST_F(ChecksumWriterTest, LeavesApplicationsOutThatExpire) {
  Transaction change = Begin();
  protocol::Metadata metadata = change.metadata();
  metadata.configuration["delta.setTransactionRetentionDuration"] =
      "interval 1 hours";
  change.SetMetadata(metadata);
  change.SetAppVersion({"app", 1, 1});
  Commit(change);
  EXPECT_FALSE(Written(1)->set_transactions);
  EXPECT_TRUE(Written(1)->domain_metadata);
}

}  // namespace
}  // namespace bayou::transaction
