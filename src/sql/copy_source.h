// SPDX-License-Identifier: Apache-2.0
//
// The files that a COPY INTO reads, and the call of DuckDB's reader for them.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"
#include "sql/copy_statement.h"

namespace bayou::sql {

// The files, as absolute paths in the order of their names. In a folder these
// are all below it but hidden ones: their names, or those of their folders,
// begin with `_` or `.`.
// Errors: kNotFound, condition DELTA_COPY_SOURCE_NOT_FOUND, when the source or
// one of FILES is not there; as LocationFromUser.
Result<std::vector<std::string>> SourceFiles(const CopyStatement& copy,
                                             duckdb::Connection& connection);

// The options of DuckDB's reader that the statement's stand for, with a comma
// before each. Errors: kInvalidArgument, condition DELTA_UNKNOWN_COPY_OPTION.
Result<std::string> ReaderOptions(const CopyStatement& copy);

// Whether a file without a readable header or footer is left out.
bool IgnoresCorruptFiles(const CopyStatement& copy);
Result<bool> IsReadable(const CopyStatement& copy, const std::string& file,
                        duckdb::Connection& connection);

// read_csv([...], ...): has the columns of all the files, of which those that
// the table knows too are read as its types where the format has none.
Result<std::string> ReaderCall(const CopyStatement& copy,
                               const std::vector<std::string>& files,
                               const protocol::Schema& table,
                               duckdb::Connection& connection);

}  // namespace bayou::sql
