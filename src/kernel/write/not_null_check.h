// SPDX-License-Identifier: Apache-2.0
//
// NOT NULL at every level of nesting: columns, struct fields, list elements and
// map values that the schema says hold no null. A field of a struct that is
// itself null breaks no rule. Columns of type void, the other way round, hold
// nothing but nulls.
#pragma once

#include <duckdb.hpp>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"

namespace bayou::write {

// `rows` have the schema's columns, in order. Costs nothing where everything is
// nullable.
// Errors: kConstraint, condition DELTA_NOT_NULL_CONSTRAINT_VIOLATED, naming the
// column's path and how many of these rows break the rule;
// DELTA_VOID_COLUMN_HAS_VALUE.
Status CheckNotNull(const protocol::Schema& schema, duckdb::DataChunk& rows);

}  // namespace bayou::write
