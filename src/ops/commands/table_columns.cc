// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/table_columns.h"

#include <fmt/format.h>

#include <utility>

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::Field;
using protocol::Schema;
using protocol::TypeKind;

Status InvalidColumns(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_COLUMNS",
              std::move(message));
}

Status CheckPartitionColumn(const Schema& schema, const std::string& name) {
  const Field* field = schema.Find(name);
  if (field == nullptr) {
    return InvalidColumns(fmt::format(
        "partition column {} is not among the table's columns", name));
  }
  const bool unfit = field->type.IsNested() ||
                     field->type.kind == TypeKind::kVariant ||
                     field->type.kind == TypeKind::kGeometry ||
                     field->type.kind == TypeKind::kGeography ||
                     field->type.kind == TypeKind::kVoid;
  if (unfit) {
    return InvalidColumns(
        fmt::format("column {} of type {} cannot be a partition column", name,
                    protocol::TypeName(field->type)));
  }
  return {};
}

Status CheckUnmapped(const DataType& type) {
  BAYOU_TRY(CheckUnmappedNames(type.fields));
  for (const DataType& child : type.children) BAYOU_TRY(CheckUnmapped(child));
  return {};
}

}  // namespace

Status CheckColumns(const Schema& schema,
                    const std::vector<std::string>& partition_by) {
  if (schema.fields.empty())
    return InvalidColumns("a table needs at least one column");
  for (const Field& field : schema.fields) {
    if (field.name.empty()) return InvalidColumns("a column needs a name");
    // Find() gives the first of two columns whose names differ only in case.
    if (schema.Find(field.name) != &field) {
      return InvalidColumns(
          fmt::format("column {} is there twice", field.name));
    }
  }
  for (std::size_t i = 0; i < partition_by.size(); ++i) {
    const Field* field = schema.Find(partition_by[i]);
    if (field != nullptr && field->metadata.contains("delta.identity.start")) {
      return InvalidColumns(fmt::format(
          "identity column {} cannot be a partition column", field->name));
    }
    BAYOU_TRY(CheckPartitionColumn(schema, partition_by[i]));
    for (std::size_t j = 0; j < i; ++j) {
      if (schema.Find(partition_by[i]) == schema.Find(partition_by[j])) {
        return InvalidColumns(
            fmt::format("partition column {} is named twice", partition_by[i]));
      }
    }
  }
  if (partition_by.size() == schema.fields.size()) {
    return InvalidColumns(
        "every column is a partition column; add another one");
  }
  return {};
}

Status CheckUnmappedNames(const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    if (field.name.find_first_of(" ,;{}()\n\t=") != std::string::npos) {
      return InvalidColumns(fmt::format(
          "column name '{}' has one of the characters ' ,;{{}}()\\n\\t='; "
          "rename it, "
          "or create the table with 'delta.columnMapping.mode'='name'",
          field.name));
    }
    BAYOU_TRY(CheckUnmapped(field.type));
  }
  return {};
}

std::vector<std::string> NamesInSchema(const Schema& schema,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> spelled;
  for (const std::string& name : names)
    spelled.push_back(schema.Find(name)->name);
  return spelled;
}

}  // namespace bayou::commands
