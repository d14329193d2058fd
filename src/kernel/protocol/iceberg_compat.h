// SPDX-License-Identifier: Apache-2.0
//
// Tables whose files an Iceberg reader can read, too: which of the three
// versions of the rules are in force, and whether a table keeps them.
//
// Protocol: "Iceberg Compatibility V1", "Iceberg Compatibility V2", RFC
// "Iceberg Compatibility V3".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/protocol/schema.h"

namespace bayou::protocol {

// 1 to 3; 0: none is in force.
int IcebergCompatVersion(const Protocol& protocol, const Metadata& metadata);

// Errors: kUnsupported, condition DELTA_ICEBERG_COMPAT_VIOLATION, for a table
// that the rules forbid: without column mapping, with deletion vectors (but
// V3), without row tracking (V3), with types or changes of types that Iceberg
// does not have, with lists or maps whose elements have no ids. `table` is
// named.
Status CheckIcebergCompat(const Protocol& protocol, const Metadata& metadata,
                          const Schema& schema, std::string_view table);

// The ids of what has no field of its own, by the path below the field's
// physical name: element, key, value.element. Kept by the nearest field, under
// the field's physical name.
using NestedIds = std::map<std::string, std::int32_t>;
NestedIds NestedIdsOf(const Field& field);
void SetNestedIds(const NestedIds& ids, Field& field);

}  // namespace bayou::protocol
