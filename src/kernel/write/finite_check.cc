// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/finite_check.h"

#include <algorithm>
#include <vector>

namespace bayou::write {
namespace {

using duckdb::idx_t;
using duckdb::UnifiedVectorFormat;
using duckdb::Vector;
using protocol::DataType;
using protocol::Field;
using protocol::TypeKind;

bool HasTimes(const DataType& type) {
  switch (type.kind) {
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
      return true;
    default:
      return std::ranges::any_of(type.children, HasTimes) ||
             std::ranges::any_of(type.fields, HasTimes, &Field::type);
  }
}

template <typename T>
bool AreFinite(const UnifiedVectorFormat& format,
               const std::vector<idx_t>& rows) {
  const T* data = UnifiedVectorFormat::GetData<T>(format);
  return std::ranges::all_of(
      rows, [&](idx_t row) { return duckdb::Value::IsFinite(data[row]); });
}

// Whether all is finite in the entries of `values` that `live` names: those
// whose parents are not null.
bool IsFinite(Vector& values, idx_t size, const std::vector<idx_t>& live,
              const DataType& type) {
  if (!HasTimes(type)) return true;
  UnifiedVectorFormat format;
  values.ToUnifiedFormat(size, format);
  std::vector<idx_t> present;  // Entries, and where their data are.
  std::vector<idx_t> places;
  for (const idx_t i : live) {
    const idx_t place = format.sel->get_index(i);
    if (!format.validity.RowIsValid(place)) continue;
    present.push_back(i);
    places.push_back(place);
  }
  switch (type.kind) {
    case TypeKind::kDate:
      return AreFinite<duckdb::date_t>(format, places);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
      return AreFinite<duckdb::timestamp_t>(format, places);
    case TypeKind::kStruct: {
      Vector flat(values);
      flat.Flatten(size);
      auto& fields = duckdb::StructVector::GetEntries(flat);
      for (std::size_t i = 0; i < type.fields.size(); ++i) {
        if (!IsFinite(*fields[i], size, present, type.fields[i].type))
          return false;
      }
      return true;
    }
    default:
      break;
  }
  const auto* lists =
      UnifiedVectorFormat::GetData<duckdb::list_entry_t>(format);
  std::vector<idx_t> elements;
  for (const idx_t place : places) {
    for (idx_t e = 0; e < lists[place].length; ++e)
      elements.push_back(lists[place].offset + e);
  }
  const idx_t count = duckdb::ListVector::GetListSize(values);
  if (type.kind == TypeKind::kArray) {
    return IsFinite(duckdb::ListVector::GetEntry(values), count, elements,
                    type.children[0]);
  }
  return IsFinite(duckdb::MapVector::GetKeys(values), count, elements,
                  type.children[0]) &&
         IsFinite(duckdb::MapVector::GetValues(values), count, elements,
                  type.children[1]);
}

}  // namespace

Status CheckFinite(const protocol::Schema& schema, duckdb::DataChunk& rows) {
  std::vector<idx_t> all;
  for (std::size_t i = 0; i < schema.fields.size(); ++i) {
    const Field& field = schema.fields[i];
    if (!HasTimes(field.type)) continue;
    for (idx_t row = all.size(); row < rows.size(); ++row) all.push_back(row);
    if (IsFinite(rows.data[i], rows.size(), all, field.type)) continue;
    return Fail(ErrorCode::kInvalidArgument, "DELTA_INFINITE_TIME",
                "column " + field.name +
                    " would get an infinite date or time, which Delta tables "
                    "cannot hold; nothing was written: write NULL, or a time "
                    "such as 9999-12-31");
  }
  return {};
}

}  // namespace bayou::write
