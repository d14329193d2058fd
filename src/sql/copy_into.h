// SPDX-License-Identifier: Apache-2.0
//
// COPY INTO: the rows of files become rows of a table, each file's only once.
// The table remembers a file by a `txn` action whose application is made of the
// file's path: see docs/decisions/0004-copy-into-remembers-files.md.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <map>
#include <string>

#include "sql/copy_statement.h"

namespace bayou::sql {

struct CopyPlan {
  std::string
      insert;  // The INSERT that loads the files; empty: there are none.
  // Application to the version that it gets.
  std::map<std::string, std::int64_t> loads;
  std::int64_t corrupt_files = 0;  // Left out.
  bool begins_transaction = true;  // It comes first in its transaction.
};

// What is there to load, for the table as the running transaction sees it.
// Throws DuckDB exceptions. Errors: kNotFound, condition
// DELTA_COPY_SOURCE_NOT_FOUND; kInvalidArgument, DELTA_UNKNOWN_COPY_OPTION;
// kUnsupported when the table is no Delta table.
CopyPlan PlanCopyInto(duckdb::ClientContext& context,
                      const CopyStatement& copy);

// After the INSERT: the files go down as loaded, in its commit. Throws.
void RememberLoads(duckdb::ClientContext& context, const CopyStatement& copy,
                   const CopyPlan& plan);

}  // namespace bayou::sql
