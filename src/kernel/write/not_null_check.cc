// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/not_null_check.h"

#include <string>
#include <vector>

namespace bayou::write {
namespace {

using duckdb::idx_t;
using duckdb::UnifiedVectorFormat;
using duckdb::Vector;
using protocol::DataType;
using protocol::Field;
using protocol::TypeKind;

bool HasRules(const DataType& type) {
  for (const Field& field : type.fields) {
    if (!field.nullable || HasRules(field.type)) return true;
  }
  if ((type.kind == TypeKind::kArray || type.kind == TypeKind::kMap) &&
      !type.contains_null) {
    return true;
  }
  for (const DataType& child : type.children) {
    if (HasRules(child)) return true;
  }
  return false;
}

Status Violation(const std::string& path, std::size_t count,
                 std::string_view what) {
  return Fail(ErrorCode::kConstraint, "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
              "column " + path + " may not " + std::string(what) + ", but " +
                  std::to_string(count) +
                  (count == 1 ? " row has" : " rows have") +
                  " one; nothing was written: change the data or the column");
}

// Looks at the entries of `values` that `live` names: those whose parents are
// not null.
class Checker {
 public:
  Status Check(Vector& values, idx_t size, const std::vector<idx_t>& live,
               const DataType& type, bool nullable, const std::string& path,
               std::string_view what) {
    UnifiedVectorFormat format;
    values.ToUnifiedFormat(size, format);
    std::vector<idx_t> present;
    present.reserve(live.size());
    for (const idx_t i : live) {
      if (format.validity.RowIsValid(format.sel->get_index(i)))
        present.push_back(i);
    }
    if (!nullable && present.size() != live.size()) {
      return Violation(path, live.size() - present.size(), what);
    }
    if (!HasRules(type)) return {};
    switch (type.kind) {
      case TypeKind::kStruct:
        return CheckStruct(values, size, present, type, path);
      case TypeKind::kArray:
      case TypeKind::kMap:
        return CheckElements(values, format, present, type, path);
      default:
        return {};
    }
  }

 private:
  Status CheckStruct(Vector& values, idx_t size,
                     const std::vector<idx_t>& present, const DataType& type,
                     const std::string& path) {
    Vector flat(values);
    flat.Flatten(size);
    auto& fields = duckdb::StructVector::GetEntries(flat);
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      const Field& field = type.fields[i];
      BAYOU_TRY(Check(*fields[i], size, present, field.type, field.nullable,
                      path + "." + field.name, "be null"));
    }
    return {};
  }

  // Elements of lists, keys and values of maps.
  Status CheckElements(Vector& values, const UnifiedVectorFormat& format,
                       const std::vector<idx_t>& present, const DataType& type,
                       const std::string& path) {
    const auto* lists =
        UnifiedVectorFormat::GetData<duckdb::list_entry_t>(format);
    std::vector<idx_t> elements;
    for (const idx_t i : present) {
      const duckdb::list_entry_t list = lists[format.sel->get_index(i)];
      for (idx_t e = 0; e < list.length; ++e)
        elements.push_back(list.offset + e);
    }
    const idx_t size = duckdb::ListVector::GetListSize(values);
    if (type.kind == TypeKind::kArray) {
      return Check(duckdb::ListVector::GetEntry(values), size, elements,
                   type.children[0], type.contains_null, path,
                   "hold a null element");
    }
    BAYOU_TRY(Check(duckdb::MapVector::GetKeys(values), size, elements,
                    type.children[0], false, path, "hold a null key"));
    return Check(duckdb::MapVector::GetValues(values), size, elements,
                 type.children[1], type.contains_null, path,
                 "hold a null value");
  }
};

Status CheckVoid(Vector& values, idx_t size, const std::string& name) {
  UnifiedVectorFormat format;
  values.ToUnifiedFormat(size, format);
  for (idx_t i = 0; i < size; ++i) {
    if (!format.validity.RowIsValid(format.sel->get_index(i))) continue;
    return Fail(ErrorCode::kConstraint, "DELTA_VOID_COLUMN_HAS_VALUE",
                "column " + name +
                    " has no type and can hold nothing but NULL; nothing was "
                    "written: leave it out, or give it a type");
  }
  return {};
}

}  // namespace

Status CheckNotNull(const protocol::Schema& schema, duckdb::DataChunk& rows) {
  std::vector<idx_t> all;
  for (std::size_t i = 0; i < schema.fields.size(); ++i) {
    const Field& field = schema.fields[i];
    if (field.type.kind == TypeKind::kVoid) {
      BAYOU_TRY(CheckVoid(rows.data[i], rows.size(), field.name));
    }
    if (field.nullable && !HasRules(field.type)) continue;
    if (all.empty()) {
      for (idx_t row = 0; row < rows.size(); ++row) all.push_back(row);
    }
    BAYOU_TRY(Checker().Check(rows.data[i], rows.size(), all, field.type,
                              field.nullable, field.name, "be null"));
  }
  return {};
}

}  // namespace bayou::write
