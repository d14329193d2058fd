// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

using ::testing::HasSubstr;

std::string Column(std::string_view name, std::string_view type,
                   std::string_view metadata = "{}") {
  std::string json = R"({"name":")";
  json.append(name).append(R"(","type":)").append(type);
  json.append(R"(,"nullable":true,"metadata":)").append(metadata);
  return json + "}";
}

std::string Struct(const std::vector<std::string>& columns) {
  std::string json = R"({"type":"struct","fields":[)";
  for (const std::string& column : columns) {
    if (!json.ends_with('[')) json += ',';
    json += column;
  }
  return json + "]}";
}

Schema Parse(std::string_view json) {
  auto schema = ParseSchema(json);
  if (!schema) ADD_FAILURE() << schema.error().message;
  return schema.value_or(Schema{});
}

DataType ParseType(const std::string& type) {
  return Parse(Struct({Column("c", type)})).fields.at(0).type;
}

TEST(ParseSchema, ReadsEveryPrimitive) {
  const std::pair<std::string, std::string> types[] = {
      {"boolean", "boolean"},
      {"byte", "tinyint"},
      {"short", "smallint"},
      {"integer", "int"},
      {"long", "bigint"},
      {"float", "float"},
      {"double", "double"},
      {"string", "string"},
      {"binary", "binary"},
      {"date", "date"},
      {"timestamp", "timestamp"},
      {"timestamp_ntz", "timestamp_ntz"},
      {"variant", "variant"},
      {"void", "void"},
      {"decimal(38,18)", "decimal(38,18)"},
      {"geometry(OGC:CRS84)", "geometry(OGC:CRS84)"},
      {"geography(OGC:CRS84, spherical)", "geography(OGC:CRS84, spherical)"}};
  for (const auto& [stored, shown] : types) {
    const std::string json = '"' + stored + '"';
    EXPECT_EQ(TypeName(ParseType(json)), shown);
    EXPECT_EQ(TypeToJson(ParseType(json)), json);
  }
}

TEST(ParseSchema, ReadsOtherSpellings) {
  EXPECT_EQ(ParseType(R"("decimal")"), DataType::Decimal(10, 0));
  EXPECT_EQ(ParseType("\"decimal( 5 , 2 )\""), DataType::Decimal(5, 2));
  EXPECT_EQ(ParseType(R"("null")").kind, TypeKind::kVoid);
  EXPECT_EQ(ParseType("\"varchar(10)\"").kind, TypeKind::kString);
  EXPECT_EQ(ParseType(R"({"type":"udt","class":"x","sqlType":"double"})").kind,
            TypeKind::kDouble);
}

TEST(ParseSchema, ReadsNestedTypesAndWritesThemBack) {
  const std::string json = Struct(
      {Column(
           "a",
           R"({"type":"array","elementType":"integer","containsNull":false})"),
       Column("m", R"({"type":"map","keyType":"string","valueType":)" +
                       Struct({Column("x.y", "\"date\"")}) +
                       R"(,"valueContainsNull":true})"),
       Column("s", Struct({}))});
  const Schema schema = Parse(json);
  EXPECT_EQ(SchemaToJson(schema), json);
  EXPECT_FALSE(schema.fields[0].type.contains_null);
  EXPECT_EQ(TypeName(schema.fields[0].type), "array<int>");
  EXPECT_EQ(TypeName(schema.fields[1].type), "map<string,struct<x.y:date>>");
  EXPECT_EQ(Parse(SchemaToJson(schema)), schema);
}

TEST(ParseSchema, KeepsMetadata) {
  const std::string json = Struct({Column(
      "c", "\"long\"",
      R"({"a":"q\"\n","b":9223372036854775807,"c":{"d":[true,null]},)"
      R"("delta.columnMapping.id":4,"delta.columnMapping.physicalName":"col-1","e":null})")});
  const Schema schema = Parse(json);
  const Field& field = schema.fields.at(0);
  EXPECT_EQ(field.MetadataText("a"), "q\"\n");
  EXPECT_EQ(field.MetadataText("b"), "9223372036854775807");
  EXPECT_EQ(field.MetadataText("c"), R"({"d":[true,null]})");
  EXPECT_EQ(field.MetadataText("e"), std::nullopt);
  EXPECT_EQ(field.MetadataText("f"), std::nullopt);
  EXPECT_EQ(field.field_id(), 4);
  EXPECT_EQ(field.physical_name(), "col-1");
  EXPECT_EQ(SchemaToJson(schema), json);
}

TEST(ParseSchema, IsLenientAboutWhatHasADefault) {
  const Schema schema = Parse(
      R"({"type":"struct","fields":[{"name":"c","type":"long","metadata":null},)"
      R"({"name":"n","type":"long","nullable":false}]})");
  EXPECT_TRUE(schema.fields.at(0).nullable);
  EXPECT_FALSE(schema.fields.at(1).nullable);
  EXPECT_EQ(schema.fields.at(0).physical_name(), "c");
  EXPECT_EQ(schema.fields.at(0).field_id(), std::nullopt);
}

TEST(Schema, FindsNamesInAnyCase) {
  const Schema schema =
      Parse(Struct({Column("Id", "\"long\""), Column("b", "\"long\"")}));
  EXPECT_EQ(schema.Find("iD"), schema.fields.data());
  EXPECT_EQ(schema.Find("i"), nullptr);
  EXPECT_EQ(schema.Find(""), nullptr);
}

std::string DeepStruct(std::size_t depth) {
  std::string json = "\"long\"";
  std::string front;
  for (std::size_t i = 0; i < depth; ++i) {
    front += R"({"type":"struct","fields":[{"name":"s","type":)";
  }
  std::string back;
  for (std::size_t i = 0; i < depth; ++i) back += "}]}";
  return front + json + back;
}

TEST(ParseSchema, TakesDeepButNotAbysmalNesting) {
  EXPECT_TRUE(ParseSchema(DeepStruct(100)));
  EXPECT_TRUE(ParseSchema(DeepStruct(128)));
  EXPECT_FALSE(ParseSchema(DeepStruct(129)));
  EXPECT_FALSE(ParseSchema(DeepStruct(10'000)));
  std::string arrays = "\"long\"";
  for (int i = 0; i < 200; ++i) {
    arrays = R"({"type":"array","elementType":)" + arrays + "}";
  }
  EXPECT_FALSE(ParseSchema(Struct({Column("c", arrays)})));
}

TEST(ParseSchema, TakesTenThousandColumns) {
  std::vector<std::string> columns;
  for (int i = 0; i < 10'000; ++i) {
    columns.push_back(Column("c" + std::to_string(i), "\"long\""));
  }
  EXPECT_TRUE(ParseSchema(Struct(columns)));
  columns.push_back(Column("one_more", "\"long\""));
  EXPECT_FALSE(ParseSchema(Struct(columns)));
}

struct Broken {
  std::string json;
  std::string reason;
};

class ParseSchemaRefuses : public ::testing::TestWithParam<Broken> {};

TEST_P(ParseSchemaRefuses, NamingTheField) {
  const auto schema = ParseSchema(GetParam().json);
  ASSERT_FALSE(schema) << GetParam().json;
  EXPECT_EQ(schema.error().code, ErrorCode::kCorruption);
  EXPECT_EQ(schema.error().condition, "DELTA_SCHEMA_INVALID");
  EXPECT_THAT(schema.error().message, HasSubstr(GetParam().reason));
}

std::string Typed(std::string_view type) { return Struct({Column("c", type)}); }

INSTANTIATE_TEST_SUITE_P(
    , ParseSchemaRefuses,
    ::testing::Values(
        Broken{"", "not JSON"}, Broken{"{", "not JSON"},
        Broken{"[]", "no struct"}, Broken{"\"long\"", "no struct"},
        Broken{"{}", "no struct"}, Broken{R"({"type":"array"})", "no struct"},
        Broken{R"({"type":"struct"})", "the schema has no array 'fields'"},
        Broken{R"({"type":"struct","fields":{}})", "'fields'"},
        Broken{R"({"type":"struct","fields":[1]})", "without a name"},
        Broken{R"({"type":"struct","fields":[{"type":"long"}]})",
               "without a name"},
        Broken{R"({"type":"struct","fields":[{"name":"c"}]})",
               "field 'c' has no type"},
        Broken{Typed("1"), "field 'c'"}, Broken{Typed("null"), "field 'c'"},
        Broken{Typed("{}"), "field 'c'"}, Broken{Typed("\"LONG\""), "'LONG'"},
        Broken{Typed("\"interval day to second\""), "interval day to second"},
        Broken{Typed("\"\""), "unknown type ''"},
        Broken{Typed("\"decimal(39,1)\""), "decimal(39,1)"},
        Broken{Typed("\"decimal(5,6)\""), "decimal"},
        Broken{Typed("\"decimal(5,-1)\""), "decimal"},
        Broken{Typed("\"decimal(0,0)\""), "decimal"},
        Broken{Typed("\"decimal(5)\""), "decimal"},
        Broken{Typed("\"decimal(5,2) \""), "decimal"},
        Broken{Typed("\"decimal(99999999999,2)\""), "decimal"},
        Broken{Typed("\"geometry(\""), "geometry("},
        Broken{Typed(R"({"type":"set"})"), "'set'"},
        Broken{Typed(R"({"type":"array"})"), "'elementType'"},
        Broken{Typed(R"({"type":"map","keyType":"long"})"), "'valueType'"},
        Broken{Typed(R"({"type":"array","elementType":"x"})"), "'c.element'"},
        Broken{Typed(Struct({Column("d", "\"x\"")})), "'c.d'"},
        Broken{Struct({Column("a", "\"long\""), Column("A", "\"long\"")}),
               "'A'"},
        Broken{
            Typed(Struct({Column("a", "\"long\""), Column("A", "\"long\"")})),
            "field 'c'"},
        Broken{
            Struct({Column("a", "\"long\"", R"({"delta.columnMapping.id":1})"),
                    Column("b", "\"long\"",
                           R"({"delta.columnMapping.id":1})")}),
            "field 'b' has a column mapping id"}),
    [](const auto& test) { return std::to_string(test.index); });

}  // namespace
}  // namespace bayou::protocol
