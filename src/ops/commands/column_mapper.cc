// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/column_mapper.h"

#include <algorithm>
#include <array>

#include "kernel/protocol/property_value.h"
#include "kernel/transaction/commit_info.h"

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::Field;

constexpr char kId[] = "delta.columnMapping.id";
constexpr char kPhysicalName[] = "delta.columnMapping.physicalName";

int LargestId(const std::vector<Field>& fields);

int LargestOf(const protocol::NestedIds& ids) {
  int largest = 0;
  for (const auto& [path, id] : ids) largest = std::max(largest, int{id});
  return largest;
}

int LargestId(const DataType& type) {
  int largest = LargestId(type.fields);
  for (const DataType& child : type.children) {
    largest = std::max(largest, LargestId(child));
  }
  return largest;
}

int LargestId(const std::vector<Field>& fields) {
  int largest = 0;
  for (const Field& field : fields) {
    largest = std::max({largest, static_cast<int>(field.field_id().value_or(0)),
                        LargestOf(protocol::NestedIdsOf(field)),
                        LargestId(field.type)});
  }
  return largest;
}

}  // namespace

void ColumnMapper::Map(std::vector<Field>& fields) {
  for (Field& field : fields) {
    if (!field.metadata.contains(kId)) {
      field.metadata[kId] = std::to_string(++last_id_);
    }
    if (!field.metadata.contains(kPhysicalName)) {
      field.metadata[kPhysicalName] = transaction::TextParameter(
          names_ == Names::kOld ? field.name : "col-" + NewUuid(env_));
    }
    Map(field.type);
    if (!elements_) continue;
    protocol::NestedIds ids = protocol::NestedIdsOf(field);
    MapElements(field.type, field.physical_name(), ids);
    protocol::SetNestedIds(ids, field);
  }
}

// Up to the next field, which keeps those below it.
void ColumnMapper::MapElements(const DataType& type, const std::string& path,
                               protocol::NestedIds& ids) {
  constexpr std::array kOfMap = {"key", "value"};
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    const bool is_list = type.kind == protocol::TypeKind::kArray;
    const std::string below = path + "." + (is_list ? "element" : kOfMap[i]);
    if (!ids.contains(below)) ids[below] = ++last_id_;
    MapElements(type.children[i], below, ids);
  }
}

void ColumnMapper::Map(DataType& type) {
  Map(type.fields);
  for (DataType& child : type.children) Map(child);
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

int LastColumnId(const protocol::Metadata& metadata,
                 const protocol::Schema& schema) {
  const int largest = LargestId(schema.fields);
  const auto stored =
      metadata.configuration.find("delta.columnMapping.maxColumnId");
  if (stored == metadata.configuration.end()) return largest;
  const auto value = protocol::PropertyInteger(stored->second, 0);
  return std::max(largest, static_cast<int>(value.value_or(0)));
}

}  // namespace bayou::commands
