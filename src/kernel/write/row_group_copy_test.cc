// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/row_group_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TTransport.h>

#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>

#include "base/env.h"
#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/write/row_group_writer.h"
#include "kernel/write/rows_for_test.h"

namespace bayou::write {
namespace {

namespace fs = std::filesystem;
using duckdb_parquet::CompressionCodec;
using duckdb_parquet::FileMetaData;
using ::testing::HasSubstr;

class TextSource final : public duckdb_apache::thrift::transport::TTransport {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  bool isOpen() const override { return true; }
  void open() override {}
  void close() override {}
  std::uint32_t read_virt(std::uint8_t* to, std::uint32_t length) override {
    if (length > text_.size() - at_) throw std::runtime_error("too short");
    std::memcpy(to, text_.data() + at_, length);
    at_ += length;
    return length;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

class RowGroupCopyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("row_group_copy-" + NewUuid(Env::System()));
    fs::create_directories(folder_);
    store_ = store::OpenLocalStore(folder_.string());
    Write("a", "SELECT i, i % 7 AS few FROM range(5000) t(i)");
    Write("b", "SELECT i, i % 7 AS few FROM range(5000, 9000) t(i)");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) {
    return engine::Literal((folder_ / name).string());
  }
  std::string Ask(const std::string& sql) {
    auto result = rows_.connection().Query(sql);
    if (result->HasError()) return result->GetError();
    return result->GetValue(0, 0).ToString();
  }
  void Write(const std::string& name, const std::string& query,
             const std::string& options = "") {
    const auto written = rows_.connection().Query(
        "COPY (" + query + ") TO " + Path(name) +
        " (FORMAT parquet, ROW_GROUP_SIZE 2048" + options + ")");
    ASSERT_FALSE(written->HasError()) << written->GetError();
  }

  FileMetaData& Read(const std::string& name) {
    const std::string all = store_->Read(name).value();
    std::uint32_t length = 0;
    std::memcpy(&length, all.data() + all.size() - 8, 4);
    duckdb_apache::thrift::protocol::TCompactProtocolT<TextSource> protocol(
        std::make_shared<TextSource>(
            all.substr(all.size() - 8 - length, length)));
    FileMetaData& footer = footers_.emplace_back();
    footer.read(&protocol);
    sources_.push_back(
        {name, static_cast<std::int64_t>(all.size() - 8 - length), &footer});
    return footer;
  }

  Result<std::int64_t> Copy(const std::vector<std::string>& names,
                            const std::string& to) {
    sources_.clear();
    for (const std::string& name : names) Read(name);
    if (const auto why = WhyDecoded(sources_, {}))
      return Fail(ErrorCode::kUnsupported, "TEST", *why);
    BAYOU_ASSIGN(const RowGroupCopy copy, PlanRowGroupCopy(sources_));
    rows_.connection().BeginTransaction();
    auto size = WriteRowGroups(rows_.context(), *store_, names, copy, to);
    rows_.connection().Rollback();
    return size;
  }

  fs::path folder_;
  std::shared_ptr<store::Store> store_;
  SqlRows rows_;
  std::deque<FileMetaData> footers_;
  std::vector<CopySource> sources_;
};

duckdb_parquet::ColumnMetaData& Of(FileMetaData& footer) {
  return footer.row_groups[0].columns[0].meta_data;
}

constexpr std::string_view kNested =
    "SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE 'text ' || i % 11 END AS s, "
    "CASE WHEN i % 5 = 0 THEN NULL ELSE [i, NULL, i + 1] END AS l, "
    "{'x': i, 'y': CASE WHEN i % 2 = 0 THEN {'z': i::DOUBLE} END} AS st, "
    "MAP {i::VARCHAR: [i]} AS m, (i / 7)::DECIMAL(20, 3) AS d, "
    "TIMESTAMP '2024-01-01' + INTERVAL (i) SECOND AS t FROM ";

TEST_F(RowGroupCopyTest, HasTheRowsOfAllInTheirOrder) {
  const std::string nested(kNested);
  Write("n1", nested + "range(7000) t(i)");
  Write("n2", nested + "range(7000, 7001) t(i)");
  Write("n3", nested + "range(7001, 12000) t(i)");
  const auto size = Copy({"n1", "n2", "n3"}, "deep/er/all");
  ASSERT_TRUE(size) << size.error().message;
  EXPECT_EQ(*size,
            static_cast<std::int64_t>(fs::file_size(folder_ / "deep/er/all")));
  const std::string copied = "read_parquet(" + Path("deep/er/all") + ")";
  const std::string before = "read_parquet([" + Path("n1") + ", " + Path("n2") +
                             ", " + Path("n3") + "])";
  EXPECT_EQ(Ask("SELECT count(*) FROM " + copied), "12000");
  EXPECT_EQ(Ask("SELECT count(*) FROM (FROM " + copied + " EXCEPT ALL FROM " +
                before + ")"),
            "0");
  EXPECT_EQ(Ask("SELECT bool_and(i = file_row_number) FROM read_parquet(" +
                Path("deep/er/all") + ", file_row_number = true)"),
            "true");
}

TEST_F(RowGroupCopyTest, FiltersFindWhatTheyLookFor) {
  ASSERT_TRUE(Copy({"a", "b"}, "all"));
  EXPECT_EQ(Ask("SELECT count(*) FROM read_parquet(" + Path("all") +
                ") WHERE i IN (0, 4999, 5000, 8999) AND few >= 0"),
            "4");
}

TEST_F(RowGroupCopyTest, TheFooterTellsOfItsOwnPlaces) {
  ASSERT_TRUE(Copy({"a", "b"}, "all"));
  const FileMetaData& footer = Read("all");
  std::int64_t at = 4;
  std::int16_t ordinal = 0;
  for (const auto& group : footer.row_groups) {
    EXPECT_EQ(group.ordinal, ordinal++);
    EXPECT_EQ(group.file_offset, at);
    for (const auto& column : group.columns) {
      EXPECT_EQ(column.file_offset, 0);
      EXPECT_FALSE(column.meta_data.__isset.bloom_filter_offset);
      EXPECT_EQ(column.meta_data.__isset.dictionary_page_offset
                    ? column.meta_data.dictionary_page_offset
                    : column.meta_data.data_page_offset,
                at);
      at += column.meta_data.total_compressed_size;
    }
  }
  EXPECT_EQ(at, sources_.back().data_end);
  EXPECT_EQ(footer.num_rows, 9000);
}

TEST_F(RowGroupCopyTest, ACopyCanBeCopied) {
  ASSERT_TRUE(Copy({"a", "b"}, "once"));
  ASSERT_TRUE(Copy({"once", "a"}, "twice"));
  EXPECT_EQ(Ask("SELECT sum(i) FROM read_parquet(" + Path("twice") + ")"),
            Ask("SELECT sum(i) FROM read_parquet([" + Path("a") + ", " +
                Path("a") + ", " + Path("b") + "])"));
}

TEST_F(RowGroupCopyTest, WhatDiffersIsDecoded) {
  Write("zstd", "SELECT i, i % 7 AS few FROM range(9) t(i)",
        ", COMPRESSION zstd");
  Write("ids", "SELECT i, i % 7 AS few FROM range(9) t(i)",
        ", FIELD_IDS {i: 1, few: 2}");
  Write("order", "SELECT i % 7 AS few, i FROM range(9) t(i)");
  Write("type", "SELECT i::INTEGER AS i, i % 7 AS few FROM range(9) t(i)");
  Write("name", "SELECT i AS I, i % 7 AS few FROM range(9) t(i)");
  for (const char* other : {"zstd", "ids", "order", "type", "name"})
    EXPECT_FALSE(Copy({"a", other}, "all")) << other;
  EXPECT_FALSE(fs::exists(folder_ / "all"));
}

TEST_F(RowGroupCopyTest, SmallRowGroupsAreDecoded) {
  const auto& groups = Read("a").row_groups;
  ASSERT_EQ(groups.size(), 3U);
  ASSERT_LT(groups[2].num_rows, 2048) << "which counts for nothing";
  const std::int64_t bytes =
      std::min(groups[0].total_byte_size, groups[1].total_byte_size);
  const auto is_copied = [&](std::int64_t rows, std::int64_t least) {
    return !WhyDecoded(sources_, {.min_rows = rows, .min_bytes = least});
  };
  EXPECT_TRUE(is_copied(2048, bytes));
  EXPECT_TRUE(is_copied(2049, bytes));
  EXPECT_TRUE(is_copied(2048, bytes + 100000));
  EXPECT_FALSE(is_copied(2049, bytes + 100000));
}

TEST_F(RowGroupCopyTest, TheOnlyRowGroupOfAFileIsNoRest) {
  Write("one", "SELECT i, i % 7 AS few FROM range(9) t(i)");
  Read("one");
  EXPECT_NE(WhyDecoded(sources_, {.min_rows = 10, .min_bytes = 1 << 20}),
            std::nullopt);
}

TEST_F(RowGroupCopyTest, WritersThatCountedTooFewBytesAreDecoded) {
  FileMetaData& footer = Read("a");
  for (const char* writer :
       {"parquet-mr", "parquet-mr version 1.0", "parquet-mr version 1.2.8",
        "parquet-mr version 1.2.8 (build 1)", "parquet-mr compiled by hand"}) {
    footer.__set_created_by(writer);
    EXPECT_NE(WhyDecoded(sources_, {}), std::nullopt) << writer;
  }
  for (const char* writer :
       {"parquet-mr version 1.2.9", "parquet-mr version 1.13.1 (build 1)",
        "parquet-rs version 1.0", ""}) {
    footer.__set_created_by(writer);
    EXPECT_EQ(WhyDecoded(sources_, {}), std::nullopt) << writer;
  }
}

TEST_F(RowGroupCopyTest, AnotherWriterOrCalendarOrKeyIsDecoded) {
  const std::map<std::string, std::function<void(FileMetaData&)>> changes = {
      {"writer", [](auto& f) { f.created_by = "parquet-mr version 1.0"; }},
      {"no writer", [](auto& f) { f.__isset.created_by = false; }},
      {"calendar",
       [](auto& f) {
         duckdb_parquet::KeyValue note;
         note.key = "org.apache.spark.legacyDateTime";
         note.__set_value("");
         f.key_value_metadata.push_back(note);
       }},
      {"encryption", [](auto& f) { f.__isset.encryption_algorithm = true; }},
      {"column key",
       [](auto& f) { f.row_groups[0].columns[0].__isset.crypto_metadata = 1; }},
      {"another file",
       [](auto& f) { f.row_groups[0].columns[0].__set_file_path("x"); }},
      {"new type",
       [](auto& f) {
         f.schema[1].__isset.logicalType = true;
         f.schema[1].logicalType = {};
       }},
      {"nullable",
       [](auto& f) {
         f.schema[1].repetition_type =
             duckdb_parquet::FieldRepetitionType::REQUIRED;
       }},
  };
  for (const auto& [what, change] : changes) {
    sources_.clear();
    Read("a");
    change(Read("b"));
    EXPECT_NE(WhyDecoded(sources_, {}), std::nullopt) << what;
  }
}

TEST_F(RowGroupCopyTest, OnlyNotesThatAllFilesHaveAreKept) {
  Write("k1", "SELECT 1 AS i", ", KV_METADATA {same: 'x', other: 'y'}");
  Write("k2", "SELECT 2 AS i", ", KV_METADATA {same: 'x', other: 'z'}");
  ASSERT_TRUE(Copy({"k1", "k2"}, "all"));
  EXPECT_EQ(Ask("SELECT string_agg(key::VARCHAR || '=' || value::VARCHAR) FROM "
                "parquet_kv_metadata(" +
                Path("all") + ")"),
            "same=x");
}

TEST_F(RowGroupCopyTest, BrokenFootersAreCorruption) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const std::map<std::string, std::function<void(FileMetaData&)>> changes = {
      {"rows", [](auto& f) { f.num_rows += 1; }},
      {"fewer rows", [](auto& f) { f.num_rows -= 1; }},
      {"negative rows", [](auto& f) { f.row_groups[0].num_rows = -1; }},
      {"most rows", [&](auto& f) { f.row_groups[0].num_rows = kMost; }},
      {"no columns", [](auto& f) { f.row_groups[0].columns.clear(); }},
      {"no place",
       [](auto& f) { f.row_groups[0].columns[0].__isset.meta_data = false; }},
      {"far",
       [&](auto& f) {
         Of(f).data_page_offset = kMost;
         Of(f).__isset.dictionary_page_offset = false;
       }},
      {"before", [&](auto& f) { Of(f).data_page_offset = kLeast; }},
      {"magic", [](auto& f) { Of(f).data_page_offset = 3; }},
      {"dictionary before",
       [](auto& f) { Of(f).__set_dictionary_page_offset(-1); }},
      {"dictionary far before",
       [&](auto& f) { Of(f).__set_dictionary_page_offset(kLeast); }},
      {"empty", [](auto& f) { Of(f).total_compressed_size = 0; }},
      {"negative", [&](auto& f) { Of(f).total_compressed_size = kLeast; }},
      {"long", [&](auto& f) { Of(f).total_compressed_size = kMost; }},
      {"twice",
       [](auto& f) { f.row_groups[1].columns = f.row_groups[0].columns; }},
      {"values outside",
       [](auto& f) {
         Of(f).__set_dictionary_page_offset(4);
         Of(f).data_page_offset = 4 + Of(f).total_compressed_size;
       }},
  };
  for (const auto& [what, change] : changes) {
    sources_.clear();
    Read("a");
    change(Read("b"));
    const auto copy = PlanRowGroupCopy(sources_);
    ASSERT_FALSE(copy) << what;
    EXPECT_EQ(copy.error().condition, "DELTA_PARQUET_INVALID") << what;
    EXPECT_THAT(copy.error().message, HasSubstr("b cannot be copied")) << what;
  }
}

TEST_F(RowGroupCopyTest, ASourceThatBecameShorterIsAnError) {
  Read("a");
  const RowGroupCopy copy = PlanRowGroupCopy(sources_).value();
  fs::resize_file(folder_ / "a", 100);
  rows_.connection().BeginTransaction();
  const std::vector<std::string> names = {"a"};
  const auto size =
      WriteRowGroups(rows_.context(), *store_, names, copy, "all");
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code, ErrorCode::kCorruption);
}

}  // namespace
}  // namespace bayou::write
