// SPDX-License-Identifier: Apache-2.0
//
// What a CREATE TABLE says beside its columns. DuckDB's WITH (...) carries it
// from the dialect to the catalog, in options that keep the letters' case:
//   bayou_properties       JSON object: TBLPROPERTIES
//   bayou_column_comments  JSON object: column to comment
//   bayou_comment          the table's comment
//   bayou_location         LOCATION
//   bayou_column_types     JSON object: column to the protocol's type, as JSON
//   bayou_lengths          JSON object: column to varchar(n) or char(n)
//   bayou_defaults         JSON object: column to its DEFAULT, as written
//   bayou_generated        JSON object: column to its expression, as written
//   bayou_identities       JSON object: column to IDENTITY's words
//   bayou_checks           JSON object: constraint to its condition, as written
//   bayou_cluster_by       CLUSTER BY (...), as written
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
  std::map<std::string, std::string> column_types;
  std::map<std::string, std::string> lengths;
  std::map<std::string, std::string> defaults;
  std::map<std::string, std::string> generated;
  std::map<std::string, std::string> identities;
  std::map<std::string, std::string> checks;
  std::optional<std::string> cluster_by;
  std::optional<std::string> comment;
  std::optional<std::string> location;

  bool empty() const;
};

// The options as they stand inside of WITH (...), separated by commas.
std::string ToWithClause(const TableOptions& options);

// Reads them back from a bound CREATE TABLE.
// Errors: kInvalidArgument for a value that is no constant.
Result<TableOptions> FromCreateTable(const duckdb::CreateTableInfo& info);

}  // namespace bayou::sql
