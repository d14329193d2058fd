// SPDX-License-Identifier: Apache-2.0
//
// How the rows of a table become its files: decided once for a statement, from
// the table's schema, protocol and properties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <duckdb.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/statistics_columns.h"

namespace bayou::write {

struct FileLayout {
  protocol::Schema schema;
  protocol::Metadata metadata;  // Has the rules of rows: see row_rules.h.

  // Positions in `schema`, in the order of metaData.partitionColumns.
  std::vector<std::size_t> partition_columns;

  // Positions in `schema` of what the files hold: everything but the partition
  // columns (those too where the table materializes them, after the others) and
  // columns of type void.
  std::vector<std::size_t> stored_columns;

  // The stored columns as the files name them: physical names at every level.
  duckdb::vector<std::string> stored_names;
  duckdb::vector<duckdb::LogicalType> stored_types;
  // Whether variants are taken apart; where not, each is whole in its column.
  bool shreds_variants = false;
  // DuckDB's FIELD_IDS under column mapping, NULL otherwise.
  duckdb::Value field_ids;

  std::vector<protocol::StatisticsColumn> statistics;
  std::size_t string_prefix = 32;  // See string_bounds.h.
  bool tight_bounds = false;       // Statistics say so where vectors can come.

  // Of the `add` action of each file.
  std::map<std::string, std::string> tags;

  // What names of files begin with, behind the folder of their partition.
  std::string folder;  // Empty, or with a slash at its end.
  std::string prefix = "part-00000-";

  std::string codec;                  // As in delta.parquet.compression.codec.
  std::int64_t target_file_size = 0;  // Bytes; a file may be somewhat larger.

  // The types that rows have when they are written: all columns of the table.
  duckdb::vector<duckdb::LogicalType> RowTypes() const;
};

// Errors: kInvalidArgument for a property or a partition column that does not
// fit the schema; kUnsupported, condition DELTA_UNSUPPORTED_TYPE, for types
// that Bayou cannot write, naming the column.
Result<std::shared_ptr<const FileLayout>> PlanFileLayout(
    const protocol::Protocol& protocol, const protocol::Metadata& metadata,
    const protocol::Schema& schema);

// A column that files have beside those of the table, without statistics; in
// rows that are written it stands at `position`, behind the table's columns.
struct ExtraColumn {
  std::size_t position = 0;
  std::string name;
  duckdb::LogicalType type;
};

// `layout` for files that have the columns too.
std::shared_ptr<FileLayout> WithExtraColumns(
    const FileLayout& layout, const std::vector<ExtraColumn>& columns);

}  // namespace bayou::write
