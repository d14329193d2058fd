// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/schema.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/json.h"

namespace bayou::protocol {
namespace {

struct PrimitiveName {
  TypeKind kind;
  std::string_view stored;  // In a schemaString.
  std::string_view shown;   // In SQL.
};

constexpr auto kPrimitives = std::to_array<PrimitiveName>({
    {TypeKind::kBoolean, "boolean", "boolean"},
    {TypeKind::kByte, "byte", "tinyint"},
    {TypeKind::kShort, "short", "smallint"},
    {TypeKind::kInteger, "integer", "int"},
    {TypeKind::kLong, "long", "bigint"},
    {TypeKind::kFloat, "float", "float"},
    {TypeKind::kDouble, "double", "double"},
    {TypeKind::kString, "string", "string"},
    {TypeKind::kBinary, "binary", "binary"},
    {TypeKind::kDate, "date", "date"},
    {TypeKind::kTimestamp, "timestamp", "timestamp"},
    {TypeKind::kTimestampNtz, "timestamp_ntz", "timestamp_ntz"},
    {TypeKind::kVariant, "variant", "variant"},
    {TypeKind::kVoid, "void", "void"},
});

const PrimitiveName& NameOf(TypeKind kind) {
  return *std::ranges::find(kPrimitives, kind, &PrimitiveName::kind);
}

std::string DecimalText(const DataType& type) {
  return "decimal(" + std::to_string(type.precision) + "," +
         std::to_string(type.scale) + ")";
}

void WriteType(const DataType& type, JsonWriter& writer);

void WriteFields(const std::vector<Field>& fields, JsonWriter& writer) {
  writer.StartObject();
  WriteKey(writer, "type");
  WriteString(writer, "struct");
  WriteKey(writer, "fields");
  writer.StartArray();
  for (const Field& field : fields) {
    writer.StartObject();
    WriteKey(writer, "name");
    WriteString(writer, field.name);
    WriteKey(writer, "type");
    WriteType(field.type, writer);
    WriteKey(writer, "nullable");
    writer.Bool(field.nullable);
    WriteKey(writer, "metadata");
    writer.StartObject();
    for (const auto& [key, json] : field.metadata) {
      WriteKey(writer, key);
      writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
    }
    writer.EndObject();
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
}

void WriteType(const DataType& type, JsonWriter& writer) {
  switch (type.kind) {
    case TypeKind::kStruct:
      WriteFields(type.fields, writer);
      break;
    case TypeKind::kArray:
      writer.StartObject();
      WriteKey(writer, "type");
      WriteString(writer, "array");
      WriteKey(writer, "elementType");
      WriteType(type.children.at(0), writer);
      WriteKey(writer, "containsNull");
      writer.Bool(type.contains_null);
      writer.EndObject();
      break;
    case TypeKind::kMap:
      writer.StartObject();
      WriteKey(writer, "type");
      WriteString(writer, "map");
      WriteKey(writer, "keyType");
      WriteType(type.children.at(0), writer);
      WriteKey(writer, "valueType");
      WriteType(type.children.at(1), writer);
      WriteKey(writer, "valueContainsNull");
      writer.Bool(type.contains_null);
      writer.EndObject();
      break;
    case TypeKind::kDecimal:
      WriteString(writer, DecimalText(type));
      break;
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      WriteString(writer, type.text);
      break;
    default:
      WriteString(writer, NameOf(type.kind).stored);
  }
}

// The text of a JSON string, or nullopt when `json` is none.
std::optional<std::string> Unquote(std::string_view json) {
  if (json.size() < 2 || json.front() != '"') return std::nullopt;
  const std::string_view inside = json.substr(1, json.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return std::string(inside);
  return UnescapeJson(inside);
}

}  // namespace

DataType DataType::Decimal(int precision, int scale) {
  DataType type = Of(TypeKind::kDecimal);
  type.precision = precision;
  type.scale = scale;
  return type;
}

bool DataType::operator==(const DataType& other) const {
  return kind == other.kind && precision == other.precision &&
         scale == other.scale && text == other.text && fields == other.fields &&
         children == other.children && contains_null == other.contains_null;
}

std::optional<std::string> Field::MetadataText(std::string_view key) const {
  const auto found = metadata.find(std::string(key));
  if (found == metadata.end() || found->second == "null") return std::nullopt;
  auto text = Unquote(found->second);
  return text ? std::move(text) : found->second;
}

std::string Field::physical_name() const {
  return MetadataText("delta.columnMapping.physicalName").value_or(name);
}

std::optional<std::int32_t> Field::field_id() const {
  const auto text = MetadataText("delta.columnMapping.id");
  if (!text) return std::nullopt;
  std::int32_t id = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, id);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return id;
}

const Field* Schema::Find(std::string_view name) const {
  const auto found = std::ranges::find_if(fields, [&](const Field& field) {
    return field.name.size() == name.size() &&
           strncasecmp(field.name.data(), name.data(), name.size()) == 0;
  });
  return found == fields.end() ? nullptr : &*found;
}

std::string SchemaToJson(const Schema& schema) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  WriteFields(schema.fields, writer);
  return TakeText(buffer);
}

std::string TypeToJson(const DataType& type) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  WriteType(type, writer);
  return TakeText(buffer);
}

std::string TypeName(const DataType& type) {
  switch (type.kind) {
    case TypeKind::kStruct: {
      std::string text = "struct<";
      for (const Field& field : type.fields) {
        if (!text.ends_with('<')) text += ',';
        text += field.name + ":" + TypeName(field.type);
      }
      return text + ">";
    }
    case TypeKind::kArray:
      return "array<" + TypeName(type.children.at(0)) + ">";
    case TypeKind::kMap:
      return "map<" + TypeName(type.children.at(0)) + "," +
             TypeName(type.children.at(1)) + ">";
    case TypeKind::kDecimal:
      return DecimalText(type);
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return type.text;
    default:
      return std::string(NameOf(type.kind).shown);
  }
}

}  // namespace bayou::protocol
