// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/kept_files.h"

#include <filesystem>
#include <utility>
#include <variant>
#include <vector>

#include "base/uri_path.h"
#include "kernel/log/commit_history.h"
#include "kernel/log/log_file_name.h"
#include "kernel/log/log_listing.h"

namespace bayou::commands {
namespace {

using protocol::Action;
using protocol::Version;

// What file systems make of a path that takes steps back or on the spot.
// nullopt: it leads out of the folder that it is relative to.
std::optional<std::string> Normal(std::string_view path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  if (normal.ends_with('/')) normal.pop_back();
  if (normal.empty() || normal == "." || normal == ".." ||
      normal.starts_with("../")) {
    return std::nullopt;
  }
  return normal;
}

std::optional<std::string> Below(const std::string& folder,
                                 const std::string& path) {
  const std::string prefix = folder == "/" ? folder : folder + "/";
  if (!path.starts_with(prefix)) return std::nullopt;
  return Normal(path.substr(prefix.size()));
}

// An absolute path may reach the table's folder by another way: over links.
std::optional<std::string> BelowByAnyWay(const std::string& folder,
                                         const std::string& path) {
  const auto normal = Normal(path);
  if (!normal) return std::nullopt;
  if (auto name = Below(folder, *normal)) return name;
  std::error_code failed;
  const auto real_folder = std::filesystem::weakly_canonical(folder, failed);
  const auto real_path = std::filesystem::weakly_canonical(*normal, failed);
  if (failed) return std::nullopt;
  return Below(real_folder.string(), real_path.string());
}

std::optional<std::string> NameOf(const table::Snapshot& snapshot,
                                  const std::string& path) {
  if (IsAbsolutePath(path)) return BelowByAnyWay(snapshot.location(), path);
  return Normal(path);
}

// The lines that may hold a removal: of a commit with a million files, often
// none.
std::string LinesWithRemovals(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find("\"remove\"") == std::string_view::npos &&
        line.find("\"cdc\"") == std::string_view::npos) {
      continue;
    }
    lines.append(line);
    lines += '\n';
  }
  return lines;
}

// The file of an `add` or a `remove`, and that of its vector.
template <typename File>
Status AddTo(NameSet& set, const table::Snapshot& snapshot, const File& file) {
  if (const auto name = NameInTable(snapshot, file.path)) set.Add(*name);
  BAYOU_ASSIGN(const auto vector, NameInTable(snapshot, file.deletion_vector));
  if (vector) set.Add(*vector);
  return {};
}

}  // namespace

std::optional<std::string> NameInTable(const table::Snapshot& snapshot,
                                       std::string_view log_path) {
  return NameOf(snapshot, CanonicalPath(log_path));
}

Result<std::optional<std::string>> NameInTable(
    const table::Snapshot& snapshot,
    const std::optional<protocol::DeletionVectorDescriptor>& vector) {
  if (!vector || vector->storage_type == 'i') return std::nullopt;
  BAYOU_ASSIGN(const std::string path, vector->FilePath());
  return NameOf(snapshot, path);
}

Result<std::optional<std::vector<Action>>> FindRemovals(
    const table::Snapshot& snapshot, Version version) {
  const std::string name = JoinPath(log::kLogFolder, log::CommitName(version));
  const auto text = snapshot.store().Read(name);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) return tl::unexpected<Error>(text.error());
  return protocol::ParseActions(LinesWithRemovals(*text),
                                JoinPath(snapshot.location(), name));
}

Result<std::vector<Action>> ReadRemovals(const table::Snapshot& snapshot,
                                         Version version) {
  BAYOU_ASSIGN(auto found, FindRemovals(snapshot, version));
  if (!found) return std::vector<Action>();
  return *std::move(found);
}

Result<std::optional<Version>> LatestVersionBefore(
    const table::Snapshot& snapshot, std::int64_t cutoff_ms) {
  const auto version = log::VersionAtTimestamp(
      snapshot.store(), cutoff_ms, snapshot.in_commit_timestamps(),
      snapshot.version(), /*allow_after_last=*/true);
  if (version) return *version;
  if (version.error().condition == "DELTA_TIMESTAMP_OUT_OF_RANGE")
    return std::nullopt;
  return tl::unexpected<Error>(version.error());
}

Result<KeptFiles> KeptFiles::Of(const table::Snapshot& snapshot,
                                std::int64_t cutoff_ms,
                                std::optional<Version> expired_until) {
  KeptFiles files;
  BAYOU_TRY(files.AddLiveFiles(snapshot));
  BAYOU_TRY(files.AddCommits(snapshot, expired_until ? *expired_until + 1 : 0));
  BAYOU_TRY(files.AddTombstones(snapshot, cutoff_ms));
  return files;
}

Status KeptFiles::AddLiveFiles(const table::Snapshot& snapshot) {
  BAYOU_ASSIGN(const auto cursor, snapshot.state().Files({}, nullptr));
  std::vector<protocol::AddFile> batch;
  for (bool more = true; more;) {
    BAYOU_ASSIGN(more, cursor->Next(batch));
    for (const protocol::AddFile& file : batch)
      BAYOU_TRY(AddTo(kept_, snapshot, file));
  }
  return {};
}

Status KeptFiles::AddTombstones(const table::Snapshot& snapshot,
                                std::int64_t cutoff_ms) {
  BAYOU_ASSIGN(const auto removes, snapshot.state().Tombstones(INT64_MIN));
  for (const protocol::RemoveFile& remove : removes) {
    const bool is_expired = remove.deletion_timestamp.value_or(0) < cutoff_ms;
    const auto name = NameInTable(snapshot, remove.path);
    if (!is_expired && name && !kept_.Contains(*name)) keeps_expired_ = true;
    BAYOU_TRY(AddTo(is_expired ? removed_ : kept_, snapshot, remove));
  }
  return {};
}

// A checkpoint forgets the tombstones that the table's own retention time lets
// go, and never knows of change data.
Status KeptFiles::AddCommits(const table::Snapshot& snapshot, Version first) {
  BAYOU_ASSIGN(const auto listing, log::ListLog(snapshot.store(), first));
  for (const log::LogFileName& file : listing) {
    if (file.kind != log::LogFileKind::kCommit) continue;
    BAYOU_ASSIGN(const auto actions, ReadRemovals(snapshot, file.version));
    for (const Action& action : actions) BAYOU_TRY(Add(snapshot, action));
  }
  return {};
}

Status KeptFiles::Add(const table::Snapshot& snapshot, const Action& action) {
  if (const auto* remove = std::get_if<protocol::RemoveFile>(&action))
    return AddTo(kept_, snapshot, *remove);
  if (const auto* file = std::get_if<protocol::AddFile>(&action))
    return AddTo(kept_, snapshot, *file);
  if (const auto* change = std::get_if<protocol::CdcFile>(&action)) {
    if (const auto name = NameInTable(snapshot, change->path)) kept_.Add(*name);
  }
  return {};
}

}  // namespace bayou::commands
