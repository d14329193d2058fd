// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/hidden_columns.h"

#include <duckdb/execution/expression_executor_state.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <string>
#include <utility>

#include "base/uri_path.h"
#include "kernel/protocol/table_features.h"
#include "kernel/scan/data_file_place.h"

namespace bayou::scan {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

struct Description {
  HiddenColumn column;
  const char* name;
  duckdb::LogicalTypeId type;
};

// The order gives the columns their ids.
constexpr std::array<Description, kHiddenColumns> kColumns = {{
    {HiddenColumn::kFilePath, "_metadata.file_path",
     duckdb::LogicalTypeId::VARCHAR},
    {HiddenColumn::kFileName, "_metadata.file_name",
     duckdb::LogicalTypeId::VARCHAR},
    {HiddenColumn::kFileSize, "_metadata.file_size",
     duckdb::LogicalTypeId::BIGINT},
    {HiddenColumn::kFileModificationTime, "_metadata.file_modification_time",
     duckdb::LogicalTypeId::TIMESTAMP_TZ},
    {HiddenColumn::kRowIndex, "_metadata.row_index",
     duckdb::LogicalTypeId::BIGINT},
    {HiddenColumn::kFileNumber, "_metadata.file_number",
     duckdb::LogicalTypeId::BIGINT},
    {HiddenColumn::kRowId, "_metadata.row_id", duckdb::LogicalTypeId::BIGINT},
    {HiddenColumn::kRowCommitVersion, "_metadata.row_commit_version",
     duckdb::LogicalTypeId::BIGINT},
}};

// Clear of DuckDB's own virtual columns, which begin at the start of the range.
constexpr duckdb::column_t kFirstId = UINT64_C(9223372036854776832);

struct BaseData : public duckdb::FunctionData {
  BaseData(std::int64_t first, bool has_materialized, bool has_row_index)
      : base(first), materialized(has_materialized), row_index(has_row_index) {}
  duckdb::unique_ptr<FunctionData> Copy() const override {
    return duckdb::make_uniq<BaseData>(base, materialized, row_index);
  }
  bool Equals(const FunctionData& other) const override {
    const auto& that = other.Cast<BaseData>();
    return base == that.base && materialized == that.materialized &&
           row_index == that.row_index;
  }
  std::int64_t base;
  bool materialized;
  bool row_index;
};

void TrackRows(duckdb::DataChunk& input, duckdb::ExpressionState& state,
               duckdb::Vector& result) {
  const auto& data = state.expr.Cast<duckdb::BoundFunctionExpression>()
                         .bind_info->Cast<BaseData>();
  const duckdb::idx_t count = input.size();
  duckdb::UnifiedVectorFormat stored;
  duckdb::UnifiedVectorFormat index;
  if (data.materialized) input.data.front().ToUnifiedFormat(count, stored);
  if (data.row_index) input.data.back().ToUnifiedFormat(count, index);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* values = duckdb::FlatVector::GetData<std::int64_t>(result);
  for (duckdb::idx_t i = 0; i < count; ++i) {
    if (data.materialized) {
      const auto at = stored.sel->get_index(i);
      if (stored.validity.RowIsValid(at)) {
        values[i] =
            duckdb::UnifiedVectorFormat::GetData<std::int64_t>(stored)[at];
        continue;
      }
    }
    values[i] = data.base;
    if (data.row_index) {
      values[i] += duckdb::UnifiedVectorFormat::GetData<std::int64_t>(
          index)[index.sel->get_index(i)];
    }
  }
}

std::string FileNameOf(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

duckdb::column_t HiddenColumnId(HiddenColumn column) {
  return kFirstId + static_cast<duckdb::column_t>(column);
}

std::optional<HiddenColumn> HiddenColumnOf(duckdb::column_t id) {
  if (id < kFirstId || id >= kFirstId + kHiddenColumns) return std::nullopt;
  return static_cast<HiddenColumn>(id - kFirstId);
}

LogicalType HiddenColumnType(HiddenColumn column) {
  return LogicalType(kColumns[static_cast<std::size_t>(column)].type);
}

std::string HiddenColumnName(HiddenColumn column) {
  return kColumns[static_cast<std::size_t>(column)].name;
}

duckdb::virtual_column_map_t HiddenColumns(const table::Snapshot& snapshot) {
  const bool tracks_rows =
      protocol::Supports(snapshot.protocol(), "rowTracking");
  duckdb::virtual_column_map_t columns;
  for (const Description& description : kColumns) {
    if (description.column >= HiddenColumn::kRowId && !tracks_rows) continue;
    columns.emplace(
        HiddenColumnId(description.column),
        duckdb::TableColumn(description.name, LogicalType(description.type)));
  }
  return columns;
}

Result<std::optional<Value>> HiddenConstant(const ScannedTable& table,
                                            const FileIdentity& file,
                                            HiddenColumn column) {
  switch (column) {
    case HiddenColumn::kFilePath: {
      BAYOU_ASSIGN(const std::string place, PlaceOfFile(table, file.path));
      return Value(UriOfPlace(place));
    }
    case HiddenColumn::kFileName:
      return Value(FileNameOf(CanonicalPath(file.path)));
    case HiddenColumn::kFileSize:
      return Value::BIGINT(file.size);
    case HiddenColumn::kFileModificationTime:
      return Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(
          duckdb::Timestamp::FromEpochMs(file.modification_time).value));
    default:
      return std::nullopt;
  }
}

duckdb::unique_ptr<duckdb::Expression> RowTrackingExpression(
    duckdb::unique_ptr<duckdb::Expression> materialized, std::int64_t base,
    duckdb::unique_ptr<duckdb::Expression> row_index) {
  auto data = duckdb::make_uniq<BaseData>(base, materialized != nullptr,
                                          row_index != nullptr);
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
  duckdb::vector<LogicalType> types;
  for (auto* part : {&materialized, &row_index}) {
    if (!*part) continue;
    types.push_back(LogicalType::BIGINT);
    arguments.push_back(std::move(*part));
  }
  duckdb::ScalarFunction function("row_tracking", types, LogicalType::BIGINT,
                                  TrackRows);
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  return duckdb::make_uniq<duckdb::BoundFunctionExpression>(
      LogicalType::BIGINT, std::move(function), std::move(arguments),
      std::move(data));
}

}  // namespace bayou::scan
