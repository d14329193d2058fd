// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/table_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <duckdb/main/extension/extension_loader.hpp>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/z85.h"
#include "kernel/engine/engine.h"
#include "kernel/protocol/deletion_vector.h"
#include "kernel/scan/change_feed.h"
#include "kernel/store/faulty_store.h"
#include "kernel/store/location.h"
#include "kernel/store/memory_store.h"

namespace bayou::scan {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Lines = std::vector<std::string>;

// scan('table') and changes('table', first, last) in SQL.
duckdb::unique_ptr<duckdb::FunctionData> Take(
    duckdb::TableFunctionBindInput& input, BoundScan scan,
    duckdb::vector<duckdb::LogicalType>& types,
    duckdb::vector<duckdb::string>& names) {
  input.table_function = scan.function;
  types = scan.types;
  names = scan.names;
  return std::move(scan.bind_data);
}

duckdb::unique_ptr<duckdb::FunctionData> BindScanCall(
    duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
    duckdb::vector<duckdb::LogicalType>& types,
    duckdb::vector<duckdb::string>& names) {
  auto snapshot = engine::Unwrap(
      table::Snapshot::Open(input.inputs[0].ToString(), *context.db));
  return Take(input, BindScan(context, snapshot, {}), types, names);
}

duckdb::unique_ptr<duckdb::FunctionData> BindChangesCall(
    duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
    duckdb::vector<duckdb::LogicalType>& types,
    duckdb::vector<duckdb::string>& names) {
  ChangeRange range;
  range.first.version = input.inputs[1].GetValue<std::int64_t>();
  range.last.emplace().version = input.inputs[2].GetValue<std::int64_t>();
  return Take(input,
              BindChangeFeed(context, input.inputs[0].ToString(), range, {}),
              types, names);
}

void NeverCalled(duckdb::ClientContext&, duckdb::TableFunctionInput&,
                 duckdb::DataChunk&) {}

std::string Escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos;
       at += 2) {
    text.insert(at, 1, '\\');
  }
  return text;
}

// {"name":"a","type":"long",...}
std::string FieldJson(const std::string& name, const std::string& type,
                      const std::string& metadata = "") {
  const std::string spelled = type[0] == '{' ? type : '"' + type + '"';
  return R"({"name":")" + name + R"(","type":)" + spelled +
         R"(,"nullable":true,"metadata":{)" + metadata + "}}";
}

std::string Mapped(const std::string& name, const std::string& type, int id,
                   const std::string& physical) {
  return FieldJson(name, type,
                   R"("delta.columnMapping.id":)" + std::to_string(id) +
                       R"(,"delta.columnMapping.physicalName":")" + physical +
                       '"');
}

std::string StructJson(const Lines& fields) {
  std::string json;
  for (const auto& field : fields) json += (json.empty() ? "" : ",") + field;
  return R"({"type":"struct","fields":[)" + json + "]}";
}

constexpr const char* kProtocol =
    R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors","columnMapping","timestampNtz","typeWidening"],"writerFeatures":["deletionVectors","columnMapping","timestampNtz","typeWidening","changeDataFeed"]}})";

std::string MetadataJson(const Lines& fields, const std::string& partition = "",
                         const std::string& configuration = "") {
  return R"({"metaData":{"id":"t","format":{"provider":"parquet","options":{}},"schemaString":")" +
         Escaped(StructJson(fields)) + R"(","partitionColumns":[)" +
         (partition.empty() ? "" : '"' + partition + '"') +
         R"(],"configuration":{)" + configuration + "}}}";
}

struct Add {
  std::string path;
  std::string partition = "{}";
  std::string stats = {};
  std::string vector = {};  // The whole "deletionVector" object.

  std::string Json(const char* kind = "add") const {
    return std::string(R"({")") + kind + R"(":{"path":")" + path +
           R"(","partitionValues":)" + partition +
           R"(,"size":1000,"modificationTime":1700000000000,"dataChange":true)" +
           (stats.empty() ? "" : R"(,"stats":")" + Escaped(stats) + '"') +
           (vector.empty() ? "" : R"(,"deletionVector":)" + vector) + "}}";
  }
};

std::string InlineVector(std::initializer_list<std::uint64_t> rows) {
  protocol::DeletionVector vector;
  for (const auto row : rows) vector.Add(row);
  std::string bytes = vector.Encode();
  const auto size = bytes.size();
  bytes.resize((size + 3) / 4 * 4);
  return R"({"storageType":"i","pathOrInlineDv":")" +
         Escaped(Z85Encode(bytes)) + R"(","sizeInBytes":)" +
         std::to_string(size) + R"(,"cardinality":)" +
         std::to_string(rows.size()) + "}";
}

class TableScanTest : public ::testing::Test {
 public:
  TableScanTest() {
    std::string name =
        (fs::temp_directory_path() / "bayou_scan_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    database_ = engine::StartEngine({}).value();
    connection_ = std::make_unique<duckdb::Connection>(*database_);
    duckdb::ExtensionLoader loader(*database_->instance, "scan_test");
    duckdb::TableFunction scan("scan", {duckdb::LogicalType::VARCHAR},
                               NeverCalled, BindScanCall);
    loader.RegisterFunction(scan);
    duckdb::TableFunction changes(
        "changes",
        {duckdb::LogicalType::VARCHAR, duckdb::LogicalType::BIGINT,
         duckdb::LogicalType::BIGINT},
        NeverCalled, BindChangesCall);
    loader.RegisterFunction(changes);
    fs::create_directories(folder_ / "_delta_log");
  }
  ~TableScanTest() override { fs::remove_all(folder_); }

  void Write(const std::string& file, const std::string& select,
             const std::string& options = "") {
    const auto result = connection_->Query("COPY (" + select + ") TO '" +
                                           (folder_ / file).string() +
                                           "' (FORMAT parquet" + options + ")");
    ASSERT_FALSE(result->HasError()) << result->GetError();
  }

  void Commit(const Lines& lines) {
    std::string name = std::to_string(next_version_++);
    name.insert(0, 20 - name.size(), '0');
    std::ofstream file(folder_ / "_delta_log" / (name + ".json"));
    for (const auto& line : lines) file << line << '\n';
  }

  // The rows as text, cells joined by '|'; an error as `CONDITION: message`.
  Lines Query(std::string sql) {
    const std::string place = "'" + folder_.string() + "'";
    for (const auto& [word, call] :
         {std::pair<std::string, std::string>{"$t", "scan(" + place + ")"},
          {"$changes(", "changes(" + place + ", "}}) {
      for (std::size_t at; (at = sql.find(word)) != std::string::npos;) {
        sql.replace(at, word.size(), call);
      }
    }
    const auto result = connection_->Query(sql);
    if (result->HasError()) {
      const Error error = engine::FromDuckDB(result->GetErrorObject());
      return {std::string(error.condition) + ": " + error.message};
    }
    Lines rows;
    for (duckdb::idx_t row = 0; row < result->RowCount(); ++row) {
      std::string line;
      for (duckdb::idx_t column = 0; column < result->ColumnCount(); ++column) {
        line += (column ? "|" : "") + result->GetValue(column, row).ToString();
      }
      rows.push_back(line);
    }
    return rows;
  }

  fs::path folder_;
  std::shared_ptr<duckdb::DuckDB> database_;
  std::unique_ptr<duckdb::Connection> connection_;
  int next_version_ = 0;
};

TEST_F(TableScanTest, PartitionValuesAndMissingColumns) {
  Commit({kProtocol,
          MetadataJson({FieldJson("x", "integer"), FieldJson("p", "date"),
                        FieldJson("late", "string")},
                       "p")});
  Write("a.parquet", "SELECT 1::INTEGER AS x");
  Write("b.parquet", "SELECT 2::INTEGER AS X, 'new' AS late");
  Commit({Add{"a.parquet", R"({"p":"2024-02-29"})"}.Json(),
          Add{"b.parquet", R"({"p":null})"}.Json()});
  EXPECT_THAT(Query("SELECT * FROM $t ORDER BY x"),
              ElementsAre("1|2024-02-29|NULL", "2|NULL|new"));
  EXPECT_THAT(Query("SELECT x FROM $t WHERE p IS NULL AND late LIKE 'n%'"),
              ElementsAre("2"));
}

TEST_F(TableScanTest, APartitionValueThatIsNoneIsAnError) {
  Commit(
      {kProtocol,
       MetadataJson({FieldJson("x", "integer"), FieldJson("p", "date")}, "p")});
  Write("a.parquet", "SELECT 1::INTEGER AS x");
  Commit(
      {Add{"a.parquet", R"({"p":"yesterday"})", R"({"numRecords":1})"}.Json()});
  for (const char* sql :
       {"SELECT * FROM $t",
        "SELECT count(*) FROM $t WHERE p > DATE '2020-01-01'"}) {
    EXPECT_THAT(Query(sql), ElementsAre(HasSubstr("yesterday"))) << sql;
  }
}

TEST_F(TableScanTest, NestedFieldsAreFoundByNameAndNullStructsStayNull) {
  const auto inner =
      StructJson({FieldJson("a", "integer"), FieldJson("b", "integer")});
  const auto list =
      R"({"type":"array","elementType":)" + inner + R"(,"containsNull":true})";
  const auto map = R"({"type":"map","keyType":"string","valueType":)" + inner +
                   R"(,"valueContainsNull":true})";
  Commit({kProtocol,
          MetadataJson({FieldJson("id", "integer"), FieldJson("s", inner),
                        FieldJson("l", list), FieldJson("m", map)})});
  Write("a.parquet",
        "SELECT 1::INTEGER AS id, {'a': 1} AS s, [{'a': 1}] AS l, MAP {'k': "
        "{'a': 1}} AS m "
        "UNION ALL SELECT 2, NULL, NULL, NULL");
  Write("b.parquet",
        "SELECT 3::INTEGER AS id, {'b': 8, 'a': 7} AS s, [{'b': 8, 'a': 7}] AS "
        "l, "
        "MAP {'k': {'b': 8, 'a': 7}} AS m");
  Commit({Add{"a.parquet"}.Json(), Add{"b.parquet"}.Json()});
  EXPECT_THAT(Query("SELECT id, s.a, s.b, l[1].b, m['k'].a, s IS NULL FROM $t "
                    "ORDER BY id"),
              ElementsAre("1|1|NULL|NULL|1|false", "2|NULL|NULL|NULL|NULL|true",
                          "3|7|8|8|7|false"));
  EXPECT_THAT(Query("SELECT id FROM $t WHERE s.b = 8"), ElementsAre("3"));
  EXPECT_THAT(Query("SELECT id FROM $t WHERE s.b IS NULL ORDER BY id"),
              ElementsAre("1", "2"));
}

TEST_F(TableScanTest, TheSessionsZoneDoesNotShiftStoredTimes) {
  Commit({kProtocol, MetadataJson({FieldJson("utc", "timestamp"),
                                   FieldJson("local", "timestamp_ntz")})});
  Write("a.parquet",
        "SELECT TIMESTAMP '2024-01-01 12:00:00' AS utc, "
        "TIMESTAMPTZ '2024-01-01 12:00:00+00' AS local");
  Commit({Add{"a.parquet"}.Json()});
  connection_->Query("SET TimeZone = 'America/New_York'");
  EXPECT_THAT(Query("SELECT epoch(utc), local FROM $t "
                    "WHERE utc = TIMESTAMPTZ '2024-01-01 12:00:00+00'"),
              ElementsAre("1704110400.0|2024-01-01 12:00:00"));
}

TEST_F(TableScanTest, WidenedTypes) {
  const auto list =
      R"({"type":"array","elementType":"long","containsNull":true})";
  Commit(
      {kProtocol,
       MetadataJson({FieldJson("i", "long"), FieldJson("d", "double"),
                     FieldJson("n", "decimal(12,2)"),
                     FieldJson("t", "timestamp_ntz"), FieldJson("l", list)})});
  Write("a.parquet",
        "SELECT 7::INTEGER AS i, 1.5::FLOAT AS d, 3::TINYINT AS n, "
        "DATE '2020-01-02' AS t, [1, 2]::INTEGER[] AS l");
  Commit({Add{
      "a.parquet", "{}",
      R"({"numRecords":1,"minValues":{"i":7,"n":3,"t":"2020-01-02"},"maxValues":{"i":7,"n":3,"t":"2020-01-02"}})"}
              .Json()});
  EXPECT_THAT(
      Query("SELECT i, d, n, t, l FROM $t WHERE i = 7 AND d > 1 AND n <= 3.00 "
            "AND t = TIMESTAMP '2020-01-02 00:00:00'"),
      ElementsAre("7|1.5|3.00|2020-01-02 00:00:00|[1, 2]"));
}

TEST_F(TableScanTest, AColumnOfAnotherTypeIsAnError) {
  Commit({kProtocol, MetadataJson({FieldJson("x", "integer")})});
  Write("a.parquet", "SELECT 'seven' AS x");
  Commit({Add{"a.parquet"}.Json()});
  EXPECT_THAT(Query("SELECT * FROM $t"),
              ElementsAre(AllOf(HasSubstr("DELTA_FILE_SCHEMA_MISMATCH"),
                                HasSubstr("a.parquet"), HasSubstr("VARCHAR"))));
}

TEST_F(TableScanTest, ColumnsAreMappedByNameOrById) {
  for (const std::string mode : {"name", "id"}) {
    Commit({kProtocol,
            MetadataJson({Mapped("x", "integer", 1, "col-x"),
                          Mapped("y", "integer", 2, "col-y")},
                         "", R"("delta.columnMapping.mode":")" + mode + '"')});
  }
  Write("a.parquet", R"(SELECT 2::INTEGER AS "x", 1::INTEGER AS "z")",
        ", FIELD_IDS {x: 2, z: 1}");
  Write("bare.parquet", "SELECT 1::INTEGER AS x");
  Commit({Add{"a.parquet"}.Json()});
  EXPECT_THAT(Query("SELECT x, y FROM $t"), ElementsAre("1|2"));
  Commit({Add{"bare.parquet"}.Json()});
  EXPECT_THAT(Query("SELECT x, y FROM $t"),
              ElementsAre(HasSubstr("no field ids")));
}

TEST_F(TableScanTest, LeftOverColumnMappingSaysNothing) {
  Commit({kProtocol, MetadataJson({Mapped("x", "integer", 1, "col-1"),
                                   Mapped("p", "string", 2, "col-2")},
                                  "p")});
  Write("a.parquet", "SELECT 1 AS x");
  Add file{"a.parquet"};
  file.partition = R"({"p":"one"})";
  Commit({file.Json()});
  EXPECT_THAT(Query("SELECT x, p FROM $t WHERE p = 'one' AND x = 1"),
              ElementsAre("1|one"));
}

TEST_F(TableScanTest, DeletedRowsAreLeftOut) {
  Commit({kProtocol, MetadataJson({FieldJson("id", "long")})});
  Write("a.parquet", "SELECT range AS id FROM range(10000)",
        ", ROW_GROUP_SIZE 2048");
  Commit({Add{
      "a.parquet", "{}",
      R"({"numRecords":10000,"minValues":{"id":0},"maxValues":{"id":9999},"tightBounds":false})",
      InlineVector({0, 5000, 9999})}
              .Json()});
  EXPECT_THAT(Query("SELECT count(*), min(id), max(id), sum(id) FROM $t"),
              ElementsAre("9997|1|9998|49980001"));
  EXPECT_THAT(Query("SELECT count(*) FROM $t"), ElementsAre("9997"));
  EXPECT_THAT(Query("SELECT id, \"_metadata.row_index\" FROM $t WHERE id "
                    "BETWEEN 4999 AND 5001 ORDER BY id"),
              ElementsAre("4999|4999", "5001|5001"));
}

TEST_F(TableScanTest, AVectorThatDoesNotFitItsFileIsAnError) {
  Commit({kProtocol, MetadataJson({FieldJson("id", "long")})});
  Write("a.parquet", "SELECT range AS id FROM range(10)");
  Commit({Add{"a.parquet", "{}", R"({"numRecords":10})", InlineVector({3, 10})}
              .Json()});
  for (const char* sql : {"SELECT count(*) FROM $t", "SELECT * FROM $t"}) {
    EXPECT_THAT(Query(sql),
                ElementsAre(AllOf(HasSubstr("DELTA_DELETION_VECTOR_INVALID"),
                                  HasSubstr("a.parquet"))));
  }
}

// None of the files is there: a query that needs one fails.
TEST_F(TableScanTest, FilesWithoutMatchingRowsAreNotOpened) {
  Commit({kProtocol,
          MetadataJson({FieldJson("x", "integer"), FieldJson("s", "string"),
                        FieldJson("p", "string")},
                       "p")});
  Commit(
      {Add{"a.parquet", R"({"p":"a b"})",
           R"({"numRecords":5,"minValues":{"x":1,"s":"b"},"maxValues":{"x":5,"s":"d"},"nullCount":{"x":0,"s":5}})"}
           .Json(),
       Add{"b.parquet", R"({"p":null})",
           R"({"numRecords":5,"minValues":{"x":6},"maxValues":{"x":9},"nullCount":{"x":0}})"}
           .Json()});
  for (const char* condition :
       {"x > 9", "x = 0", "x IN (0, 10)", "x BETWEEN 10 AND 20", "x IS NULL",
        "NOT (x < 10)", "x::BIGINT + 0 = 3 AND p = 'c'", "p = 'none'",
        "upper(p) = 'X'", "p LIKE 'z%'", "(p = 'q' AND x = 3) OR x > 100",
        "\"_metadata.file_name\" = 'c.parquet'", "s IS NOT NULL AND p = 'a b'",
        "x::BIGINT > 9", "x IS DISTINCT FROM NULL AND x > 9"}) {
    EXPECT_THAT(Query(std::string("SELECT * FROM $t WHERE ") + condition),
                IsEmpty())
        << condition;
  }
  for (const char* condition :
       {"x = 7", "p IS NULL", "p = 'a b'", "x > 4 OR p = 'none'"}) {
    EXPECT_THAT(Query(std::string("SELECT * FROM $t WHERE ") + condition),
                ElementsAre(HasSubstr("DELTA_FILE_NOT_FOUND")))
        << condition;
  }
}

TEST_F(TableScanTest, ExplainTellsWhatWasSkipped) {
  Commit({kProtocol,
          MetadataJson({FieldJson("x", "integer"), FieldJson("p", "string")},
                       "p")});
  for (const char* p : {"a", "b"}) {
    for (const char* x : {"1", "2"}) {
      Commit({Add{std::string(p) + x, R"({"p":")" + std::string(p) + "\"}",
                  R"({"numRecords":1,"minValues":{"x":)" + std::string(x) +
                      R"(},"maxValues":{"x":)" + x + "}}"}
                  .Json()});
    }
  }
  const auto plan = Query("EXPLAIN SELECT * FROM $t WHERE p = 'a' AND x >= 2");
  ASSERT_EQ(plan.size(), 1);
  EXPECT_THAT(plan[0], HasSubstr("1 of 4 (partition"));
}

TEST_F(TableScanTest, CountsAndBoundsComeFromTheLog) {
  Commit({kProtocol,
          MetadataJson({FieldJson("x", "integer"), FieldJson("p", "integer")},
                       "p")});
  Commit({Add{"a", R"({"p":"1"})",
              R"({"numRecords":5,"minValues":{"x":1},"maxValues":{"x":5}})"}
              .Json(),
          Add{"b", R"({"p":"2"})",
              R"({"numRecords":7,"minValues":{"x":6},"maxValues":{"x":9}})"}
              .Json()});
  EXPECT_THAT(Query("SELECT count(*) FROM $t"), ElementsAre("12"));
  EXPECT_THAT(Query("SELECT count(*), min(x), max(x), max(p) FROM $t"),
              ElementsAre("12|1|9|2"));
  EXPECT_THAT(Query("SELECT count(*) FROM $t WHERE p = 2"), ElementsAre("7"));
  EXPECT_THAT(Query("SELECT count(*) FROM $t WHERE x > 6"),
              ElementsAre(HasSubstr("DELTA_FILE_NOT_FOUND")));
}

TEST_F(TableScanTest, NanIsFoundWhateverTheBoundsSay) {
  Commit({kProtocol, MetadataJson({FieldJson("d", "double")})});
  Write("a.parquet", "SELECT unnest([1, 'NaN'::DOUBLE, 3]) AS d");
  Commit({Add{"a.parquet", "{}",
              R"({"numRecords":3,"minValues":{"d":1.0},"maxValues":{"d":3.0}})"}
              .Json()});
  for (const char* condition :
       {"d > 5", "d = 'NaN'::DOUBLE", "NOT (d <= 5)", "isnan(d)"}) {
    EXPECT_THAT(
        Query(std::string("SELECT count(*) FROM $t WHERE ") + condition),
        ElementsAre("1"))
        << condition;
  }
}

TEST_F(TableScanTest, BrokenFilesAreNamed) {
  Commit({kProtocol, MetadataJson({FieldJson("x", "integer")})});
  std::ofstream(folder_ / "bad.parquet") << "PAR1 this is no Parquet file PAR1";
  Commit({Add{"bad.parquet"}.Json()});
  EXPECT_THAT(
      Query("SELECT * FROM $t"),
      ElementsAre(AllOf(HasSubstr("DELTA_PARQUET_INVALID"),
                        HasSubstr("bad.parquet"), HasSubstr("version 1"))));
}

TEST_F(TableScanTest, AStoreThatCannotBeReachedBreaksNoFile) {
  Commit({kProtocol, MetadataJson({FieldJson("x", "integer")})});
  Write("a.parquet", "SELECT 1::INTEGER AS x");
  Commit({Add{"a.parquet"}.Json()});
  const auto local = store::OpenLocalStore(folder_);
  const auto memory = store::Memory::Make()->Open("", "scan-test://x");
  for (const char* file : {"a.parquet", "_delta_log/00000000000000000000.json",
                           "_delta_log/00000000000000000001.json"}) {
    ASSERT_TRUE(memory->Put(file, local->Read(file).value()));
  }
  store::CallKind refused = store::CallKind::kDelete;
  store::RegisterScheme("scan-test", [&](const std::string&) {
    return store::MakeFaultyStore(
        memory, store::MakeAdversary([&](const store::StoreCall& call) {
          return call.kind == refused ? store::Fault::kRefused
                                      : store::Fault::kNone;
        }));
  });
  const std::string query = "SELECT * FROM scan('scan-test://x')";
  EXPECT_THAT(Query(query), ElementsAre("1"));
  for (const auto kind : {store::CallKind::kHead, store::CallKind::kReadRange,
                          store::CallKind::kCheckInside}) {
    refused = kind;
    EXPECT_THAT(Query(query), ElementsAre(AllOf(HasSubstr("IO_ERROR"),
                                                HasSubstr("a.parquet"))))
        << store::Name(kind);
  }
}

TEST_F(TableScanTest, PathsOutsideTheTableAreRefused) {
  Commit({kProtocol, MetadataJson({FieldJson("x", "integer")})});
  for (const char* path :
       {"../a.parquet", "/etc/passwd", "file:///etc/passwd"}) {
    Commit({Add{path}.Json()});
    EXPECT_THAT(Query("SELECT * FROM $t"),
                ElementsAre(HasSubstr("DELTA_PATH_OUTSIDE_TABLE")))
        << path;
    Commit({Add{path}.Json("remove")});
  }
}

TEST_F(TableScanTest, LinksOutOfTheTableAreRefused) {
  Commit({kProtocol, MetadataJson({FieldJson("x", "integer")})});
  Write("real.parquet", "SELECT 1 AS x");
  const std::filesystem::path outside = folder_.string() + "-outside";
  std::filesystem::create_directories(outside);
  std::filesystem::copy(folder_ / "real.parquet", outside / "out.parquet");
  std::filesystem::create_symlink(outside, folder_ / "folder");
  std::filesystem::create_symlink(outside / "out.parquet",
                                  folder_ / "out.parquet");
  std::filesystem::create_symlink("real.parquet", folder_ / "in.parquet");
  for (const char* path : {"out.parquet", "folder/out.parquet"}) {
    Commit({Add{path}.Json()});
    EXPECT_THAT(Query("SELECT * FROM $t"),
                ElementsAre(HasSubstr("DELTA_PATH_OUTSIDE_TABLE")))
        << path;
    Commit({Add{path}.Json("remove")});
  }
  Commit({Add{"in.parquet"}.Json()});
  EXPECT_THAT(Query("SELECT * FROM $t"), ElementsAre("1"));
  std::filesystem::remove_all(outside);
}

TEST_F(TableScanTest, ChangesOfAddsRemovesAndVectors) {
  Commit({kProtocol, MetadataJson({FieldJson("id", "long")}, "",
                                  R"("delta.enableChangeDataFeed":"true")")});
  Write("a.parquet", "SELECT range AS id FROM range(4)");
  Write("c.parquet",
        "SELECT 7::BIGINT AS id, 'update_postimage' AS _change_type");
  const Add whole{"a.parquet"};
  Add first = whole;
  first.vector = InlineVector({0});
  Add second = whole;
  second.vector = InlineVector({0, 2});
  Commit({whole.Json()});
  Commit({whole.Json("remove"), first.Json()});
  Commit({first.Json("remove"), second.Json()});
  Commit({second.Json("remove"), whole.Json()});
  Commit({whole.Json("remove"), Add{"c.parquet"}.Json("cdc")});
  EXPECT_THAT(
      Query("SELECT _change_type, _commit_version, id FROM $changes(1, 4) "
            "ORDER BY ALL"),
      ElementsAre("delete|2|0", "delete|3|2", "insert|1|0", "insert|1|1",
                  "insert|1|2", "insert|1|3", "insert|4|0", "insert|4|2"));
  EXPECT_THAT(Query("SELECT _change_type, id FROM $changes(5, 5)"),
              ElementsAre("update_postimage|7"));
  EXPECT_THAT(
      Query(
          "SELECT count(*) FROM $changes(1, 4) WHERE _change_type = 'delete'"),
      ElementsAre("2"));
  fs::remove(folder_ / "a.parquet");
  EXPECT_THAT(Query("SELECT * FROM $changes(1, 5)"),
              ElementsAre(AllOf(HasSubstr("DELTA_CHANGE_DATA_FILE_NOT_FOUND"),
                                HasSubstr("from version 5"))));
}

TEST_F(TableScanTest, NoFeedWhereItWasNotRecorded) {
  Commit({kProtocol, MetadataJson({FieldJson("id", "long")})});
  EXPECT_THAT(Query("SELECT * FROM $changes(0, 0)"),
              ElementsAre(HasSubstr("DELTA_MISSING_CHANGE_DATA")));
}

}  // namespace
}  // namespace bayou::scan
