// SPDX-License-Identifier: Apache-2.0
//
// The table functions of Delta. `table` is a path or the name of a table:
//
//   bayou_scan(path, version => n, timestamp => t)   the rows of a version
//   table_changes(table, from [, to])                the rows that changed
//   bayou_history(table [, limit])                   DESCRIBE HISTORY
//   bayou_detail(table)                              DESCRIBE DETAIL
//   bayou_schema(table, version => n, ...)           its columns
//   bayou_files(table, version => n, ...)            its live files
//   bayou_files(table, where => 'condition')       which a query would read
//   bayou_alter_table(table, clauses)                ALTER TABLE
//   bayou_create_table_like(name, table, if_missing) CREATE TABLE LIKE
//   bayou_log(table, version => n, ...)              the files of its log
//   bayou_optimize(table, where => 'condition', dry_run => b)  OPTIMIZE
//   bayou_vacuum(table, retain_hours => n, mode => 'FULL' | 'LITE',
//                dry_run => b, details => b)         VACUUM
//   bayou_restore(table, version => n, ...)          RESTORE
//   bayou_checkpoint(table, v2 => b, manifest => 'json', parts => n)  one, now
//   bayou_compact_log(table, first => n, last => n)  OPTIMIZE LOG
//   bayou_clean_log(table, dry_run => b)             the old part of its log
//   bayou_convert(path, partitioned_by => 'a INT', statistics => b)  CONVERT
#pragma once

#include <duckdb.hpp>
#include <duckdb/main/extension/extension_loader.hpp>

namespace bayou::sql {

void RegisterTableFunctions(duckdb::ExtensionLoader& loader);

duckdb::TableFunction BayouScanFunction();
duckdb::TableFunctionSet TableChangesFunction();
duckdb::TableFunctionSet HistoryFunction();
duckdb::TableFunction DetailFunction();
duckdb::TableFunction SchemaFunction();
duckdb::TableFunction FilesFunction();
duckdb::TableFunction LogFunction();
duckdb::TableFunction AlterTableFunction();
duckdb::TableFunction CreateTableLikeFunction();
duckdb::TableFunction OptimizeFunction();
duckdb::TableFunction VacuumFunction();
duckdb::TableFunction RestoreFunction();
duckdb::TableFunction ConvertFunction();
duckdb::TableFunction CheckpointFunction();
duckdb::TableFunction CompactLogFunction();
duckdb::TableFunction CleanLogFunction();

}  // namespace bayou::sql
