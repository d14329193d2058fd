// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/table_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/write/rows_for_test.h"

namespace bayou::write {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class TableWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("table_writer-" + NewUuid(Env::System()));
    fs::create_directories(folder_);
    store_ = store::OpenLocalStore(folder_.string());
    rows_.connection().BeginTransaction();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<TableWriter> Writer(std::shared_ptr<const FileLayout> layout,
                                      Encoding encoding = Encoding::kInTurn) {
    auto format =
        ParquetFormat::Bind(rows_.context(), std::move(layout)).value();
    return std::make_unique<TableWriter>(rows_.context(), store_, format,
                                         Env::System(), encoding);
  }

  // Writes the query's rows with a layout for them.
  Result<WrittenFiles> Write(const std::string& query,
                             std::vector<std::string> partition_columns = {},
                             protocol::StringMap properties = {}) {
    const auto writer =
        Writer(LayoutFor(rows_.SchemaOf(query), std::move(partition_columns),
                         std::move(properties)));
    for (const auto& chunk : rows_.Chunks(query))
      BAYOU_TRY(writer->Append(*chunk));
    return writer->Finish();
  }

  // The only value of a query over one of the files.
  std::string Ask(const std::string& what, const protocol::AddFile& file) {
    const std::string path = (folder_ / CanonicalPath(file.path)).string();
    return rows_.connection()
        .Query("SELECT " + what + " FROM read_parquet(" +
               engine::Literal(path) + ")")
        ->GetValue(0, 0)
        .ToString();
  }

  std::size_t FilesOnDisk() const {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      files += entry.is_regular_file();
    }
    return files;
  }

  fs::path folder_;
  std::shared_ptr<store::Store> store_;
  SqlRows rows_;
};

TEST_F(TableWriterTest, OneFileWithItsReceipt) {
  const auto written = Write("SELECT range AS id FROM range(5000)");
  ASSERT_TRUE(written) << written.error().message;
  ASSERT_EQ(written->files.size(), 1);
  const protocol::AddFile& file = written->files[0];
  EXPECT_THAT(file.path,
              MatchesRegex(
                  "part-00000-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-c000\\."
                  "snappy\\.parquet"));
  EXPECT_EQ(file.size,
            static_cast<std::int64_t>(fs::file_size(folder_ / file.path)));
  EXPECT_TRUE(file.data_change);
  EXPECT_EQ(written->rows, 5000);
  EXPECT_EQ(written->bytes, file.size);
  EXPECT_THAT(file.stats.value(), HasSubstr(R"("maxValues":{"id":4999})"));
  EXPECT_EQ(Ask("count(*) || ',' || sum(id)", file), "5000,12497500");
}

TEST_F(TableWriterTest, NoRowsNoFile) {
  const auto written = Write("SELECT range AS id FROM range(0)");
  ASSERT_TRUE(written);
  EXPECT_TRUE(written->files.empty());
  EXPECT_EQ(FilesOnDisk(), 0);
}

TEST_F(TableWriterTest, AFileForEachPartition) {
  const auto written = Write(
      "SELECT range // 1000 AS p, range AS id FROM range(5000) ORDER BY id",
      {"p"});
  ASSERT_TRUE(written);
  ASSERT_EQ(written->files.size(), 5);
  for (const protocol::AddFile& file : written->files) {
    const std::string p = file.partition_values.at("p").value();
    EXPECT_THAT(file.path, HasSubstr("p=" + p + "/part-"));
    EXPECT_EQ(
        Ask("count(*) || ',' || min(id) // 1000 || ',' || max(id) // 1000",
            file),
        "1000," + p + "," + p);
    EXPECT_EQ(Ask("count(COLUMNS(*)) ", file),
              "1000");  // `id` alone is stored.
  }
}

TEST_F(TableWriterTest, OddPartitionValues) {
  const std::vector<std::string> values = {
      "a b",  "a/b", "a%b", "%2F",
      "a=b",  "..",  "é",   "__HIVE_DEFAULT_PARTITION__",
      "a\nb", "#?"};
  for (const std::string& value : values) {
    const auto written = Write("SELECT '" + value + "' AS p, 1 AS id", {"p"});
    ASSERT_TRUE(written) << value;
    EXPECT_EQ(written->files[0].partition_values.at("p"), value);
    EXPECT_EQ(Ask("id", written->files[0]), "1") << value;
  }
  for (const char* null : {"NULL::VARCHAR", "''"}) {
    const auto written =
        Write(std::string("SELECT ") + null + " AS p, 1 AS id", {"p"});
    EXPECT_EQ(written->files[0].partition_values.at("p"), std::nullopt) << null;
  }
}

TEST_F(TableWriterTest, APartitionValueLongerThanAFileName) {
  const auto written = Write("SELECT repeat('x', 500) AS p, 1 AS id", {"p"});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->files[0].partition_values.at("p"), std::string(500, 'x'));
}

TEST_F(TableWriterTest, APartitionValueWithoutATextIsRefused) {
  for (const char* value : {"'\\xff'::BLOB", "DATE '0044-01-01 (BC)'"}) {
    const auto written =
        Write(std::string("SELECT ") + value + " AS p, 1 AS id", {"p"});
    ASSERT_FALSE(written) << value;
    EXPECT_EQ(written.error().condition, "DELTA_UNSUPPORTED_PARTITION_VALUE");
    EXPECT_THAT(written.error().message, HasSubstr("column p: "));
    EXPECT_EQ(FilesOnDisk(), 0);
  }
}

// DuckDB's say that a file has no row where it has.
TEST_F(TableWriterTest, NoBloomFilters) {
  const auto written =
      Write("SELECT -0.0::DOUBLE AS d, '\\xff\\x00'::BLOB AS b FROM range(30)");
  ASSERT_TRUE(written);
  const std::string path =
      (folder_ / CanonicalPath(written->files[0].path)).string();
  EXPECT_EQ(rows_.connection()
                .Query("SELECT count(bloom_filter_offset) FROM "
                       "parquet_metadata(" +
                       engine::Literal(path) + ")")
                ->GetValue(0, 0)
                .ToString(),
            "0");
  EXPECT_EQ(Ask("count(*) FILTER (d = 0)", written->files[0]), "30");
}

TEST_F(TableWriterTest, FilesEndAtTheTargetSize) {
  const auto written =
      Write("SELECT range AS id, hash(range)::VARCHAR AS h FROM range(400000)",
            {}, {{"delta.targetFileSize", "1mb"}});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_GE(written->files.size(), 3);
  std::int64_t rows = 0;
  for (const protocol::AddFile& file : written->files) {
    EXPECT_LT(file.size, 3 << 20);
    rows += std::stoll(Ask("count(*)", file));
  }
  EXPECT_EQ(rows, 400000);
}

TEST_F(TableWriterTest, RowGroupsThatAreEncodedBesideKeepTheirOrder) {
  const std::string query =
      "SELECT range AS id, 'name ' || range AS name FROM range(400000)";
  const auto writer =
      Writer(LayoutFor(rows_.SchemaOf(query)), Encoding::kBeside);
  for (const auto& chunk : rows_.Chunks(query))
    ASSERT_TRUE(writer->Append(*chunk));
  const auto written = writer->Finish();
  ASSERT_TRUE(written) << written.error().message;
  ASSERT_EQ(written->files.size(), 1);
  EXPECT_EQ(written->rows, 400000);
  EXPECT_EQ(written->bytes, static_cast<std::int64_t>(fs::file_size(
                                folder_ / written->files[0].path)));
  EXPECT_EQ(Ask("count(*) FILTER (id = file_row_number AND "
                "name = 'name ' || id)",
                written->files[0]),
            "400000");
}

TEST_F(TableWriterTest, ARowGroupThatIsEncodedBesideGoesWithItsWriter) {
  const std::string query = "SELECT range AS id FROM range(200000)";
  auto writer = Writer(LayoutFor(rows_.SchemaOf(query)), Encoding::kBeside);
  for (const auto& chunk : rows_.Chunks(query))
    ASSERT_TRUE(writer->Append(*chunk));
  writer.reset();
  EXPECT_EQ(FilesOnDisk(), 0);
}

TEST_F(TableWriterTest, LeavesNothingBehindWhenItFails) {
  protocol::Schema schema = rows_.SchemaOf("SELECT 1::BIGINT AS id");
  schema.fields[0].nullable = false;
  {
    const auto writer = Writer(LayoutFor(schema));
    Status status;
    for (const auto& chunk :
         rows_.Chunks("SELECT CASE WHEN range <> 150000 THEN range END AS id "
                      "FROM range(200000)")) {
      status = writer->Append(*chunk);
      if (!status) break;
    }
    EXPECT_FALSE(status);
    EXPECT_EQ(FilesOnDisk(), 1);
  }
  EXPECT_EQ(FilesOnDisk(), 0);
}

TEST_F(TableWriterTest, MappedColumnsHavePhysicalNamesAndIdsAtEveryLevel) {
  const std::string query = "SELECT {'x': 1, 'l': [{'y': 2}]} AS s";
  protocol::Schema schema = rows_.SchemaOf(query);
  int id = 0;
  const auto map = [&id](protocol::Field& field, const std::string& name) {
    field.metadata["delta.columnMapping.id"] = std::to_string(++id);
    field.metadata["delta.columnMapping.physicalName"] = "\"" + name + "\"";
  };
  auto& fields = schema.fields[0].type.fields;
  map(schema.fields[0], "col-s");
  map(fields[0], "col-x");
  map(fields[1], "col-l");
  map(fields[1].type.children[0].fields[0], "col-y");
  protocol::Protocol protocol;
  protocol.min_reader_version = 2;
  protocol.min_writer_version = 5;
  const auto writer = Writer(
      LayoutFor(schema, {}, {{"delta.columnMapping.mode", "name"}}, protocol));
  for (const auto& chunk : rows_.Chunks(query))
    ASSERT_TRUE(writer->Append(*chunk));
  const auto written = writer->Finish();
  ASSERT_TRUE(written);
  const std::string path = (folder_ / written->files[0].path).string();
  const auto schema_rows = rows_.connection().Query(
      "SELECT string_agg(name || ':' || field_id, ' ' ORDER BY field_id) "
      "FROM parquet_schema('" +
      path + "') WHERE field_id IS NOT NULL");
  EXPECT_EQ(schema_rows->GetValue(0, 0).ToString(),
            "col-s:1 col-x:2 col-l:3 col-y:4");
  EXPECT_THAT(written->files[0].stats.value(),
              HasSubstr(R"("minValues":{"col-s":{"col-x":1}})"));
}

}  // namespace
}  // namespace bayou::write
