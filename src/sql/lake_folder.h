// SPDX-License-Identifier: Apache-2.0
//
// A lake is a folder of tables: `<table>` is in schema main, `<schema>/<table>`
// in another, and a table is a folder with a `_delta_log`. Nothing is
// remembered between calls, so that what other programs make is seen at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "sql/dialect.h"

namespace bayou::sql {

inline constexpr std::string_view kMainSchema = "main";

class LakeFolder {
 public:
  // `path` is absolute.
  explicit LakeFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  // Whether the schema's folder is there (main always is), and its exact name:
  // names match without regard to letters' case, an exact match first.
  std::optional<std::string> FindSchema(std::string_view schema) const;

  // The folder of the table, or nullopt. Names match as above.
  std::optional<std::string> FindTable(std::string_view schema,
                                       std::string_view table) const;

  // Where a new table of this name goes.
  // Errors: kInvalidArgument, condition DELTA_INVALID_TABLE_NAME, for names
  // that are no single folder: empty, `.`, `..`, with `/` or NUL, or hidden
  // ones.
  Result<std::string> NewTable(std::string_view schema,
                               std::string_view table) const;

  // Makes the folder of a schema. Errors: as above; kUnavailable.
  Status CreateSchema(std::string_view schema) const;

  // In byte order. Folders that cannot be read count as empty.
  std::vector<std::string> Schemas() const;
  std::vector<std::string> Tables(std::string_view schema) const;

 private:
  std::string FolderOf(std::string_view schema) const;

  std::string path_;
};

// What is at a path as a user types it (see store::ParseLocation).
Place PlaceAt(std::string_view path);

}  // namespace bayou::sql
