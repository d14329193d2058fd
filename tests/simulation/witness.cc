// SPDX-License-Identifier: Apache-2.0
#include "simulation/witness.h"

#include "kernel/log/log_file_name.h"

namespace bayou::simulation {

std::optional<Version> VersionOfCommit(std::string_view name) {
  constexpr std::string_view kLog = "_delta_log/";
  if (!name.starts_with(kLog)) return std::nullopt;
  const auto file = log::ParseLogFileName(name.substr(kLog.size()));
  if (file.kind != log::LogFileKind::kCommit) return std::nullopt;
  return file.version;
}

}  // namespace bayou::simulation
