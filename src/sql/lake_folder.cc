// SPDX-License-Identifier: Apache-2.0
#include "sql/lake_folder.h"

#include <algorithm>
#include <duckdb.hpp>
#include <duckdb/common/types/blob.hpp>
#include <filesystem>

#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"
#include "kernel/store/location.h"
#include "kernel/table/snapshot.h"
#include "sql/token.h"

namespace bayou::sql {
namespace {

namespace fs = std::filesystem;

// A folder with more entries than this is no lake; looking on would only take
// long.
constexpr std::size_t kMostEntries = 100'000;

// DuckDB can show no name that is not UTF-8.
bool IsFolderName(std::string_view name) {
  return !name.empty() && name.front() != '.' &&
         name.find_first_of(std::string_view("/\0", 2)) ==
             std::string_view::npos &&
         duckdb::Value::StringIsValid(name.data(), name.size());
}

// For messages.
std::string Shown(std::string_view name) {
  return duckdb::Value::StringIsValid(name.data(), name.size())
             ? std::string(name)
             : duckdb::Blob::ToString(std::string(name));
}

bool IsFolder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Names starting with `_` are Delta's and Spark's own.
std::vector<std::string> SubFolders(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  std::size_t entries = 0;
  for (fs::directory_iterator
           it(path, fs::directory_options::skip_permission_denied, error),
       end;
       !error && it != end && ++entries <= kMostEntries; it.increment(error)) {
    std::error_code ignored;
    std::string name = it->path().filename().string();
    if (IsFolderName(name) && name.front() != '_' &&
        it->is_directory(ignored)) {
      names.push_back(std::move(name));
    }
  }
  std::ranges::sort(names);
  return names;
}

bool IsTable(const std::string& location) {
  return table::Snapshot::IsTable(location);
}

// The entry of `folder` that `name` means and that `accept` agrees to.
template <typename Accept>
std::optional<std::string> FindName(const std::string& folder,
                                    std::string_view name, Accept accept) {
  if (!IsFolderName(name)) return std::nullopt;
  if (accept(JoinPath(folder, name))) return std::string(name);
  for (std::string& other : SubFolders(folder)) {
    if (EqualIgnoringCase(other, name) && accept(JoinPath(folder, other)))
      return std::move(other);
  }
  return std::nullopt;
}

bool IsMain(std::string_view schema) {
  return EqualIgnoringCase(schema, kMainSchema);
}

bool HoldsTables(const std::string& folder) {
  const std::vector<std::string> names = SubFolders(folder);
  return std::ranges::any_of(names, [&](const std::string& name) {
    return IsTable(JoinPath(folder, name));
  });
}

}  // namespace

std::string LakeFolder::FolderOf(std::string_view schema) const {
  return IsMain(schema) ? path_ : JoinPath(path_, schema);
}

std::optional<std::string> LakeFolder::FindSchema(
    std::string_view schema) const {
  if (IsMain(schema)) return std::string(kMainSchema);
  return FindName(path_, schema, [](const std::string& path) {
    return IsFolder(path) && !IsTable(path);
  });
}

std::optional<std::string> LakeFolder::FindTable(std::string_view schema,
                                                 std::string_view table) const {
  const std::string folder = FolderOf(schema);
  const std::optional<std::string> name = FindName(folder, table, IsTable);
  if (!name) return std::nullopt;
  return JoinPath(folder, *name);
}

Result<std::string> LakeFolder::NewTable(std::string_view schema,
                                         std::string_view table) const {
  for (const std::string_view name : {schema, table}) {
    // A folder with a log is itself a table.
    if (!IsFolderName(name) || EqualIgnoringCase(name, log::kLogFolder)) {
      return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_TABLE_NAME",
                  "\"" + Shown(name) +
                      "\" cannot be the name of a folder in a lake; use a name "
                      "in UTF-8 without / that does not begin with a dot and "
                      "is not _delta_log");
    }
  }
  return JoinPath(FolderOf(schema), table);
}

Status LakeFolder::CreateSchema(std::string_view schema) const {
  BAYOU_TRY(NewTable(kMainSchema, schema));
  std::error_code error;
  fs::create_directory(JoinPath(path_, schema), error);
  if (!error) return {};
  return Fail(ErrorCode::kUnavailable, "DELTA_CANNOT_CREATE_SCHEMA",
              "cannot make the folder " + JoinPath(path_, schema) + ": " +
                  error.message());
}

std::vector<std::string> LakeFolder::Schemas() const {
  std::vector<std::string> schemas;
  for (std::string& name : SubFolders(path_)) {
    const std::string folder = JoinPath(path_, name);
    if (!IsMain(name) && !IsTable(folder) && HoldsTables(folder))
      schemas.push_back(std::move(name));
  }
  return schemas;
}

std::vector<std::string> LakeFolder::Tables(std::string_view schema) const {
  const std::string folder = FolderOf(schema);
  std::vector<std::string> tables = SubFolders(folder);
  std::erase_if(tables, [&](const std::string& name) {
    return !IsTable(JoinPath(folder, name));
  });
  return tables;
}

Place PlaceAt(std::string_view path) {
  const Result<std::string> location = store::ParseLocation(path);
  if (!location) return Place::kNothing;
  if (store::HasRegisteredScheme(*location))
    return IsTable(*location) ? Place::kTable : Place::kNothing;
  std::error_code error;
  const fs::file_status status = fs::status(*location, error);
  if (fs::is_directory(status))
    return IsTable(*location) ? Place::kTable : Place::kFolder;
  return fs::exists(status) ? Place::kFile : Place::kNothing;
}

}  // namespace bayou::sql
