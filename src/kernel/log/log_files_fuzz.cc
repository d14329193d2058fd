// SPDX-License-Identifier: Apache-2.0
//
// Whatever lies in `_delta_log`: its name, and what a hint of the last
// checkpoint says.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kernel/log/log_file_name.h"
#include "kernel/log/log_listing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  namespace log = bayou::log;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const log::LogFileName file = log::ParseLogFileName(text);
  switch (file.kind) {
    case log::LogFileKind::kCommit:
      if (log::CommitName(file.version) != text) std::abort();
      break;
    case log::LogFileKind::kCompacted:
      if (file.end_version < file.version) std::abort();
      break;
    case log::LogFileKind::kCheckpoint:
      if (file.part < 1 || file.part > file.parts) std::abort();
      break;
    default:
      break;
  }
  if (file.kind != log::LogFileKind::kOther && file.version < 0) std::abort();
  const auto hint = log::ParseLastCheckpoint(text);
  if (hint && hint->version < 0) std::abort();
  return 0;
}
