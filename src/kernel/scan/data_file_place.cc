// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/data_file_place.h"

#include <optional>

#include "base/uri_path.h"
#include "kernel/store/location.h"

namespace bayou::scan {
namespace {

// The path relative to the table's folder, or nullopt when it lies elsewhere.
std::optional<std::string_view> WithinTable(const ScannedTable& table,
                                            std::string_view path) {
  if (!IsAbsolutePath(path)) return path;
  const std::string& folder = table.snapshot->location();
  if (path.size() > folder.size() + 1 && path.starts_with(folder) &&
      path[folder.size()] == '/') {
    return path.substr(folder.size() + 1);
  }
  return std::nullopt;
}

Status CheckExternal(const ScannedTable& table, std::string_view path) {
  if (!table.options.allow_external_paths) {
    return Fail(ErrorCode::kPermissionDenied, "DELTA_PATH_OUTSIDE_TABLE",
                "the log names the file " + std::string(path) +
                    ", which lies outside the folder of " + table.Describe() +
                    " (is it a shallow clone?); allow it with "
                    "--allow-external-paths if you trust the table");
  }
  if (path.find("://") != std::string_view::npos &&
      !store::HasRegisteredScheme(path)) {
    return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_STORE",
                "the log of " + table.Describe() + " names the file " +
                    std::string(path) +
                    ", which lies in a store that this build cannot read");
  }
  return {};
}

Status CheckLinksInside(const ScannedTable& table, std::string_view path) {
  if (table.options.allow_external_paths) return {};
  return table.snapshot->store().CheckInside(path);
}

Status CheckInside(const ScannedTable& table, std::string_view path) {
  auto checked = CheckRelativePath(path);
  if (checked) return {};
  Error error = std::move(checked).error();
  error.message += " (in the log of " + table.Describe() + ")";
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace

Result<std::string> PlaceOfFile(const ScannedTable& table,
                                std::string_view log_path) {
  std::string path = CanonicalPath(log_path);
  if (const auto inside = WithinTable(table, path)) {
    BAYOU_TRY(CheckInside(table, *inside));
    return table.snapshot->store().NativePath(*inside);
  }
  BAYOU_TRY(CheckExternal(table, path));
  return path;
}

Status CheckLinks(const ScannedTable& table, std::string_view log_path) {
  const std::string path = CanonicalPath(log_path);
  const auto inside = WithinTable(table, path);
  return inside ? CheckLinksInside(table, *inside) : Status{};
}

Result<std::string> ReadBytes(const ScannedTable& table,
                              std::string_view canonical_path,
                              std::int64_t offset, std::int64_t length) {
  if (const auto inside = WithinTable(table, canonical_path)) {
    BAYOU_TRY(CheckInside(table, *inside));
    BAYOU_TRY(CheckLinksInside(table, *inside));
    return table.snapshot->store().ReadRange(*inside, offset, length);
  }
  BAYOU_TRY(CheckExternal(table, canonical_path));
  const std::size_t slash = canonical_path.rfind('/');
  const auto folder =
      store::OpenStore(std::string(canonical_path.substr(0, slash)));
  return folder->ReadRange(canonical_path.substr(slash + 1), offset, length);
}

std::string UriOfPlace(std::string_view place) {
  if (place.find("://") != std::string_view::npos) return std::string(place);
  return "file:" + PercentEncodePath(place);
}

}  // namespace bayou::scan
