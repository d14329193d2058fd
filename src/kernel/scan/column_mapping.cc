// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/column_mapping.h"

#include <algorithm>
#include <duckdb/common/string_util.hpp>
#include <parquet_reader.hpp>
#include <string>
#include <utility>

namespace bayou::scan {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::MultiFileColumnDefinition;
using duckdb::ParquetColumnSchema;
using duckdb::ParquetColumnSchemaType;
using protocol::ColumnMappingMode;
using protocol::DataType;
using protocol::TypeKind;

bool IsTimestamp(LogicalTypeId id) {
  return id == LogicalTypeId::TIMESTAMP || id == LogicalTypeId::TIMESTAMP_TZ ||
         id == LogicalTypeId::TIMESTAMP_NS;
}

bool IsBytes(const ParquetColumnSchema& stored) {
  const LogicalTypeId id = stored.type.id();
  return id == LogicalTypeId::VARCHAR || id == LogicalTypeId::BLOB;
}

// Whether a cast from `from` to `to` keeps every value, or is what the protocol
// lists under "Type Widening", or narrows what Parquet had no name for.
bool MayCast(const LogicalType& from, const LogicalType& to) {
  if (from.id() == LogicalTypeId::SQLNULL) return true;
  if (from.IsIntegral()) {
    return to.IsIntegral() || to.id() == LogicalTypeId::DECIMAL ||
           to.id() == LogicalTypeId::DOUBLE;
  }
  switch (from.id()) {
    case LogicalTypeId::FLOAT:
      return to.id() == LogicalTypeId::DOUBLE;
    case LogicalTypeId::DECIMAL:
      return to.id() == LogicalTypeId::DECIMAL;
    case LogicalTypeId::DATE:
      return to.id() == LogicalTypeId::TIMESTAMP;
    case LogicalTypeId::UUID:
      return to.id() == LogicalTypeId::VARCHAR;
    default:
      return false;
  }
}

// Resolves one column and what it holds. `column` is the column as the file has
// it and is only read; `stored` is the reader's schema of it and is changed.
class Resolver {
 public:
  explicit Resolver(ColumnMappingMode mode) : mode_(mode) {}

  Result<Conversion> Resolve(const MultiFileColumnDefinition& column,
                             ParquetColumnSchema& stored, const DataType& type,
                             const LogicalType& target) {
    Conversion conversion;
    conversion.to = target;
    switch (type.kind) {
      case TypeKind::kStruct:
        BAYOU_TRY(ResolveStruct(column, stored, type, conversion));
        break;
      case TypeKind::kArray:
        BAYOU_TRY(ResolveList(column, stored, type, conversion));
        break;
      case TypeKind::kMap:
        BAYOU_TRY(ResolveMap(column, stored, type, conversion));
        break;
      case TypeKind::kVoid:
        conversion.kind = Conversion::Kind::kNull;
        break;
      case TypeKind::kVariant:
        BAYOU_TRY(ResolveVariant(stored));
        break;
      default:
        BAYOU_TRY(ResolveScalar(stored, conversion));
    }
    return conversion;
  }

 private:
  static Status Mismatch(const ParquetColumnSchema& stored,
                         const LogicalType& target) {
    return Fail(ErrorCode::kCorruption, "DELTA_FILE_SCHEMA_MISMATCH",
                "column " + stored.name + " is stored as " +
                    stored.type.ToString() + " and cannot be read as " +
                    target.ToString());
  }

  static Status ResolveScalar(ParquetColumnSchema& stored,
                              Conversion& conversion) {
    const LogicalType& target = conversion.to;
    if (stored.schema_type == ParquetColumnSchemaType::GEOMETRY &&
        target.id() == LogicalTypeId::BLOB) {
      ParquetColumnSchema bytes = std::move(stored.children[0]);
      stored = std::move(bytes);
    }
    const bool same_bytes =
        (IsTimestamp(stored.type.id()) && IsTimestamp(target.id())) ||
        (IsBytes(stored) && (target.id() == LogicalTypeId::VARCHAR ||
                             target.id() == LogicalTypeId::BLOB));
    if (same_bytes) stored.type = target;
    if (stored.type == target) return {};
    if (!stored.children.empty() || !MayCast(stored.type, target)) {
      return Mismatch(stored, target);
    }
    conversion.kind = Conversion::Kind::kCast;
    return {};
  }

  // Writers of Delta often leave out Parquet's annotation of variants.
  static Status ResolveVariant(ParquetColumnSchema& stored) {
    if (stored.schema_type == ParquetColumnSchemaType::VARIANT) return {};
    auto& parts = stored.children;
    const auto order = [](const ParquetColumnSchema& part) {
      return part.name == "metadata" ? 0 : part.name == "value" ? 1 : 2;
    };
    std::sort(parts.begin(), parts.end(), [&](const auto& a, const auto& b) {
      return order(a) < order(b);
    });
    if (parts.size() < 2 || parts.size() > 3 || parts[0].name != "metadata" ||
        parts[1].name != "value" ||
        (parts.size() == 3 && parts[2].name != "typed_value")) {
      return Mismatch(stored, LogicalType::VARIANT());
    }
    parts[0].type = LogicalType::BLOB;
    parts[1].type = LogicalType::BLOB;
    stored.schema_type = ParquetColumnSchemaType::VARIANT;
    stored.type = LogicalType::VARIANT();
    return {};
  }

  Status ResolveStruct(const MultiFileColumnDefinition& column,
                       ParquetColumnSchema& stored, const DataType& type,
                       Conversion& conversion) {
    if (stored.type.id() != LogicalTypeId::STRUCT) {
      return ResolveLoneField(column, stored, type, conversion);
    }
    auto types = duckdb::StructType::GetChildTypes(stored.type);
    const auto& targets = duckdb::StructType::GetChildTypes(conversion.to);
    bool same = types.size() == type.fields.size();
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      const auto found = FindColumn(column.children, type.fields[i], mode_);
      conversion.sources.push_back(found);
      same = same && found == i;
      if (!found) {
        conversion.children.push_back(
            {Conversion::Kind::kNull, targets[i].second, {}, {}});
        continue;
      }
      auto& child = stored.children[*found];
      BAYOU_ASSIGN(Conversion plan,
                   Resolve(column.children[*found], child, type.fields[i].type,
                           targets[i].second));
      same = same && plan.kind == Conversion::Kind::kSame;
      types[*found] = {targets[i].first, child.type};
      conversion.children.push_back(std::move(plan));
    }
    // Fields in place but for their names are renamed for free.
    stored.type = same ? conversion.to : LogicalType::STRUCT(Distinct(types));
    conversion.kind =
        same ? Conversion::Kind::kSame : Conversion::Kind::kStruct;
    return {};
  }

  // Stored fields take the names that the table has for them; the others must
  // not collide with those.
  static duckdb::child_list_t<LogicalType> Distinct(
      duckdb::child_list_t<LogicalType> types) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      types[i].first += '#' + std::to_string(i);
    }
    return types;
  }

  // DuckDB's reader drops a repeated group around a single field, which the
  // oldest writers meant as a list of structs. Parquet: "Lists",
  // backward-compatibility rules.
  Status ResolveLoneField(const MultiFileColumnDefinition& column,
                          ParquetColumnSchema& stored, const DataType& type,
                          Conversion& conversion) {
    if (type.fields.size() != 1) return Mismatch(stored, conversion.to);
    BAYOU_ASSIGN(Conversion plan,
                 Resolve(column, stored, type.fields[0].type,
                         duckdb::StructType::GetChildType(conversion.to, 0)));
    conversion.kind = Conversion::Kind::kToStruct;
    conversion.children.push_back(std::move(plan));
    return {};
  }

  Status ResolveList(const MultiFileColumnDefinition& column,
                     ParquetColumnSchema& stored, const DataType& type,
                     Conversion& conversion) {
    if (stored.type.id() != LogicalTypeId::LIST) {
      return Mismatch(stored, conversion.to);
    }
    auto& element = stored.children[0];
    BAYOU_ASSIGN(Conversion plan,
                 Resolve(column.children[0], element, type.children[0],
                         duckdb::ListType::GetChildType(conversion.to)));
    stored.type = LogicalType::LIST(element.type);
    Enclose(std::move(plan), stored, conversion);
    return {};
  }

  Status ResolveMap(const MultiFileColumnDefinition& column,
                    ParquetColumnSchema& stored, const DataType& type,
                    Conversion& conversion) {
    if (stored.type.id() != LogicalTypeId::MAP) {
      return Mismatch(stored, conversion.to);
    }
    auto& entry = stored.children[0];
    const auto& parts = column.children[0].children;
    BAYOU_ASSIGN(Conversion key,
                 Resolve(parts[0], entry.children[0], type.children[0],
                         duckdb::MapType::KeyType(conversion.to)));
    BAYOU_ASSIGN(Conversion value,
                 Resolve(parts[1], entry.children[1], type.children[1],
                         duckdb::MapType::ValueType(conversion.to)));
    stored.type =
        LogicalType::MAP(entry.children[0].type, entry.children[1].type);
    entry.type = duckdb::ListType::GetChildType(stored.type);

    Conversion pair;
    pair.to = duckdb::ListType::GetChildType(conversion.to);
    if (key.kind != Conversion::Kind::kSame ||
        value.kind != Conversion::Kind::kSame) {
      pair.kind = Conversion::Kind::kStruct;
      pair.sources = {0, 1};
      pair.children.push_back(std::move(key));
      pair.children.push_back(std::move(value));
    }
    Enclose(std::move(pair), stored, conversion);
    return {};
  }

  static void Enclose(Conversion element, ParquetColumnSchema& stored,
                      Conversion& conversion) {
    if (element.kind == Conversion::Kind::kSame) {
      stored.type = conversion.to;
      return;
    }
    conversion.kind = Conversion::Kind::kList;
    conversion.children.push_back(std::move(element));
  }

  const ColumnMappingMode mode_;
};

std::optional<idx_t> FindName(const Columns& columns, const std::string& name) {
  for (idx_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return i;
  }
  for (idx_t i = 0; i < columns.size(); ++i) {
    if (duckdb::StringUtil::CIEquals(columns[i].name, name)) return i;
  }
  return std::nullopt;
}

std::optional<idx_t> FindFieldId(const Columns& columns, std::int32_t id) {
  for (idx_t i = 0; i < columns.size(); ++i) {
    const duckdb::Value& stored = columns[i].identifier;
    if (stored.type().id() == LogicalTypeId::INTEGER && !stored.IsNull() &&
        stored.GetValue<std::int32_t>() == id) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<idx_t> FindColumn(const Columns& columns,
                                const protocol::Field& field,
                                ColumnMappingMode mode) {
  switch (mode) {
    case ColumnMappingMode::kNone:
      return FindName(columns, field.name);
    case ColumnMappingMode::kName:
      return FindName(columns, field.physical_name());
    case ColumnMappingMode::kId:
      if (const auto id = field.field_id()) return FindFieldId(columns, *id);
      return std::nullopt;
  }
  return std::nullopt;
}

Result<Conversion> ResolveColumn(duckdb::ParquetReader& reader, idx_t stored,
                                 const DataType& type,
                                 const LogicalType& target,
                                 ColumnMappingMode mode) {
  auto& column = reader.columns[stored];
  auto& schema = reader.root_schema->children[stored];
  auto conversion = Resolver(mode).Resolve(column, schema, type, target);
  column.type = schema.type;
  return conversion;
}

duckdb::ColumnIndex ResolveProjection(idx_t stored,
                                      const duckdb::ColumnIndex& wanted,
                                      const Conversion& conversion,
                                      const LogicalType& target) {
  duckdb::vector<duckdb::ColumnIndex> fields;
  if (target.id() == LogicalTypeId::STRUCT &&
      conversion.kind != Conversion::Kind::kToStruct) {
    const bool same = conversion.kind == Conversion::Kind::kSame;
    for (const auto& child : wanted.GetChildIndexes()) {
      const idx_t field = child.GetPrimaryIndex();
      const auto source =
          same ? std::optional(field) : conversion.sources[field];
      // A field that the file lacks: which structs are NULL is still needed,
      // and any stored field tells.
      if (!source) return duckdb::ColumnIndex(stored);
      static const Conversion kAsIs;
      fields.push_back(ResolveProjection(
          *source, child, same ? kAsIs : conversion.children[field],
          duckdb::StructType::GetChildType(target, field)));
    }
  }
  return duckdb::ColumnIndex(stored, std::move(fields));
}

bool HasFieldIds(const Columns& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const auto& column) {
    return !column.identifier.IsNull() || HasFieldIds(column.children);
  });
}

}  // namespace bayou::scan
