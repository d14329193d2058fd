// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/shared_writers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <thread>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/write/rows_for_test.h"

namespace bayou::write {
namespace {

namespace fs = std::filesystem;

class SharedWritersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("shared_writers-" + NewUuid(Env::System()));
    fs::create_directories(folder_);
    store_ = store::OpenLocalStore(folder_.string());
    rows_.connection().BeginTransaction();
  }
  void TearDown() override { fs::remove_all(folder_); }

  // The rows of each query come by a thread of their own.
  Result<WrittenFiles> Write(const std::vector<std::string>& queries,
                             std::vector<std::string> partition_columns,
                             const protocol::StringMap& properties,
                             std::size_t most) {
    const auto layout = LayoutFor(rows_.SchemaOf(queries[0]),
                                  std::move(partition_columns), properties);
    const auto format = ParquetFormat::Bind(rows_.context(), layout).value();
    SharedWriters writers(rows_.context(), store_, format, most, Env::System());
    std::vector<std::vector<std::unique_ptr<duckdb::DataChunk>>> chunks;
    for (const auto& query : queries) chunks.push_back(rows_.Chunks(query));
    std::vector<Status> outcomes(queries.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < queries.size(); ++i) {
        threads.emplace_back([&, i] {
          SharedWriters::Input input(writers, true);
          for (const auto& chunk : chunks[i]) {
            outcomes[i] = input.Append(*chunk);
            if (!outcomes[i]) return;
          }
          outcomes[i] = input.Finish();
        });
      }
    }
    for (const Status& outcome : outcomes) BAYOU_TRY(outcome);
    return writers.Finish();
  }

  // Rows in the files, and that their statistics count them.
  std::int64_t RowsIn(const WrittenFiles& written) {
    std::int64_t rows = 0;
    for (const protocol::AddFile& file : written.files) {
      const std::string path = (folder_ / CanonicalPath(file.path)).string();
      const auto count =
          rows_.connection()
              .Query("SELECT count(*), count(DISTINCT id) FROM read_parquet(" +
                     engine::Literal(path) + ")")
              ->GetValue(0, 0)
              .GetValue<std::int64_t>();
      EXPECT_THAT(*file.stats, ::testing::HasSubstr("\"numRecords\":" +
                                                    std::to_string(count)));
      rows += count;
    }
    return rows;
  }

  std::size_t FilesOnDisk() const {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      files += entry.is_regular_file();
    return files;
  }

  fs::path folder_;
  std::shared_ptr<store::Store> store_;
  SqlRows rows_;
};

TEST_F(SharedWritersTest, ThreadsFillOneFile) {
  const auto written = Write({"SELECT range AS id FROM range(200000)",
                              "SELECT range AS id FROM range(200000, 500000)",
                              "SELECT range AS id FROM range(500000, 500001)"},
                             {}, {}, 8);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->files.size(), 1);
  EXPECT_EQ(written->rows, 500001);
  EXPECT_EQ(RowsIn(*written), 500001);
}

TEST_F(SharedWritersTest, APartitionHasOneFileWhoeverBringsItsRows) {
  const std::string rows = "SELECT range AS id, range // 1000 AS p FROM range(";
  const auto written =
      Write({rows + "0, 5000)", rows + "5000, 9000)"}, {"p"}, {}, 8);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->files.size(), 9);
  EXPECT_EQ(RowsIn(*written), 9000);
}

TEST_F(SharedWritersTest, MoreFilesAreBegunAsTheyFill) {
  const std::string rows =
      "SELECT range AS id, hash(range)::VARCHAR AS h FROM range(500000)";
  const auto written =
      Write({rows, rows, rows, rows}, {}, {{"delta.targetFileSize", "1mb"}}, 2);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_GE(written->files.size(), 4);
  EXPECT_EQ(RowsIn(*written), 2000000);
  EXPECT_EQ(FilesOnDisk(), written->files.size());
}

TEST_F(SharedWritersTest, WhatFailsLeavesNothing) {
  const std::string rows = "SELECT range AS id FROM range(";
  protocol::StringMap rule{{"delta.constraints.small", "id < 300000"}};
  const auto written =
      Write({rows + "300000)", rows + "200000, 400000)"}, {}, rule, 4);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kConstraint);
  EXPECT_EQ(FilesOnDisk(), 0);
}

TEST_F(SharedWritersTest, NoRowsMakeNoFile) {
  const auto written = Write({"SELECT range AS id FROM range(0)"}, {}, {}, 4);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_TRUE(written->files.empty());
}

}  // namespace
}  // namespace bayou::write
