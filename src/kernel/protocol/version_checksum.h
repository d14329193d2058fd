// SPDX-License-Identifier: Apache-2.0
//
// What a `.crc` file says about a version of a table, so that others can tell
// whether the log still makes that version. It is never needed to read one.
// Protocol: "Version Checksum File".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"

namespace bayou::protocol {

struct VersionChecksum {
  std::optional<std::string> txn_id;
  std::int64_t table_size_bytes = 0;
  std::int64_t num_files = 0;
  std::optional<std::int64_t> in_commit_timestamp;  // Milliseconds.
  // In no particular order; nullopt: the file does not say.
  std::optional<std::vector<SetTransaction>> set_transactions;
  std::optional<std::vector<DomainMetadata>> domain_metadata;
  // Required, but the first writers of checksums left them out.
  std::optional<Metadata> metadata;
  std::optional<Protocol> protocol;
};

// `file` names the text in errors. Fields that are not in VersionChecksum are
// ignored: histograms, the list of all files, counts of deleted rows.
// Errors: kCorruption, condition DELTA_CHECKSUM_INVALID: no JSON object, a
// required field missing, of a wrong type or out of range, or an action in it
// that is none.
Result<VersionChecksum> ParseVersionChecksum(std::string_view text,
                                             std::string_view file);

// One JSON object, in delta-spark's field order.
std::string VersionChecksumToJson(const VersionChecksum& checksum);

}  // namespace bayou::protocol
