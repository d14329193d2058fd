// SPDX-License-Identifier: Apache-2.0
//
// Views of the columns in which queries over a checkpoint give the fields of a
// file, whatever form their vectors have.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/engine/engine.h"
#include "kernel/protocol/actions.h"

namespace bayou::log {

// A column of a chunk, whatever its vector's form.
class Column {
 public:
  Column(duckdb::Vector& vector, duckdb::idx_t count) {
    vector.ToUnifiedFormat(count, format_);
  }

  bool IsNull(duckdb::idx_t row) const {
    return !format_.validity.RowIsValid(format_.sel->get_index(row));
  }
  template <typename T>
  const T& At(duckdb::idx_t row) const {
    return duckdb::UnifiedVectorFormat::GetData<T>(
        format_)[format_.sel->get_index(row)];
  }
  // Empty for NULL.
  std::string_view Text(duckdb::idx_t row) const {
    if (IsNull(row)) return {};
    const auto& text = At<duckdb::string_t>(row);
    return {text.GetData(), text.GetSize()};
  }
  template <typename T>
  std::optional<T> Optional(duckdb::idx_t row) const {
    if (IsNull(row)) return std::nullopt;
    return At<T>(row);
  }

 private:
  duckdb::UnifiedVectorFormat format_;
};

// A MAP(VARCHAR, VARCHAR) column.
class MapColumn {
 public:
  MapColumn(duckdb::Vector& vector, duckdb::idx_t count)
      : lists_(vector, count),
        keys_(duckdb::MapVector::GetKeys(vector),
              duckdb::ListVector::GetListSize(vector)),
        values_(duckdb::MapVector::GetValues(vector),
                duckdb::ListVector::GetListSize(vector)) {}

  // Calls visit(key, value) for each entry; the value of a NULL has no data().
  template <typename Visit>
  void ForEach(duckdb::idx_t row, Visit&& visit) const {
    if (lists_.IsNull(row)) return;
    const auto& list = lists_.At<duckdb::list_entry_t>(row);
    for (duckdb::idx_t i = list.offset; i < list.offset + list.length; ++i) {
      visit(keys_.Text(i),
            values_.IsNull(i) ? std::string_view() : Present(values_.Text(i)));
    }
  }

 private:
  // An empty text that is not NULL.
  static std::string_view Present(std::string_view text) {
    return text.data() == nullptr ? std::string_view("") : text;
  }
  Column lists_;
  Column keys_;
  Column values_;
};

// The deletion vector's columns, as FilesSql gives them. At() throws, as the
// engine's functions do, where the values cannot be a vector's.
struct VectorColumns {
  VectorColumns(duckdb::DataChunk& chunk, duckdb::idx_t first,
                duckdb::idx_t count)
      : type(chunk.data[first], count),
        path(chunk.data[first + 1], count),
        offset(chunk.data[first + 2], count),
        size(chunk.data[first + 3], count),
        cardinality(chunk.data[first + 4], count) {}

  std::optional<protocol::DeletionVectorDescriptor> At(
      duckdb::idx_t row) const {
    const std::string_view text = type.Text(row);
    if (text.empty()) return std::nullopt;
    protocol::DeletionVectorDescriptor descriptor{
        .storage_type = text.front(),
        .path_or_inline_dv = std::string(path.Text(row)),
        .offset = offset.Optional<std::int32_t>(row),
        .size_in_bytes = size.Optional<std::int32_t>(row).value_or(0),
        .cardinality = cardinality.Optional<std::int64_t>(row).value_or(0)};
    if (text.size() != 1 || descriptor.offset.value_or(0) < 0 ||
        descriptor.size_in_bytes < 0 || descriptor.cardinality < 0) {
      engine::Throw({ErrorCode::kCorruption, "DELTA_LOG_INVALID",
                     "the deletion vector " + descriptor.path_or_inline_dv +
                         " has a storage type of more than one character or a "
                         "negative size"});
    }
    return descriptor;
  }

  Column type, path, offset, size, cardinality;
};

}  // namespace bayou::log
