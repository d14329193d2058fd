// SPDX-License-Identifier: Apache-2.0
//
// The statements and spellings that Spark users know, as DuckDB's SQL. Text in,
// text out: what is not recognised passes unchanged, and DuckDB judges it.
//
//   `x`                                   "x"
//   delta.`path`, FROM 'path'             delta.main."path"
//   t VERSION AS OF 3 x, t@v3             t x AT (VERSION => 3)
//   t TIMESTAMP AS OF e, t@20240131...    t AT (TIMESTAMP => e)
//   _metadata.row_id                      "_metadata.row_id"
//   ARRAY<INT>, STRUCT<a: INT>, MAP<K,V>  INT[], STRUCT(a INT), MAP(K, V)
//   DESCRIBE HISTORY | DETAIL t           SELECT * FROM bayou_history | detail
//   ALTER TABLE t ..., COMMENT ON t IS ..  bayou_alter_table(t, ...)
//   OPTIMIZE t ...                        see maintenance_statement.h
//   CREATE TABLE ... USING DELTA ...      see create_table_spelling.h
//   INSERT OVERWRITE t q                  INSERT INTO t q, see
//   INSERT INTO t REPLACE WHERE x q       insert_spelling.h
//   COPY INTO t FROM ...                  see copy_statement.h
//   SET spark.databricks.delta. ...       SET bayou_ ...
//   SET TRANSACTION 'app', 7              see write_options.h
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "sql/copy_statement.h"
#include "sql/insert_spelling.h"
#include "sql/table_name.h"
#include "sql/text_edits.h"
#include "sql/write_options.h"

namespace bayou::sql {

// What is at a path, for spellings whose meaning depends on it.
enum class Place : std::uint8_t { kNothing, kFile, kFolder, kTable };
using PlaceOf = std::function<Place(std::string_view path)>;

// Whether a new table of that name is a Delta table, and not one of another
// database, which has rules of its own for its columns.
using IsDelta = std::function<bool(const TableName& name)>;

// A statement of Delta that changes a table and that DuckDB has no way to run,
// or runs another way.
struct TableCommand {
  std::string operation;  // OPTIMIZE, DELETE, ALTER TABLE, ...
  TableName target;
  bool only_delta =
      false;        // No other table has it, so the target must be ours.
  std::string run;  // What runs when the target is ours.
  bool shows_rows = false;  // And whether its rows are shown.
};

struct Statement {
  EditedText sql;
  InsertClauses insert;         // Of an INSERT.
  bool evolves_schema = false;  // Of a MERGE or INSERT; as those two may, too,
  bool may_evolve_schema = false;  // when the setting says so.
  std::optional<TableCommand> command;
  std::optional<CopyStatement> copy =
      {};  // COPY INTO, which runs in its own way.
  std::optional<WriteOptions> next_write = {};  // SET TRANSACTION, and no more.
};

// The statements of `text`, without their semicolons and without empty ones.
std::vector<std::string_view> SplitStatements(std::string_view text);

// Errors: kInvalidArgument for a setting of Spark's that Bayou does not know;
// kUnsupported for what a CREATE TABLE asks for and would be lost.
Result<Statement> Translate(std::string_view statement, const PlaceOf& place_of,
                            const IsDelta& is_delta = {});

}  // namespace bayou::sql
