// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/parquet_footer.h"

#include <algorithm>
#include <parquet_reader.hpp>
#include <parquet_statistics.hpp>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/protocol/statistics_columns.h"

namespace bayou::scan {
namespace {

using duckdb::LogicalTypeId;
using duckdb::ParquetColumnSchema;
using duckdb::ParquetExtraTypeInfo;
using duckdb::Value;
using protocol::DataType;
using protocol::TypeKind;

tl::unexpected<Error> Unsupported(const ParquetColumnSchema& stored) {
  return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_TYPE",
              "column " + stored.name + " is stored as " +
                  stored.type.ToString() + ", which Delta has no type for");
}

Result<DataType> ScalarType(const ParquetColumnSchema& stored) {
  // Impala's timestamps are instants, whatever they do not say.
  if (stored.type_info == ParquetExtraTypeInfo::IMPALA_TIMESTAMP)
    return DataType::Of(TypeKind::kTimestamp);
  if (stored.type_info == ParquetExtraTypeInfo::UNIT_NS ||
      stored.type_info == ParquetExtraTypeInfo::FLOAT16 ||
      stored.type.id() == LogicalTypeId::UUID) {
    return Unsupported(stored);
  }
  auto type = engine::FromLogicalType(stored.type);
  if (!type) return Unsupported(stored);
  return type;
}

Result<DataType> TypeOf(const ParquetColumnSchema& stored);

Result<DataType> NestedType(TypeKind kind,
                            const std::vector<const ParquetColumnSchema*>& of) {
  DataType type = DataType::Of(kind);
  for (const ParquetColumnSchema* child : of) {
    BAYOU_ASSIGN(DataType inner, TypeOf(*child));
    if (kind == TypeKind::kStruct) {
      type.fields.push_back(
          {.name = child->name, .type = std::move(inner), .metadata = {}});
    } else {
      type.children.push_back(std::move(inner));
    }
  }
  return type;
}

Result<DataType> TypeOf(const ParquetColumnSchema& stored) {
  const auto& children = stored.children;
  if (children.empty()) return ScalarType(stored);
  switch (stored.type.id()) {
    case LogicalTypeId::STRUCT: {
      std::vector<const ParquetColumnSchema*> fields;
      for (const ParquetColumnSchema& child : children)
        fields.push_back(&child);
      return NestedType(TypeKind::kStruct, fields);
    }
    case LogicalTypeId::LIST:
      if (children.size() != 1) return Unsupported(stored);
      return NestedType(TypeKind::kArray, {&children[0]});
    case LogicalTypeId::MAP: {
      const auto& pair = children.size() == 1 ? children[0].children : children;
      if (pair.size() != 2) return Unsupported(stored);
      return NestedType(TypeKind::kMap, {&pair[0], &pair[1]});
    }
    case LogicalTypeId::VARIANT:
      return DataType::Of(TypeKind::kVariant);
    default:
      return Unsupported(stored);
  }
}

const ParquetColumnSchema* FindLeaf(const ParquetColumnSchema& root,
                                    const protocol::ColumnPath& path) {
  const ParquetColumnSchema* at = &root;
  for (const std::string& name : path) {
    const auto found = std::ranges::find_if(
        at->children, [&](const auto& child) { return child.name == name; });
    if (found == at->children.end()) return nullptr;
    at = &*found;
  }
  return at;
}

// The statistics of one row group, of values in the order of the column's type.
class Bounds {
 public:
  Bounds(const ParquetColumnSchema& stored, const DataType& type)
      : stored_(stored),
        is_text_(type.kind == TypeKind::kString),
        has_bounds_(HasTrustedBounds(stored, type)),
        target_(engine::ToLogicalType(type)) {}

  bool has_bounds() const { return has_bounds_; }

  Value Min(const duckdb_parquet::Statistics& statistics) const {
    return Bound(statistics.__isset.min_value, statistics.min_value);
  }
  Value Max(const duckdb_parquet::Statistics& statistics) const {
    return Bound(statistics.__isset.max_value, statistics.max_value);
  }

 private:
  static bool HasTrustedBounds(const ParquetColumnSchema& stored,
                               const DataType& type) {
    return protocol::HasBounds(type.kind) && type.kind != TypeKind::kFloat &&
           type.kind != TypeKind::kDouble &&
           stored.type_info != ParquetExtraTypeInfo::IMPALA_TIMESTAMP;
  }

  // The older fields `min` and `max` are in an order that nobody knows.
  Value Bound(bool is_set, const std::string& bytes) const {
    if (!is_set) return Value(target_);
    if (is_text_) {
      return Value::StringIsValid(bytes) ? Value(bytes) : Value(target_);
    }
    Value value = duckdb::ParquetStatisticsUtils::ConvertValue(stored_.type,
                                                               stored_, bytes);
    std::string ignored;
    Value converted;
    if (value.IsNull() || !value.DefaultTryCastAs(target_, converted, &ignored))
      return Value(target_);
    return converted;
  }

  const ParquetColumnSchema& stored_;
  bool is_text_;
  bool has_bounds_;
  duckdb::LogicalType target_;
};

}  // namespace

Result<ParquetFooter> ParquetFooter::Read(duckdb::ClientContext& context,
                                          const std::string& place) {
  ParquetFooter footer;
  const Status opened = engine::Guard([&] {
    footer.reader_ = std::make_shared<duckdb::ParquetReader>(
        context, duckdb::OpenFileInfo(place), duckdb::ParquetOptions(context));
  });
  if (!opened && opened.error().code == ErrorCode::kResourceExhausted)
    return tl::unexpected<Error>(opened.error());
  if (!opened) {
    return Fail(ErrorCode::kCorruption, "DELTA_PARQUET_INVALID",
                place + " is no Parquet file: " + opened.error().message);
  }
  footer.rows_ = static_cast<std::int64_t>(footer.reader_->NumRows());
  for (const ParquetColumnSchema& column :
       footer.reader_->root_schema->children) {
    auto type = TypeOf(column);
    if (!type) {
      Error error = std::move(type).error();
      error.message = place + ": " + error.message;
      return tl::unexpected<Error>(std::move(error));
    }
    footer.schema_.fields.push_back(
        {.name = column.name, .type = *std::move(type), .metadata = {}});
  }
  return footer;
}

const duckdb_parquet::FileMetaData& ParquetFooter::metadata() const {
  return *reader_->GetFileMetadata();
}

std::int64_t ParquetFooter::offset() const {
  constexpr std::int64_t kLengthAndMagic = 8;
  return static_cast<std::int64_t>(reader_->GetFileSize()) -
         static_cast<std::int64_t>(reader_->metadata->footer_size) -
         kLengthAndMagic;
}

ColumnSummary ParquetFooter::Summarize(const protocol::ColumnPath& path,
                                       const DataType& type) const {
  const duckdb::LogicalType target = engine::ToLogicalType(type);
  ColumnSummary summary{0, Value(target), Value(target)};
  const ParquetColumnSchema* leaf = FindLeaf(*reader_->root_schema, path);
  if (leaf == nullptr) {
    summary.null_count = rows_;
    return summary;
  }
  // Of an array, its elements are counted, and not itself.
  if (!leaf->children.empty())
    return {std::nullopt, Value(target), Value(target)};
  const Bounds bounds(*leaf, type);
  bool has_bounds = bounds.has_bounds();
  for (const auto& group : reader_->GetFileMetadata()->row_groups) {
    const auto& column = group.columns.at(leaf->column_index).meta_data;
    const auto& statistics = column.statistics;
    const bool has_nulls =
        column.__isset.statistics && statistics.__isset.null_count;
    if (!has_nulls) summary.null_count.reset();
    if (summary.null_count) *summary.null_count += statistics.null_count;
    if (!has_bounds ||
        (has_nulls && statistics.null_count == column.num_values))
      continue;
    const Value min = bounds.Min(statistics);
    const Value max = bounds.Max(statistics);
    has_bounds = column.__isset.statistics && !min.IsNull() && !max.IsNull();
    if (!has_bounds) continue;
    if (summary.min.IsNull() || min < summary.min) summary.min = min;
    if (summary.max.IsNull() || max > summary.max) summary.max = max;
  }
  if (!has_bounds) summary.min = summary.max = Value(target);
  return summary;
}

}  // namespace bayou::scan
