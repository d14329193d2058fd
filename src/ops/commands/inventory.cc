// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/inventory.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/uri_path.h"
#include "ops/commands/table_names.h"

namespace bayou::commands {
namespace {

// `file:/a` and `file:///a` as `/a`.
std::string_view WithoutScheme(std::string_view path) {
  constexpr std::string_view kScheme = "file:";
  if (!path.starts_with(kScheme)) return path;
  path.remove_prefix(kScheme.size());
  if (path.starts_with("///")) path.remove_prefix(2);
  return path;
}

}  // namespace

std::optional<store::ObjectMeta> EntryInTable(const table::Snapshot& snapshot,
                                              const InventoryEntry& entry) {
  std::string_view name = WithoutScheme(entry.path);
  const std::string base = JoinPath(snapshot.location(), "");
  if (!name.starts_with(base)) return std::nullopt;
  name.remove_prefix(base.size());
  if (entry.is_folder && name.ends_with('/')) name.remove_suffix(1);
  if (name.empty() || !CheckRelativePath(name)) return std::nullopt;
  return store::ObjectMeta{std::string(name), entry.length, entry.modified_ms};
}

InventoryCheck::InventoryCheck(const table::Snapshot& snapshot,
                               std::int64_t cutoff_ms)
    : store_(snapshot.store()), cutoff_ms_(cutoff_ms), others_(store_) {
  std::error_code error;
  folder_ = std::filesystem::canonical(store_.NativePath(""), error);
  if (error) folder_.clear();
}

Result<InventoryCheck::Finding> InventoryCheck::Look(const std::string& name) {
  const auto file = store_.Head(name);
  if (!file && file.error().code == ErrorCode::kNotFound) return Finding::kGone;
  if (!file) return tl::unexpected<Error>(file.error());
  if (file->modified_ms >= cutoff_ms_ || IsReachedByLinks(name) ||
      !store_.CheckInside(name) || others_.Contain(FolderOf(name))) {
    return Finding::kKeep;
  }
  return Finding::kOld;
}

// A listing follows no links: the file may have another name, under which it is
// the table's.
bool InventoryCheck::IsReachedByLinks(const std::string& name) const {
  if (folder_.empty()) return false;
  std::error_code error;
  const std::string real =
      std::filesystem::canonical(store_.NativePath(name), error);
  return error || real != JoinPath(folder_, name);
}

}  // namespace bayou::commands
