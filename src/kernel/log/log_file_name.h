// SPDX-License-Identifier: Apache-2.0
//
// What the name of a file in `_delta_log` says about its content.
// Protocol: "Delta Log Entries", "Checkpoints", "Log Compaction Files".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernel/protocol/actions.h"

namespace bayou::log {

using protocol::Version;

inline constexpr std::string_view kLogFolder = "_delta_log";
inline constexpr std::string_view kSidecarFolder = "_delta_log/_sidecars";
inline constexpr std::string_view kLastCheckpoint = "_last_checkpoint";

enum class LogFileKind : std::uint8_t {
  kCommit,      // 00000000000000000007.json
  kCompacted,   // 00000000000000000003.00000000000000000007.compacted.json
  kCheckpoint,  // 00000000000000000007.checkpoint[.part.parts|.uuid].parquet
                // and 00000000000000000007.checkpoint.uuid.json
  kChecksum,    // 00000000000000000007.crc
  kOther,       // Anything else, including files of newer protocol versions.
};

struct LogFileName {
  std::string name;
  LogFileKind kind = LogFileKind::kOther;
  Version version = -1;      // Of kCompacted: the first version.
  Version end_version = -1;  // Of kCompacted: the last; otherwise `version`.
  int part = 1;              // 1-based position in a multi-part checkpoint.
  int parts = 1;             // How many parts make that checkpoint complete.
  std::string uuid;          // Of a V2 checkpoint under a UUID name.
  bool is_json = false;      // Of a V2 checkpoint: the manifest is JSON.

  std::int64_t size = 0;         // Bytes, as listed.
  std::int64_t modified_ms = 0;  // As listed.
};

// Never fails: a name this build does not know is kOther, because the protocol
// tells readers to ignore unknown files in the log folder.
LogFileName ParseLogFileName(std::string_view name);

std::string CommitName(Version version);                 // 20 digits and .json
std::string ChecksumName(Version version);               // 20 digits and .crc
std::string CheckpointName(Version version);             // classic, one file
std::string CompactedName(Version first, Version last);  // .compacted.json

}  // namespace bayou::log
