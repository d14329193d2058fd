// SPDX-License-Identifier: Apache-2.0
//
// The protocol's types as DuckDB's and back. Design: "Types carry DuckDB's
// names".
#pragma once

#include <duckdb.hpp>
#include <optional>
#include <string_view>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"

namespace bayou::engine {

// Every Delta type has one: timestamp is TIMESTAMP WITH TIME ZONE,
// timestamp_ntz is TIMESTAMP, variant is VARIANT, void is INTEGER (all null),
// geometry and geography are BLOB (WKB).
duckdb::LogicalType ToLogicalType(const protocol::DataType& type);

// The type that a column of this DuckDB type gets in a new table. Unsigned
// integers widen (UTINYINT to short, ..., UBIGINT to decimal(20,0));
// TIMESTAMP_S and _MS become timestamp_ntz; enums become string; UUID becomes
// string. Errors: kUnsupported, condition DELTA_UNSUPPORTED_TYPE, for what
// Delta cannot hold without loss: HUGEINT, TIME, INTERVAL, BIT, UNION,
// TIMESTAMP_NS, ....
Result<protocol::DataType> FromLogicalType(const duckdb::LogicalType& type);

// A serialized partition value as a typed value. nullopt and "" are NULL;
// timestamps without a zone are UTC (Protocol: "Partition Value
// Serialization"). Errors: kCorruption, condition
// DELTA_PARTITION_VALUE_INVALID, with the text.
Result<duckdb::Value> ParsePartitionValue(
    const std::optional<std::string>& text, const protocol::DataType& type);

// The serialized form that Bayou writes; NULL and '' give nullopt. Timestamps
// are written as ISO-8601 UTC with microseconds.
// Errors: kInvalidArgument, condition DELTA_UNSUPPORTED_PARTITION_VALUE, for
// what has no form that every reader understands: bytes that are no UTF-8 text,
// dates and times that are infinite or outside of the years 1 to 9999.
Result<std::optional<std::string>> FormatPartitionValue(
    const duckdb::Value& value, const protocol::DataType& type);

// A bound from JSON statistics as a typed value, or nullopt when the text does
// not parse under the type (then there is no bound). Timestamps: with an offset
// of whole minutes or Z exactly; anything ambiguous is no bound.
std::optional<duckdb::Value> ParseBound(std::string_view text,
                                        const protocol::DataType& type);

}  // namespace bayou::engine
