// SPDX-License-Identifier: Apache-2.0
//
// The checksum of a version beside the log: what was written, what the log
// itself gives, and how the two differ. Protocol: "Version Checksum File".
#pragma once

#include <optional>
#include <string>

#include "bayou/result.h"
#include "kernel/log/log_replay.h"
#include "kernel/protocol/version_checksum.h"
#include "kernel/store/store.h"

namespace bayou::log {

// nullopt when the version has none. Errors: those of ParseVersionChecksum,
// with the table in the message; of the store.
Result<std::optional<protocol::VersionChecksum>> ReadChecksum(
    store::Store& store, Version version);

// What the checksum of this version has to say, without the identity and the
// time of its commit. Counts the files. Lists of applications or domains that
// are long are left out, and applications where they expire.
Result<protocol::VersionChecksum> ChecksumOf(const LogState& state);

// The same with `totals` known already.
protocol::VersionChecksum ChecksumOf(const LogState& state,
                                     const FileTotals& totals);

// Leaves out what a checksum does not say: see above.
void LeaveOutLists(protocol::VersionChecksum& checksum);

// In what `written` differs from what the log gives (see ChecksumOf), as a
// sentence; nullopt
// where it says the same. What it does not say is no difference.
std::optional<std::string> DifferenceOf(
    const protocol::VersionChecksum& written,
    const protocol::VersionChecksum& counted);

}  // namespace bayou::log
