// SPDX-License-Identifier: Apache-2.0
//
// JSON to a schema: the reading half of schema.h.
#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "base/json.h"
#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/schema.h"

namespace bayou::protocol {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t kMaxTypeDepth = 128;
constexpr std::size_t kMaxLeaves = 10'000;
// A struct in a struct takes three levels of JSON: its type, its fields, one
// field. Recursion over parsed JSON never goes deeper than this.
constexpr std::size_t kMaxSchemaJsonDepth = 3 * kMaxTypeDepth + 16;

void SkipSpace(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

bool TakeCharacter(std::string_view& text, char c) {
  SkipSpace(text);
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool TakeNumber(std::string_view& text, int& number) {
  SkipSpace(text);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

// `decimal` or `decimal(10,2)`.
std::optional<DataType> DecimalOf(std::string_view name) {
  std::string_view rest = name.substr(std::string_view("decimal").size());
  if (rest.empty()) return DataType::Decimal(10, 0);
  int precision = 0;
  int scale = 0;
  const bool complete = TakeCharacter(rest, '(') &&
                        TakeNumber(rest, precision) &&
                        TakeCharacter(rest, ',') && TakeNumber(rest, scale) &&
                        TakeCharacter(rest, ')') && rest.empty();
  if (!complete || precision < 1 || precision > 38 || scale < 0 ||
      scale > precision) {
    return std::nullopt;
  }
  return DataType::Decimal(precision, scale);
}

bool IsCalled(std::string_view name, std::string_view word) {
  return name == word || (name.starts_with(word) && name[word.size()] == '(' &&
                          name.ends_with(')'));
}

std::optional<DataType> NamedType(std::string_view name) {
  constexpr std::pair<std::string_view, TypeKind> kNames[] = {
      {"boolean", TypeKind::kBoolean},
      {"byte", TypeKind::kByte},
      {"short", TypeKind::kShort},
      {"integer", TypeKind::kInteger},
      {"long", TypeKind::kLong},
      {"float", TypeKind::kFloat},
      {"double", TypeKind::kDouble},
      {"string", TypeKind::kString},
      {"binary", TypeKind::kBinary},
      {"date", TypeKind::kDate},
      {"timestamp", TypeKind::kTimestamp},
      {"timestamp_ntz", TypeKind::kTimestampNtz},
      {"variant", TypeKind::kVariant},
      {"void", TypeKind::kVoid},
      {"null", TypeKind::kVoid},
  };
  for (const auto& [known, kind] : kNames) {
    if (name == known) return DataType::Of(kind);
  }
  if (name.starts_with("decimal")) return DecimalOf(name);
  if (IsCalled(name, "char") || IsCalled(name, "varchar")) {
    return DataType::Of(TypeKind::kString);
  }
  DataType type;
  type.text = name;
  if (IsCalled(name, "geometry")) {
    type.kind = TypeKind::kGeometry;
    return type;
  }
  if (IsCalled(name, "geography")) {
    type.kind = TypeKind::kGeography;
    return type;
  }
  return std::nullopt;
}

class SchemaReader {
 public:
  Result<std::vector<Field>> ReadFields(element type) {
    object parts;
    element list;
    simdjson::dom::array items;
    if (type.get(parts) || parts["fields"].get(list) || list.get(items)) {
      return Fault("has no array 'fields'");
    }
    std::vector<Field> fields;
    fields.reserve(items.size());
    std::set<std::string> names;
    for (element item : items) {
      BAYOU_ASSIGN(fields.emplace_back(), ReadField(item));
      if (!names.insert(LowerCase(fields.back().name)).second) {
        return Fault("has two fields '" + fields.back().name +
                     "' that differ in letters' case at most");
      }
    }
    return fields;
  }

 private:
  Result<Field> ReadField(element json) {
    Field field;
    object parts;
    std::string_view name;
    element type;
    if (json.get(parts) || parts["name"].get(name)) {
      return Fault("has a field without a name");
    }
    field.name = name;
    path_.push_back(name);
    if (parts["type"].get(type)) return Fault("has no type");
    BAYOU_ASSIGN(field.type, ReadType(type));
    field.nullable = Flag(parts, "nullable");
    object metadata;
    if (!parts["metadata"].get(metadata)) {
      for (const auto& [key, value] : metadata) {
        field.metadata.insert_or_assign(std::string(key), JsonText(value));
      }
    }
    if (const auto id = field.field_id(); id && !ids_.insert(*id).second) {
      return Fault("has a column mapping id that another field has too: " +
                   std::to_string(*id));
    }
    path_.pop_back();
    return field;
  }

  Result<DataType> ReadType(element json) {
    if (++depth_ > kMaxTypeDepth) {
      return Fault("is nested deeper than " + std::to_string(kMaxTypeDepth));
    }
    BAYOU_ASSIGN(DataType type, ReadTypeAtThisDepth(json));
    --depth_;
    if (!type.IsNested() && ++leaves_ > kMaxLeaves) {
      return Fault("brings more than " + std::to_string(kMaxLeaves) +
                   " leaf fields");
    }
    return type;
  }

  Result<DataType> ReadTypeAtThisDepth(element json) {
    std::string_view name;
    if (!json.get(name)) {
      auto named = NamedType(name);
      if (!named) return Fault("has unknown type '" + std::string(name) + "'");
      return *std::move(named);
    }
    object parts;
    if (json.get(parts) || parts["type"].get(name)) {
      return Fault("has a type that is neither a name nor an object with one");
    }
    if (name == "struct") {
      DataType type = DataType::Of(TypeKind::kStruct);
      BAYOU_ASSIGN(type.fields, ReadFields(json));
      return type;
    }
    if (name == "array") {
      DataType type = DataType::Of(TypeKind::kArray);
      type.contains_null = Flag(parts, "containsNull");
      BAYOU_ASSIGN(type.children.emplace_back(),
                   ReadPart(parts, "elementType", "element"));
      return type;
    }
    if (name == "map") {
      DataType type = DataType::Of(TypeKind::kMap);
      type.contains_null = Flag(parts, "valueContainsNull");
      BAYOU_ASSIGN(type.children.emplace_back(),
                   ReadPart(parts, "keyType", "key"));
      BAYOU_ASSIGN(type.children.emplace_back(),
                   ReadPart(parts, "valueType", "value"));
      return type;
    }
    // A type that a user registered with Spark is stored as another one.
    if (name == "udt") return ReadPart(parts, "sqlType", "sqlType");
    return Fault("has unknown type '" + std::string(name) + "'");
  }

  Result<DataType> ReadPart(const object& parts, std::string_view key,
                            std::string_view name) {
    element json;
    if (parts[key].get(json)) {
      return Fault("has a type without '" + std::string(key) + "'");
    }
    path_.push_back(name);
    BAYOU_ASSIGN(DataType type, ReadType(json));
    path_.pop_back();
    return type;
  }

  // True unless the schema says false.
  static bool Flag(const object& parts, std::string_view key) {
    bool flag = true;
    return parts[key].get(flag) || flag;
  }

  tl::unexpected<Error> Fault(std::string what) const {
    std::string where = path_.empty() ? "the schema" : "field '";
    for (std::string_view name : path_) {
      if (!where.ends_with('\'')) where += '.';
      where += name;
    }
    if (!path_.empty()) where += '\'';
    return Fail(ErrorCode::kCorruption, "DELTA_SCHEMA_INVALID",
                "schemaString: " + where + " " + std::move(what));
  }

  std::vector<std::string_view> path_;  // Of the field being read.
  std::size_t depth_ = 0;
  std::size_t leaves_ = 0;
  std::set<std::int32_t> ids_;
};

}  // namespace

Result<Schema> ParseSchema(std::string_view json) {
  simdjson::dom::parser parser;
  const auto root = ParseJson(parser, json, kMaxSchemaJsonDepth);
  if (!root) {
    return Fail(ErrorCode::kCorruption, "DELTA_SCHEMA_INVALID",
                "schemaString is not JSON: " + root.error().message);
  }
  std::string_view kind;
  if ((*root)["type"].get(kind) || kind != "struct") {
    return Fail(ErrorCode::kCorruption, "DELTA_SCHEMA_INVALID",
                "schemaString is no struct type");
  }
  Schema schema;
  BAYOU_ASSIGN(schema.fields, SchemaReader().ReadFields(*root));
  return schema;
}

}  // namespace bayou::protocol
