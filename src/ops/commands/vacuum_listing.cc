// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/vacuum_listing.h"

#include <algorithm>
#include <utility>

#include "kernel/log/log_file_name.h"
#include "ops/commands/table_names.h"

namespace bayou::commands {
namespace {

using store::ObjectMeta;

std::string_view NameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

bool VacuumListing::Enter(const ObjectMeta& folder) {
  ++plan_.folders_found;
  ++plan_.entries_found;
  const std::string_view name = NameOf(folder.name);
  if (name == log::kLogFolder || name == ".hoodie")
    FoundTableAt(FolderOf(folder.name));
  if (hidden_.IsBelowHidden(folder.name)) {
    Keep(FolderOf(folder.name));
    return false;
  }
  folders_.push_back(folder.name);
  // Somebody may be about to write into it.
  if (folder.modified_ms >= plan_.cutoff_ms) Keep(folder.name);
  return true;
}

bool VacuumListing::Knows(std::string_view file) {
  ++plan_.entries_found;
  const std::string_view folder = FolderOf(file);
  if (file.ends_with(".metadata.json") &&
      NameOf(folder) == "metadata") {  // An Iceberg table, maybe this one's.
    FoundTableAt(folder == "metadata" ? folder : FolderOf(folder));
  }
  if (!hidden_.IsBelowHidden(file) && !kept_.Contains(file)) return false;
  Keep(folder);
  return true;
}

void VacuumListing::Visit(const ObjectMeta& file) {
  const std::string_view folder = FolderOf(file.name);
  if (file.modified_ms >= plan_.cutoff_ms) {
    leaves_expired_ |= kept_.WasRemoved(file.name);
    return Keep(folder);
  }
  plan_.files.push_back({file.name, file.size, !kept_.WasRemoved(file.name)});
}

void VacuumListing::Keep(std::string_view folder) {
  while (!folder.empty() && kept_folders_.emplace(folder).second)
    folder = FolderOf(folder);
}

void VacuumListing::Finish() {
  LeaveOtherTables();
  FindEmptyFolders();
}

void VacuumListing::FoundTableAt(std::string_view folder) {
  if (!folder.empty()) other_tables_.emplace(folder);
}

bool VacuumListing::IsInOtherTable(std::string_view path) const {
  for (; !path.empty(); path = FolderOf(path)) {
    if (other_tables_.contains(path)) return true;
  }
  return false;
}

void VacuumListing::LeaveOtherTables() {
  if (other_tables_.empty()) return;
  for (const std::string& folder : other_tables_) Keep(folder);
  std::erase_if(plan_.files, [this](const VacuumFile& file) {
    return IsInOtherTable(file.name);
  });
  std::erase_if(folders_, [this](const std::string& folder) {
    return IsInOtherTable(folder);
  });
}

void VacuumListing::FindEmptyFolders() {
  for (std::string& folder : folders_) {
    if (!kept_folders_.contains(folder))
      plan_.folders.push_back(std::move(folder));
  }
  // What lies in a folder sorts behind it.
  std::ranges::sort(plan_.folders, std::greater<>());
}

}  // namespace bayou::commands
