// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/staged_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/uri_path.h"

namespace bayou::transaction {
namespace {

using Names = std::unordered_set<std::string>;

Status AddOnce(Names& names, std::string name, std::string_view table,
               std::string_view what) {
  const auto [at, is_new] = names.insert(std::move(name));
  if (is_new) return {};
  return Fail(ErrorCode::kInternal, "DELTA_DUPLICATE_ACTIONS",
              fmt::format("table {}: the commit would have {} {} twice; "
                          "nothing was committed",
                          table, what, *at));
}

bool IsDataChange(const auto& file) { return file.data_change; }

}  // namespace

bool StagedActions::empty() const {
  return HasOnlyFiles() && removes.empty() && adds.empty() &&
         change_files.empty();
}

std::int64_t StagedActions::size() const {
  return std::ssize(removes) + std::ssize(adds) + std::ssize(change_files) +
         std::ssize(app_versions) + std::ssize(domains) + (protocol ? 1 : 0) +
         (metadata ? 1 : 0);
}

bool StagedActions::HasOnlyFiles() const {
  return !protocol && !metadata && app_versions.empty() && domains.empty();
}

bool StagedActions::OnlyAddsFiles() const {
  return removes.empty() && change_files.empty();
}

bool StagedActions::ChangesData() const {
  return std::ranges::any_of(adds, IsDataChange<protocol::AddFile>) ||
         std::ranges::any_of(removes, IsDataChange<protocol::RemoveFile>);
}

Status CheckNoDuplicates(const StagedActions& staged, std::string_view table) {
  Names domains;
  for (const auto& domain : staged.domains)
    BAYOU_TRY(AddOnce(domains, domain.domain, table, "domain"));
  Names applications;
  for (const auto& app : staged.app_versions)
    BAYOU_TRY(AddOnce(applications, app.app_id, table, "application"));
  Names added;
  for (const auto& add : staged.adds)
    BAYOU_TRY(AddOnce(added, CanonicalPath(add.path), table, "added file"));
  if (staged.removes.empty()) return {};
  Names removed;
  for (const auto& remove : staged.removes) {
    BAYOU_TRY(
        AddOnce(removed, CanonicalPath(remove.path), table, "removed file"));
  }
  Names keys;
  for (const auto& remove : staged.removes)
    keys.insert(protocol::FileKey(remove.path, remove.deletion_vector));
  for (const auto& add : staged.adds) {
    BAYOU_TRY(AddOnce(keys, protocol::FileKey(add.path, add.deletion_vector),
                      table, "file, added and removed,"));
  }
  return {};
}

}  // namespace bayou::transaction
