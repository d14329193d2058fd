// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/convert_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/uri_path.h"
#include "kernel/engine/types.h"
#include "kernel/log/log_file_name.h"
#include "kernel/protocol/letter_case.h"

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::Field;
using protocol::TypeKind;
using store::ObjectMeta;

constexpr std::string_view kNullPartition = "__HIVE_DEFAULT_PARTITION__";

tl::unexpected<Error> PartitionMismatch(const std::string& message) {
  return Fail(ErrorCode::kInvalidArgument, "DELTA_CONVERT_PARTITION_MISMATCH",
              message + "; nothing was converted");
}

// ---------------------------------------------------------------------- files

bool IsHidden(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const bool is_partition =
      name.starts_with('_') && name.find('=') != std::string_view::npos;
  return (name.starts_with('_') || name.starts_with('.')) && !is_partition;
}

Result<bool> IsParquet(store::Store& store, const ObjectMeta& file) {
  constexpr std::string_view kMagic = "PAR1";
  if (file.name.ends_with(".parquet")) return true;
  constexpr auto kSize = static_cast<std::int64_t>(kMagic.size());
  if (file.size < kSize) return false;
  BAYOU_ASSIGN(const std::string start, store.ReadRange(file.name, 0, kSize));
  return start == kMagic;
}

// The folders above a file, as columns and values. What has no `=` is a folder
// like any other.
FoundFile Found(ObjectMeta file) {
  FoundFile found;
  std::string_view rest = file.name;
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos;
       slash = rest.find('/')) {
    const std::string_view folder = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
    const std::size_t equals = folder.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    std::optional<std::string> value = PercentDecode(folder.substr(equals + 1));
    if (value->empty() || *value == kNullPartition) value.reset();
    found.partition.emplace_back(PercentDecode(folder.substr(0, equals)),
                                 std::move(value));
  }
  found.file = std::move(file);
  return found;
}

// ----------------------------------------------------------- partition columns

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

std::vector<std::string> NamesOf(const FoundFile& file) {
  std::vector<std::string> names;
  for (const auto& [name, value] : file.partition) names.push_back(name);
  return names;
}

// Whether the value comes out of the type as it went in.
bool IsCanonical(const std::string& text, TypeKind kind) {
  const DataType type = DataType::Of(kind);
  const auto value = engine::ParsePartitionValue(text, type);
  if (!value || value->IsNull()) return false;
  const auto back = engine::FormatPartitionValue(*value, type);
  return back && *back == text;
}

// As a number reads that was not written by one: 01, +1, 1e3.
bool LooksLikeANumber(const std::string& text) {
  const auto value =
      engine::ParsePartitionValue(text, DataType::Of(TypeKind::kDouble));
  return value && !value->IsNull();
}

Result<DataType> InferType(const std::vector<FoundFile>& files,
                           std::size_t position, const std::string& name) {
  const auto all = [&](const auto& test) {
    return std::ranges::all_of(files, [&](const FoundFile& file) {
      const auto& value = file.partition[position].second;
      return !value || test(*value);
    });
  };
  for (const TypeKind kind :
       {TypeKind::kInteger, TypeKind::kLong, TypeKind::kDate}) {
    if (all([kind](const std::string& text) {
          return IsCanonical(text, kind);
        }))
      return DataType::Of(kind);
  }
  if (all(LooksLikeANumber)) {
    return PartitionMismatch(fmt::format(
        "the values of column {} look like numbers, but not all as numbers are "
        "written; say which type it has: PARTITIONED BY ({} STRING)",
        name, name));
  }
  return DataType::Of(TypeKind::kString);
}

Status CheckFolders(const std::vector<FoundFile>& files,
                    const std::vector<std::string>& names) {
  for (const FoundFile& file : files) {
    const auto found = NamesOf(file);
    const bool same = std::ranges::equal(
        found, names, [](const std::string& a, const std::string& b) {
          return protocol::EqualIgnoringCase(a, b);
        });
    if (same) continue;
    return PartitionMismatch(
        fmt::format("file {} lies in folders of the partition columns {}, but "
                    "those of the table are {}",
                    file.file.name, Listed(found), Listed(names)));
  }
  return {};
}

Status CheckValues(const std::vector<FoundFile>& files,
                   const std::vector<Field>& columns) {
  for (const FoundFile& file : files) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto& value = file.partition[i].second;
      if (engine::ParsePartitionValue(value, columns[i].type)) continue;
      return PartitionMismatch(fmt::format(
          "the value '{}' of partition column {} in the name of {} is no {}",
          value.value_or(""), columns[i].name, file.file.name,
          protocol::TypeName(columns[i].type)));
    }
  }
  return {};
}

// -------------------------------------------------------------------- schemas

Status SchemaMismatch(const std::string& file, const std::string& column,
                      const std::string& what) {
  return Fail(ErrorCode::kInvalidArgument, "DELTA_CONVERT_SCHEMA_MISMATCH",
              fmt::format("column {} of file {} {}; nothing was converted",
                          column, file, what));
}

Status MergeFields(const std::vector<Field>& more, const std::string& file,
                   const std::string& path, std::vector<Field>& fields);

Status MergeType(const DataType& more, const std::string& file,
                 const std::string& path, DataType& type) {
  if (more.kind == TypeKind::kStruct && type.kind == TypeKind::kStruct)
    return MergeFields(more.fields, file, path + ".", type.fields);
  const bool nested = more.kind == type.kind && more.IsNested();
  if (!nested && more == type) return {};
  if (!nested || more.children.size() != type.children.size()) {
    return SchemaMismatch(
        file, path,
        fmt::format("is of type {}, and of type {} in files before it",
                    protocol::TypeName(more), protocol::TypeName(type)));
  }
  for (std::size_t i = 0; i < more.children.size(); ++i)
    BAYOU_TRY(MergeType(more.children[i], file, path, type.children[i]));
  return {};
}

Status MergeFields(const std::vector<Field>& more, const std::string& file,
                   const std::string& path, std::vector<Field>& fields) {
  for (const Field& field : more) {
    const auto found = std::ranges::find_if(fields, [&](const Field& known) {
      return protocol::EqualIgnoringCase(known.name, field.name);
    });
    if (found == fields.end()) {
      fields.push_back(field);
    } else if (found->name != field.name) {
      return SchemaMismatch(file, path + field.name,
                            "is called " + found->name +
                                " in files before it, and names of columns "
                                "that differ in letters' case are one");
    } else {
      BAYOU_TRY(MergeType(field.type, file, path + field.name, found->type));
    }
  }
  return {};
}

// The folder whose log `folder` is, if it is the log of one further down.
std::optional<std::string> TableOfLog(std::string_view folder) {
  const std::size_t slash = folder.rfind('/');
  if (slash == std::string_view::npos ||
      folder.substr(slash + 1) != log::kLogFolder)
    return std::nullopt;
  return std::string(folder.substr(0, slash));
}

tl::unexpected<Error> ContainsTable(const std::string& location,
                                    const std::string& table) {
  return Fail(ErrorCode::kInvalidArgument, "DELTA_CONVERT_CONTAINS_TABLE",
              "nothing was converted: " + table + " in " + location +
                  " is a Delta table already, whose files also hold rows that "
                  "were deleted; convert the folders beside it one by one, or "
                  "move it away");
}

}  // namespace

Result<FoundFiles> FindParquetFiles(store::Store& store) {
  FoundFiles found;
  std::optional<std::string> table;
  const store::Store::TreeVisitor visitor{
      .enter =
          [&](const ObjectMeta& folder) {
            if (const auto inner = TableOfLog(folder.name)) table = inner;
            return !IsHidden(folder.name);
          },
      .file = [&](const ObjectMeta& file) -> Status {
        if (IsHidden(file.name)) return {};
        BAYOU_ASSIGN(const bool is_parquet, IsParquet(store, file));
        if (is_parquet) {
          found.files.push_back(Found(file));
        } else {
          found.ignored.push_back(file.name);
        }
        return {};
      }};
  BAYOU_TRY(store.ListTree("", visitor));
  if (table) return ContainsTable(store.location(), *table);
  if (found.files.empty()) {
    return Fail(ErrorCode::kNotFound, "DELTA_TABLE_NOT_FOUND",
                store.location() + " holds no Parquet file to convert");
  }
  std::ranges::sort(found.files, {},
                    [](const FoundFile& file) { return file.file.name; });
  return found;
}

Result<std::vector<Field>> PartitionColumnsOf(
    const ConvertRequest& request, const std::vector<FoundFile>& files) {
  std::vector<Field> columns;
  if (request.partition_columns) {
    columns = *request.partition_columns;
  } else {
    for (const std::string& name : NamesOf(files.front()))
      columns.push_back({.name = name, .type = {}, .metadata = {}});
  }
  std::vector<std::string> names;
  for (const Field& column : columns) names.push_back(column.name);
  BAYOU_TRY(CheckFolders(files, names));
  if (!request.partition_columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      BAYOU_ASSIGN(columns[i].type, InferType(files, i, columns[i].name));
    }
  }
  BAYOU_TRY(CheckValues(files, columns));
  return columns;
}

Status MergeSchema(const protocol::Schema& more, const std::string& file,
                   protocol::Schema& schema) {
  return MergeFields(more.fields, file, "", schema.fields);
}

}  // namespace bayou::commands
