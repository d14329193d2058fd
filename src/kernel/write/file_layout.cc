// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/file_layout.h"

#include <algorithm>
#include <utility>

#include "kernel/engine/types.h"
#include "kernel/protocol/iceberg_compat.h"
#include "kernel/protocol/property_value.h"
#include "kernel/protocol/table_features.h"
#include "kernel/protocol/table_properties.h"
#include "kernel/protocol/table_schema.h"

namespace bayou::write {
namespace {

using duckdb::LogicalType;
using duckdb::Value;
using protocol::DataType;
using protocol::Field;
using protocol::TypeKind;

// DuckDB's name for the id of a field that has fields itself.
constexpr char kOwnFieldId[] = "__duckdb_field_id";

// New files may have shredded variants only while the property says so; older
// ones keep theirs.
bool ShredsVariants(const protocol::Protocol& protocol,
                    const protocol::Metadata& metadata) {
  const auto found =
      metadata.configuration.find("delta.enableVariantShredding");
  return found != metadata.configuration.end() &&
         protocol::PropertyBool(found->second).value_or(false) &&
         (protocol::Supports(protocol, "variantShredding") ||
          protocol::Supports(protocol, "variantShredding-preview"));
}

Status CheckWritableType(const DataType& type, const std::string& path,
                         bool nested) {
  if (type.kind == TypeKind::kVoid) {
    return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_TYPE",
                "column " + path +
                    " has a nested part of type void, which no "
                    "file can hold; give it a type");
  }
  if (type.kind == TypeKind::kVariant && nested) {
    return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_TYPE",
                "column " + path +
                    " has a variant inside of another type, which Bayou cannot "
                    "write yet; make it a column of its own");
  }
  for (const Field& field : type.fields) {
    BAYOU_TRY(CheckWritableType(field.type, path + "." + field.name, true));
  }
  for (const DataType& child : type.children) {
    BAYOU_TRY(CheckWritableType(child, path, true));
  }
  return {};
}

// The type with physical names for the fields of structs.
LogicalType StoredType(const DataType& type) {
  switch (type.kind) {
    case TypeKind::kStruct: {
      duckdb::child_list_t<LogicalType> fields;
      for (const Field& field : type.fields) {
        fields.emplace_back(field.physical_name(), StoredType(field.type));
      }
      return LogicalType::STRUCT(std::move(fields));
    }
    case TypeKind::kArray:
      return LogicalType::LIST(StoredType(type.children[0]));
    case TypeKind::kMap:
      return LogicalType::MAP(StoredType(type.children[0]),
                              StoredType(type.children[1]));
    default:
      return engine::ToLogicalType(type);
  }
}

// The ids in and below a type in DuckDB's form: a number, or a struct of the
// numbers below with its own among them. Empty when there is none. `nested`:
// those of elements, by their path below the nearest field.
std::optional<Value> FieldIds(std::optional<std::int32_t> own,
                              const DataType& type,
                              const protocol::NestedIds& nested,
                              const std::string& path) {
  duckdb::child_list_t<Value> ids;
  const auto add = [&](const std::string& name,
                       const std::optional<Value>& value) {
    if (value) ids.emplace_back(name, *value);
  };
  for (const Field& field : type.fields) {
    add(field.physical_name(),
        FieldIds(field.field_id(), field.type, protocol::NestedIdsOf(field),
                 field.physical_name()));
  }
  const auto add_element = [&](const char* name, const DataType& element) {
    const std::string below = path + "." + name;
    const auto found = nested.find(below);
    const auto id = found == nested.end() ? std::optional<std::int32_t>()
                                          : std::optional(found->second);
    add(name, FieldIds(id, element, nested, below));
  };
  if (type.kind == TypeKind::kArray) {
    add_element("element", type.children[0]);
  } else if (type.kind == TypeKind::kMap) {
    add_element("key", type.children[0]);
    add_element("value", type.children[1]);
  }
  if (ids.empty())
    return own ? std::optional(Value::INTEGER(*own)) : std::nullopt;
  if (own) ids.emplace_back(kOwnFieldId, Value::INTEGER(*own));
  return Value::STRUCT(std::move(ids));
}

Result<std::vector<std::size_t>> PartitionPositions(
    const protocol::Metadata& metadata, const protocol::Schema& schema) {
  std::vector<std::size_t> positions;
  for (const std::string& name : metadata.partition_columns) {
    const Field* field = schema.Find(name);
    if (field == nullptr) {
      return Fail(ErrorCode::kCorruption, "DELTA_PARTITION_COLUMN_MISSING",
                  "partition column " + name + " is not in the table's schema");
    }
    positions.push_back(static_cast<std::size_t>(field - schema.fields.data()));
  }
  return positions;
}

bool MaterializesPartitionColumns(const protocol::Protocol& protocol) {
  return protocol::Supports(protocol, "materializePartitionColumns") ||
         protocol::Supports(protocol, "icebergCompatV1") ||
         protocol::Supports(protocol, "icebergCompatV2") ||
         protocol::Supports(protocol, "icebergCompatV3");
}

}  // namespace

duckdb::vector<LogicalType> FileLayout::RowTypes() const {
  duckdb::vector<LogicalType> types;
  for (const Field& field : schema.fields) {
    types.push_back(engine::ToLogicalType(field.type));
  }
  return types;
}

Result<std::shared_ptr<const FileLayout>> PlanFileLayout(
    const protocol::Protocol& protocol, const protocol::Metadata& metadata,
    const protocol::Schema& schema) {
  const protocol::TableProperties properties(metadata.configuration);
  auto layout = std::make_shared<FileLayout>();
  layout->schema = schema;
  layout->metadata = metadata;
  BAYOU_ASSIGN(layout->partition_columns, PartitionPositions(metadata, schema));
  layout->shreds_variants = ShredsVariants(protocol, metadata);
  std::vector<std::size_t> last;
  for (std::size_t i = 0; i < schema.fields.size(); ++i) {
    const bool partition = std::find(layout->partition_columns.begin(),
                                     layout->partition_columns.end(),
                                     i) != layout->partition_columns.end();
    if (schema.fields[i].type.kind == TypeKind::kVoid) continue;
    BAYOU_TRY(
        CheckWritableType(schema.fields[i].type, schema.fields[i].name, false));
    (partition ? last : layout->stored_columns).push_back(i);
  }
  if (MaterializesPartitionColumns(protocol)) {
    layout->stored_columns.insert(layout->stored_columns.end(), last.begin(),
                                  last.end());
  }
  if (layout->stored_columns.empty()) {
    return Fail(ErrorCode::kUnsupported, "DELTA_NO_DATA_COLUMN",
                "a table whose columns are all partition columns or void has "
                "nothing to store in files; add another column");
  }

  const bool mapped = protocol::ColumnMappingInForce(protocol, metadata) !=
                      protocol::ColumnMappingMode::kNone;
  duckdb::child_list_t<Value> ids;
  for (const std::size_t i : layout->stored_columns) {
    const Field& field = schema.fields[i];
    layout->stored_names.push_back(field.physical_name());
    layout->stored_types.push_back(StoredType(field.type));
    const auto id =
        mapped ? FieldIds(field.field_id(), field.type,
                          protocol::NestedIdsOf(field), field.physical_name())
               : std::nullopt;
    if (id) ids.emplace_back(field.physical_name(), *id);
  }
  if (!ids.empty()) layout->field_ids = Value::STRUCT(std::move(ids));

  BAYOU_ASSIGN(layout->statistics,
               protocol::ChooseStatisticsColumns(
                   schema, layout->partition_columns, properties));
  layout->string_prefix = static_cast<std::size_t>(
      std::max(0, properties.stats_string_prefix_length()));
  layout->tight_bounds = protocol::Supports(protocol, "deletionVectors");
  if (const int iceberg = protocol::IcebergCompatVersion(protocol, metadata)) {
    layout->tags["ICEBERG_COMPAT_VERSION"] = std::to_string(iceberg);
  }
  layout->codec = properties.compression_codec();
  layout->target_file_size = properties.target_file_size();
  return layout;
}

std::shared_ptr<FileLayout> WithExtraColumns(
    const FileLayout& layout, const std::vector<ExtraColumn>& columns) {
  auto extended = std::make_shared<FileLayout>(layout);
  for (const ExtraColumn& column : columns) {
    extended->stored_columns.push_back(column.position);
    extended->stored_names.push_back(column.name);
    extended->stored_types.push_back(column.type);
  }
  return extended;
}

}  // namespace bayou::write
