// SPDX-License-Identifier: Apache-2.0
//
// A table's schema: the protocol's types and the JSON they are stored as.
//
// Protocol: "Schema Serialization Format", "Column Mapping".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"

namespace bayou::protocol {

enum class TypeKind : std::uint8_t {
  kBoolean,
  kByte,
  kShort,
  kInteger,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kString,
  kBinary,
  kDate,
  kTimestamp,
  kTimestampNtz,
  kVariant,
  kVoid,
  kGeometry,
  kGeography,
  kStruct,
  kArray,
  kMap,
};

struct Field;

struct DataType {
  TypeKind kind = TypeKind::kVoid;
  int precision = 0;  // Of kDecimal: 1 to 38.
  int scale = 0;      // Of kDecimal: 0 to precision.
  std::string text;   // Of kGeometry and kGeography: the type as written.
  std::vector<Field> fields;  // Of kStruct.
  // Of kArray: one child, the element. Of kMap: two, key and value.
  std::vector<DataType> children;
  bool contains_null = true;  // Of kArray elements, of kMap values.

  static DataType Of(TypeKind kind);
  static DataType Decimal(int precision, int scale);

  bool IsNested() const { return kind >= TypeKind::kStruct; }
  bool operator==(const DataType& other) const;
};

struct Field {
  std::string name;
  DataType type;
  bool nullable = true;
  // Key to raw JSON value, as stored: `"delta.columnMapping.id"` to `4`.
  std::map<std::string, std::string> metadata;

  // Metadata value as text (JSON strings unquoted), or nullopt.
  std::optional<std::string> MetadataText(std::string_view key) const;

  // delta.columnMapping.physicalName, or the name where there is none: what
  // files call the field, in a schema of TableSchema (see table_schema.h).
  std::string physical_name() const;
  // delta.columnMapping.id.
  std::optional<std::int32_t> field_id() const;

  bool operator==(const Field& other) const = default;
};

// Out here, where Field is known, as the vector of them has to be destroyed.
inline DataType DataType::Of(TypeKind kind) {
  DataType type;
  type.kind = kind;
  return type;
}

// A schema is a struct type; columns in order.
struct Schema {
  std::vector<Field> fields;

  // By name, letters' case ignored as Spark does; nullptr when absent.
  const Field* Find(std::string_view name) const;
  bool operator==(const Schema& other) const = default;
};

// Reads a schemaString.
// Errors: kCorruption, condition DELTA_SCHEMA_INVALID, naming the field: not
// JSON, an unknown type, deeper than 128, more than 10,000 leaf fields, two
// columns whose names differ only in case, a column mapping id used twice.
Result<Schema> ParseSchema(std::string_view json);

// Writes a schemaString as delta-spark does: fields in order, metadata kept.
std::string SchemaToJson(const Schema& schema);
std::string TypeToJson(const DataType& type);

// Spark's spelling of a type, as in DESCRIBE: `struct<a:int>`, `decimal(4,2)`.
std::string TypeName(const DataType& type);

}  // namespace bayou::protocol
