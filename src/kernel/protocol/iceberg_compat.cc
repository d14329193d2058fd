// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/iceberg_compat.h"

#include <array>

#include "base/json.h"
#include "kernel/protocol/property_value.h"
#include "kernel/protocol/table_features.h"
#include "kernel/protocol/table_properties.h"

namespace bayou::protocol {
namespace {

constexpr std::string_view kNestedIds = "delta.columnMapping.nested.ids";

bool IsOn(const Metadata& metadata, const std::string& property) {
  const auto found = metadata.configuration.find(property);
  return found != metadata.configuration.end() &&
         PropertyBool(found->second).value_or(false);
}

class Rules {
 public:
  Rules(int version, std::string_view table)
      : version_(version), table_(table) {}

  tl::unexpected<Error> Broken(std::string_view rule) const {
    return Fail(ErrorCode::kUnsupported, "DELTA_ICEBERG_COMPAT_VIOLATION",
                std::string(table_) + " has delta.enableIcebergCompatV" +
                    std::to_string(version_) + " = true: " + std::string(rule));
  }

  Status CheckTable(const Protocol& protocol, const Metadata& metadata) const {
    const TableProperties properties(metadata.configuration);
    if (properties.column_mapping_mode() == ColumnMappingMode::kNone)
      return Broken("it needs 'delta.columnMapping.mode' = 'name'");
    constexpr int kWithVectors = 3;
    if (version_ < kWithVectors && properties.deletion_vectors())
      return Broken("it cannot have deletion vectors");
    if (version_ == 1 && Supports(protocol, "deletionVectors"))
      return Broken("it cannot have the feature deletionVectors");
    if (version_ >= kWithVectors && !properties.row_tracking())
      return Broken("it needs 'delta.enableRowTracking' = 'true'");
    return {};
  }

  Status CheckFields(const std::vector<Field>& fields) const {
    for (const Field& field : fields) {
      BAYOU_TRY(CheckChanges(field));
      BAYOU_TRY(CheckType(field.type, field, field.physical_name(),
                          NestedIdsOf(field)));
    }
    return {};
  }

 private:
  Status CheckType(const DataType& type, const Field& field,
                   const std::string& path, const NestedIds& ids) const {
    const std::string column = "column " + field.name;
    switch (type.kind) {
      case TypeKind::kVoid:
        return Broken(column + " cannot be void");
      case TypeKind::kVariant:
      case TypeKind::kGeometry:
      case TypeKind::kGeography:
        if (version_ < 3) return Broken(column + " cannot be of its type");
        return {};
      case TypeKind::kStruct:
        return CheckFields(type.fields);
      case TypeKind::kArray:
        BAYOU_TRY(CheckHasId(column, path + ".element", ids));
        return CheckType(type.children[0], field, path + ".element", ids);
      case TypeKind::kMap:
        BAYOU_TRY(CheckHasId(column, path + ".key", ids));
        BAYOU_TRY(CheckHasId(column, path + ".value", ids));
        BAYOU_TRY(CheckType(type.children[0], field, path + ".key", ids));
        return CheckType(type.children[1], field, path + ".value", ids);
      default:
        return {};
    }
  }

  Status CheckHasId(const std::string& column, const std::string& path,
                    const NestedIds& ids) const {
    if (version_ == 1) return Broken(column + " cannot be a list or a map");
    if (ids.contains(path)) return {};
    return Broken(column + " has elements without ids");
  }

  Status CheckChanges(const Field& field) const {
    const auto found = field.metadata.find("delta.typeChanges");
    if (found == field.metadata.end()) return {};
    simdjson::dom::parser parser;
    BAYOU_ASSIGN(const auto changes, ParseJson(parser, found->second));
    for (const simdjson::dom::element change : changes) {
      std::string_view from;
      std::string_view to;
      if (change["fromType"].get(from) != simdjson::SUCCESS ||
          change["toType"].get(to) != simdjson::SUCCESS ||
          !IsOfIceberg(from, to)) {
        return Broken("column " + field.name +
                      " had a type that Iceberg does not widen");
      }
    }
    return {};
  }

  static bool IsOfIceberg(std::string_view from, std::string_view to) {
    constexpr std::array kIntegers = {"byte", "short", "integer", "long"};
    const auto is_integer = [&](std::string_view type) {
      for (const std::string_view known : kIntegers) {
        if (type == known) return true;
      }
      return false;
    };
    const auto scale = [](std::string_view type) {
      return type.substr(std::min(type.find(','), type.size()));
    };
    return (is_integer(from) && is_integer(to)) ||
           (from == "float" && to == "double") ||
           (from.starts_with("decimal") && to.starts_with("decimal") &&
            scale(from) == scale(to));
  }

  int version_;
  std::string_view table_;
};

}  // namespace

int IcebergCompatVersion(const Protocol& protocol, const Metadata& metadata) {
  for (const char version : {'3', '2', '1'}) {
    const std::string name = std::string("IcebergCompatV") + version;
    if (IsOn(metadata, "delta.enable" + name) &&
        Supports(protocol, "i" + name.substr(1))) {
      return version - '0';
    }
  }
  return 0;
}

Status CheckIcebergCompat(const Protocol& protocol, const Metadata& metadata,
                          const Schema& schema, std::string_view table) {
  const int version = IcebergCompatVersion(protocol, metadata);
  if (version == 0) return {};
  const Rules rules(version, table);
  int in_force = 0;
  for (const char* property :
       {"delta.enableIcebergCompatV1", "delta.enableIcebergCompatV2",
        "delta.enableIcebergCompatV3"}) {
    in_force += IsOn(metadata, property) ? 1 : 0;
  }
  if (in_force > 1) return rules.Broken("only one version can be in force");
  BAYOU_TRY(rules.CheckTable(protocol, metadata));
  return rules.CheckFields(schema.fields);
}

NestedIds NestedIdsOf(const Field& field) {
  NestedIds ids;
  const auto found = field.metadata.find(std::string(kNestedIds));
  if (found == field.metadata.end()) return ids;
  simdjson::dom::parser parser;
  const auto parsed = ParseJson(parser, found->second);
  simdjson::dom::object object;
  if (!parsed || parsed->get(object) != simdjson::SUCCESS) return ids;
  for (const auto [path, value] : object) {
    std::int64_t id = 0;
    if (value.get(id) == simdjson::SUCCESS && id > 0 && id <= INT32_MAX)
      ids[std::string(path)] = static_cast<std::int32_t>(id);
  }
  return ids;
}

void SetNestedIds(const NestedIds& ids, Field& field) {
  if (ids.empty()) return;
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  for (const auto& [path, id] : ids) {
    WriteKey(writer, path);
    writer.Int(id);
  }
  writer.EndObject();
  field.metadata[std::string(kNestedIds)] = TakeText(buffer);
}

}  // namespace bayou::protocol
