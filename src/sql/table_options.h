// SPDX-License-Identifier: Apache-2.0
//
// What a CREATE TABLE says beside its columns. DuckDB's WITH (...) carries it
// from the dialect to the catalog, in options that keep the letters' case:
//   bayou_properties       JSON object: TBLPROPERTIES
//   bayou_column_comments  JSON object: column to comment
//   bayou_comment          the table's comment
//   bayou_location         LOCATION
// Any other option is a table property whose name DuckDB has put in lower case.
#pragma once

#include <duckdb.hpp>
#include <map>
#include <optional>
#include <string>

#include "bayou/result.h"

namespace bayou::sql {

struct TableOptions {
  std::map<std::string, std::string> properties;
  std::map<std::string, std::string> column_comments;
  std::optional<std::string> comment;
  std::optional<std::string> location;

  bool empty() const {
    return properties.empty() && column_comments.empty() && !comment &&
           !location;
  }
};

// The options as they stand inside of WITH (...), separated by commas.
std::string ToWithClause(const TableOptions& options);

// Reads them back from a bound CREATE TABLE.
// Errors: kInvalidArgument for a value that is no constant.
Result<TableOptions> FromCreateTable(const duckdb::CreateTableInfo& info);

}  // namespace bayou::sql
