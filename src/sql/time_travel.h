// SPDX-License-Identifier: Apache-2.0
//
// A version or a time, as SQL values say it.
#pragma once

#include <duckdb.hpp>

#include "bayou/result.h"
#include "kernel/table/snapshot.h"

namespace bayou::sql {

// `version` is a whole number, or a text that holds one.
// Errors: kInvalidArgument, condition DELTA_INVALID_VERSION.
Result<table::TimeTravel> AtVersion(const duckdb::Value& version);

// `timestamp` is a point in time, or a date, a timestamp or a text in the
// session's time zone. Microseconds are cut off: commits happen at
// milliseconds. Errors: kInvalidArgument, condition DELTA_INVALID_TIMESTAMP.
Result<table::TimeTravel> AtTimestamp(duckdb::ClientContext& context,
                                      const duckdb::Value& timestamp);

// A number is a version, anything else a time.
Result<table::TimeTravel> AtVersionOrTimestamp(duckdb::ClientContext& context,
                                               const duckdb::Value& value);

// AT (VERSION => ...) or AT (TIMESTAMP => ...)
Result<table::TimeTravel> AtClause(duckdb::ClientContext& context,
                                   std::string_view unit,
                                   const duckdb::Value& value);

}  // namespace bayou::sql
