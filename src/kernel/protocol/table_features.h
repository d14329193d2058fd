// SPDX-License-Identifier: Apache-2.0
//
// Which features a protocol asks for, and which of them Bayou has.
//
// Protocol: "Table Features", "Valid Feature Names in Table Features". Names
// compare without regard to letters' case, as delta-spark does.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"

namespace bayou::protocol {

// Every feature the protocol supports, explicitly or through its version
// numbers: (1,2) gives appendOnly and invariants.
std::set<std::string> SupportedFeatures(const Protocol& protocol);

bool Supports(const Protocol& protocol, std::string_view feature);

// Errors: kUnsupported, condition DELTA_UNSUPPORTED_READER_FEATURE, naming the
// features and `table`; kCorruption for versions and feature lists that
// contradict each other. Unknown writer features never stop a read.
// catalogManaged passes here: table::Snapshot decides.
Status CheckReadable(const Protocol& protocol, std::string_view table);

// Whether Bayou may append rows to the table: every writer feature must be one
// whose rules appends follow. Errors: kUnsupported, condition
// DELTA_UNSUPPORTED_WRITER_FEATURE, naming the features and `table`.
// `metadata` tells which features are active and not merely supported: a (1,4)
// table without generated columns can be written.
Status CheckWritable(const Protocol& protocol, const Metadata& metadata,
                     std::string_view table);

// The weakest protocol for a new table with this schema and configuration
// (`delta.feature.*`, `delta.enable*`, column types). delta-spark's rules.
Result<Protocol> ProtocolForNewTable(const Metadata& metadata);

// What the protocol of a table has to become for its new schema and
// configuration, with what the user asks for in them (`delta.feature.*`,
// `delta.min*Version`); nullopt when it stays. Raised no further than needed:
// by version numbers as long as those can say it, then by names.
// Errors: kUnsupported for features that Bayou does not have; kInvalidArgument,
// condition DELTA_INVALID_PROTOCOL_DOWNGRADE, for versions below the table's.
Result<std::optional<Protocol>> ProtocolForChangedTable(
    const Protocol& current, const Metadata& metadata);

// The protocol that names all features but that one.
Protocol WithoutFeature(const Protocol& protocol, std::string_view feature);

}  // namespace bayou::protocol
