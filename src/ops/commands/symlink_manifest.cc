// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/symlink_manifest.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/uri_path.h"
#include "kernel/protocol/schema.h"
#include "ops/commands/live_files.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using table::Snapshot;

constexpr std::string_view kNullPartition = "__HIVE_DEFAULT_PARTITION__";
constexpr std::string_view kManifest = "manifest";

// Names of manifests, below the table, and what they say.
using Manifests = std::map<std::string, std::string>;

std::string ManifestOf(const Snapshot& snapshot,
                       const protocol::PartitionValues& partition) {
  std::string name(kManifestFolder);
  for (const std::string& column : snapshot.metadata().partition_columns) {
    const auto value = partition.find(column);
    const bool is_null =
        value == partition.end() || !value->second || value->second->empty();
    name +=
        "/" + HiveEscape(column) + "=" +
        (is_null ? std::string(kNullPartition) : HiveEscape(*value->second));
  }
  return JoinPath(name, kManifest);
}

Result<std::string> AbsolutePath(const Snapshot& snapshot,
                                 const AddFile& file) {
  std::string path = CanonicalPath(file.path);
  if (!IsAbsolutePath(path)) {
    BAYOU_TRY(CheckRelativePath(path));
    path = JoinPath(snapshot.location(), path);
  }
  return path.find("://") == std::string::npos ? "file:" + path : path;
}

Status CheckReadable(const Snapshot& snapshot) {
  if (snapshot.column_mapping() == protocol::ColumnMappingMode::kNone)
    return {};
  return Fail(
      ErrorCode::kUnsupported,
      "DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING",
      fmt::format("table {}: its files name columns otherwise than the table "
                  "does (column mapping), so that nobody could read them as "
                  "plain Parquet",
                  snapshot.location()));
}

tl::unexpected<Error> HasDeletedRows(const Snapshot& snapshot,
                                     const AddFile& file) {
  return Fail(ErrorCode::kUnsupported,
              "DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS",
              fmt::format("table {}: rows of its file {} are deleted by a "
                          "vector, and whoever reads it as plain Parquet would "
                          "see them; REORG TABLE ... APPLY (PURGE) writes such "
                          "files anew",
                          snapshot.location(), file.path));
}

// Those that `touched` names; without it, all.
Result<Manifests> ManifestsOf(const Snapshot& snapshot,
                              const std::set<std::string>* touched,
                              ManifestResult& result) {
  Manifests manifests;
  if (snapshot.metadata().partition_columns.empty())
    manifests[JoinPath(kManifestFolder, kManifest)];
  BAYOU_TRY(VisitFiles(snapshot, {}, [&](const AddFile& file) -> Status {
    const std::string name = ManifestOf(snapshot, file.partition_values);
    if (touched != nullptr && !touched->contains(name)) return {};
    if (file.deletion_vector) return HasDeletedRows(snapshot, file);
    BAYOU_ASSIGN(const std::string path, AbsolutePath(snapshot, file));
    manifests[name] += path + "\n";
    ++result.files;
    return {};
  }));
  return manifests;
}

// Those of partitions that the table does not have any more.
Result<std::vector<std::string>> StaleManifests(const Snapshot& snapshot,
                                                const Manifests& manifests) {
  std::vector<std::string> stale;
  const Status listed = snapshot.store().ListTree(
      kManifestFolder, {.enter = [](const store::ObjectMeta&) { return true; },
                        .file = [&](const store::ObjectMeta& file) -> Status {
                          const bool is_manifest =
                              file.name.ends_with("/" + std::string(kManifest));
                          if (is_manifest && !manifests.contains(file.name))
                            stale.push_back(file.name);
                          return {};
                        }});
  if (!listed && listed.error().code != ErrorCode::kNotFound)
    return tl::unexpected<Error>(listed.error());
  return stale;
}

// The folders of partitions that have no manifest go too.
void DeleteEmptyFolders(const Snapshot& snapshot, const std::string& manifest) {
  std::string folder = manifest.substr(0, manifest.rfind('/'));
  while (folder.size() > kManifestFolder.size()) {
    const auto gone = snapshot.store().DeleteEmptyFolder(folder);
    if (!gone || !*gone) break;
    folder.resize(folder.rfind('/'));
  }
}

Status Replace(const Snapshot& snapshot, const Manifests& manifests,
               const std::vector<std::string>& stale, ManifestResult& result) {
  for (const auto& [name, paths] : manifests) {
    BAYOU_TRY(snapshot.store().Put(name, paths));
    ++result.written;
  }
  for (const std::string& name : stale) {
    const Status deleted = snapshot.store().Delete(name);
    if (!deleted && deleted.error().code == ErrorCode::kNotFound) continue;
    BAYOU_TRY(deleted);
    ++result.deleted;
    DeleteEmptyFolders(snapshot, name);
  }
  return {};
}

// nullopt: an action does not tell its partition.
std::optional<std::set<std::string>> TouchedManifests(
    const Snapshot& snapshot, const transaction::StagedActions& committed) {
  std::set<std::string> touched;
  for (const AddFile& add : committed.adds)
    touched.insert(ManifestOf(snapshot, add.partition_values));
  for (const protocol::RemoveFile& remove : committed.removes) {
    if (!remove.extended_file_metadata) return std::nullopt;
    touched.insert(ManifestOf(snapshot, remove.partition_values));
  }
  return touched;
}

Result<bool> HasManifests(const Snapshot& snapshot) {
  const auto listed = snapshot.store().List(kManifestFolder, "");
  if (listed) return true;
  if (listed.error().code == ErrorCode::kNotFound) return false;
  return tl::unexpected<Error>(listed.error());
}

}  // namespace

Result<ManifestResult> GenerateSymlinkManifest(const Snapshot& snapshot) {
  BAYOU_TRY(CheckReadable(snapshot));
  ManifestResult result;
  BAYOU_ASSIGN(const auto manifests, ManifestsOf(snapshot, nullptr, result));
  BAYOU_ASSIGN(const auto stale, StaleManifests(snapshot, manifests));
  BAYOU_TRY(Replace(snapshot, manifests, stale, result));
  return result;
}

Result<ManifestResult> UpdateSymlinkManifest(
    const Snapshot& snapshot, const transaction::StagedActions& committed) {
  BAYOU_TRY(CheckReadable(snapshot));
  const auto touched = TouchedManifests(snapshot, committed);
  BAYOU_ASSIGN(const bool has_manifests, HasManifests(snapshot));
  if (!touched || !has_manifests) return GenerateSymlinkManifest(snapshot);
  ManifestResult result;
  BAYOU_ASSIGN(const auto manifests, ManifestsOf(snapshot, &*touched, result));
  std::vector<std::string> emptied;
  for (const std::string& name : *touched)
    if (!manifests.contains(name)) emptied.push_back(name);
  BAYOU_TRY(Replace(snapshot, manifests, emptied, result));
  return result;
}

}  // namespace bayou::commands
