// SPDX-License-Identifier: Apache-2.0
//
// The type changes that a table's columns went through. Files from before hold
// the narrower type, so a reader must know every change.
// Protocol: "Type Widening", "Reader Requirements for Type Widening".
#pragma once

#include <string_view>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"

namespace bayou::protocol {

// Whether the protocol lists the change, types in the schema's spelling:
// `integer` to `long`, `decimal(4,2)` to `decimal(6,4)`.
bool IsTypeWidening(std::string_view from, std::string_view to);

// Checks `delta.typeChanges` of all fields, nested ones too.
// Errors: kUnsupported, condition DELTA_UNSUPPORTED_TYPE_CHANGE, naming the
// field and the types; kCorruption, DELTA_SCHEMA_INVALID, when a list of
// changes makes no sense.
Status CheckTypeChanges(const Schema& schema);

}  // namespace bayou::protocol
