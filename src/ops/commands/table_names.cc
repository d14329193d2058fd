// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/table_names.h"

#include <algorithm>

#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"

namespace bayou::commands {

HiddenNames::HiddenNames(const table::Snapshot& snapshot) {
  for (const std::string& name : snapshot.metadata().partition_columns) {
    partition_prefixes_.push_back(HiveEscape(name) + "=");
    if (const auto* field = snapshot.schema().Find(name))
      partition_prefixes_.push_back(HiveEscape(field->physical_name()) + "=");
  }
}

bool HiddenNames::IsHidden(std::string_view segment) const {
  if (!segment.starts_with('_') && !segment.starts_with('.')) return false;
  return !segment.starts_with("_change_data") &&
         !segment.starts_with("_delta_index") &&
         std::ranges::none_of(partition_prefixes_,
                              [&](const std::string& prefix) {
                                return segment.starts_with(prefix);
                              });
}

bool HiddenNames::IsBelowHidden(std::string_view path) const {
  for (;;) {
    const std::size_t slash = path.find('/');
    if (IsHidden(path.substr(0, slash))) return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

std::string_view FolderOf(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? "" : name.substr(0, slash);
}

bool IsTemporaryLogFile(std::string_view name) {
  constexpr std::string_view kEnd = ".tmp";
  constexpr std::size_t kUuid = 36;
  if (!name.starts_with('.') || !name.ends_with(kEnd)) return false;
  if (name.size() == kEnd.size()) return false;  // One dot is not two.
  name.remove_prefix(1);
  name.remove_suffix(kEnd.size());
  if (name.size() < kUuid + 2 || name[name.size() - kUuid - 1] != '.')
    return false;
  const std::string_view uuid = name.substr(name.size() - kUuid);
  const bool is_uuid = std::ranges::all_of(uuid, [](char c) {
    return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
           (c >= 'A' && c <= 'F');
  });
  const std::string_view target = name.substr(0, name.size() - kUuid - 1);
  return is_uuid &&
         (target.starts_with("_last_") ||
          log::ParseLogFileName(target).kind != log::LogFileKind::kOther);
}

}  // namespace bayou::commands
