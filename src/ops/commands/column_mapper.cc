// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/column_mapper.h"

#include <algorithm>
#include <array>

#include "kernel/protocol/metadata_number.h"
#include "kernel/protocol/property_value.h"
#include "kernel/transaction/commit_info.h"

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::Field;

constexpr char kId[] = "delta.columnMapping.id";
constexpr char kPhysicalName[] = "delta.columnMapping.physicalName";

std::int64_t LargestId(const std::vector<Field>& fields);

std::int64_t LargestOf(const protocol::NestedIds& ids) {
  std::int64_t largest = 0;
  for (const auto& [path, id] : ids)
    largest = std::max(largest, std::int64_t{id});
  return largest;
}

std::int64_t LargestId(const DataType& type) {
  std::int64_t largest = LargestId(type.fields);
  for (const DataType& child : type.children)
    largest = std::max(largest, LargestId(child));
  return largest;
}

std::int64_t LargestId(const std::vector<Field>& fields) {
  std::int64_t largest = 0;
  for (const Field& field : fields) {
    largest = std::max(
        {largest, protocol::MetadataNumber(field, kId).value_or(0),
         LargestOf(protocol::NestedIdsOf(field)), LargestId(field.type)});
  }
  return largest;
}

}  // namespace

Status ColumnMapper::TakeId() {
  if (last_id_ < INT32_MAX) {
    ++last_id_;
    return {};
  }
  return Fail(
      ErrorCode::kUnsupported, "DELTA_COLUMN_IDS_EXHAUSTED",
      "the table has given away column id " + std::to_string(last_id_) +
          ", and files can hold none above 2147483647; make the table anew, "
          "with CREATE TABLE ... AS SELECT");
}

Status ColumnMapper::Map(std::vector<Field>& fields) {
  for (Field& field : fields) {
    if (!field.metadata.contains(kId)) {
      BAYOU_TRY(TakeId());
      field.metadata[kId] = std::to_string(last_id_);
    }
    if (!field.metadata.contains(kPhysicalName)) {
      field.metadata[kPhysicalName] = transaction::TextParameter(
          names_ == Names::kOld ? field.name : "col-" + NewUuid(env_));
    }
    BAYOU_TRY(Map(field.type));
    if (!elements_) continue;
    protocol::NestedIds ids = protocol::NestedIdsOf(field);
    BAYOU_TRY(MapElements(field.type, field.physical_name(), ids));
    protocol::SetNestedIds(ids, field);
  }
  return {};
}

// Up to the next field, which keeps those below it.
Status ColumnMapper::MapElements(const DataType& type, const std::string& path,
                                 protocol::NestedIds& ids) {
  constexpr std::array kOfMap = {"key", "value"};
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    const bool is_list = type.kind == protocol::TypeKind::kArray;
    const std::string below = path + "." + (is_list ? "element" : kOfMap[i]);
    if (!ids.contains(below)) {
      BAYOU_TRY(TakeId());
      ids[below] = static_cast<std::int32_t>(last_id_);
    }
    BAYOU_TRY(MapElements(type.children[i], below, ids));
  }
  return {};
}

Status ColumnMapper::Map(DataType& type) {
  BAYOU_TRY(Map(type.fields));
  for (DataType& child : type.children) BAYOU_TRY(Map(child));
  return {};
}

bool IdentifiesElements(const protocol::Metadata& metadata) {
  for (const char* property :
       {"delta.enableIcebergCompatV2", "delta.enableIcebergCompatV3"}) {
    const auto found = metadata.configuration.find(property);
    if (found != metadata.configuration.end() &&
        protocol::PropertyBool(found->second).value_or(false)) {
      return true;
    }
  }
  return false;
}

std::int64_t LastColumnId(const protocol::Metadata& metadata,
                          const protocol::Schema& schema) {
  const std::int64_t largest = LargestId(schema.fields);
  const auto stored =
      metadata.configuration.find("delta.columnMapping.maxColumnId");
  if (stored == metadata.configuration.end()) return largest;
  const auto value = protocol::PropertyInteger(stored->second, 0);
  return std::max(largest, value.value_or(0));
}

}  // namespace bayou::commands
