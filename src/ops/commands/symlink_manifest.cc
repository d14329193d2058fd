// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/symlink_manifest.h"

#include <fmt/format.h>

#include <map>
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

std::string FolderOf(const Snapshot& snapshot, const AddFile& file) {
  std::string folder(kManifestFolder);
  for (const std::string& column : snapshot.metadata().partition_columns) {
    const auto value = file.partition_values.find(column);
    const bool is_null = value == file.partition_values.end() ||
                         !value->second || value->second->empty();
    folder +=
        "/" + HiveEscape(column) + "=" +
        (is_null ? std::string(kNullPartition) : HiveEscape(*value->second));
  }
  return folder;
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

Result<Manifests> ManifestsOf(const Snapshot& snapshot,
                              ManifestResult& result) {
  Manifests manifests;
  if (snapshot.metadata().partition_columns.empty())
    manifests[JoinPath(kManifestFolder, kManifest)];
  BAYOU_TRY(VisitFiles(snapshot, {}, [&](const AddFile& file) -> Status {
    if (file.deletion_vector) {
      return Fail(
          ErrorCode::kUnsupported,
          "DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS",
          fmt::format("table {}: rows of its file {} are deleted by a vector, "
                      "and whoever reads it as plain Parquet would see them; "
                      "OPTIMIZE writes such files anew when enough rows are "
                      "deleted",
                      snapshot.location(), file.path));
    }
    BAYOU_ASSIGN(const std::string path, AbsolutePath(snapshot, file));
    manifests[JoinPath(FolderOf(snapshot, file), kManifest)] += path + "\n";
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

}  // namespace

Result<ManifestResult> GenerateSymlinkManifest(const Snapshot& snapshot) {
  BAYOU_TRY(CheckReadable(snapshot));
  ManifestResult result;
  BAYOU_ASSIGN(const Manifests manifests, ManifestsOf(snapshot, result));
  BAYOU_ASSIGN(const auto stale, StaleManifests(snapshot, manifests));
  for (const auto& [name, paths] : manifests) {
    BAYOU_TRY(snapshot.store().Put(name, paths));
    ++result.written;
  }
  for (const std::string& name : stale) {
    BAYOU_TRY(snapshot.store().Delete(name));
    ++result.deleted;
    std::string folder = name.substr(0, name.rfind('/'));
    while (folder.size() > kManifestFolder.size()) {
      const auto gone = snapshot.store().DeleteEmptyFolder(folder);
      if (!gone || !*gone) break;
      folder.resize(folder.rfind('/'));
    }
  }
  return result;
}

}  // namespace bayou::commands
