// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/cloned_files.h"

#include <fmt/format.h>

#include <utility>

#include "base/uri_path.h"
#include "ops/commands/live_files.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;

// Which data; which deleted rows; and of which file that is said.
constexpr const char* kOrigin = "BAYOU_CLONE_OF";
constexpr const char* kOriginVector = "BAYOU_CLONE_OF_VECTOR";
constexpr const char* kSelf = "BAYOU_CLONE_AS";

// A path that is decoded, of the source's log, as a URI.
Result<std::string> AbsoluteUri(const table::Snapshot& source,
                                std::string path) {
  if (!IsAbsolutePath(path)) {
    const Status inside = CheckRelativePath(path);
    if (!inside) {
      Error error = inside.error();
      error.message += " (in the log of table " + source.location() + ")";
      return tl::unexpected<Error>(std::move(error));
    }
    path = JoinPath(source.location(), path);
  }
  const std::size_t authority = path.find("://");
  if (authority == std::string::npos) return "file:" + PercentEncodePath(path);
  return path.substr(0, authority + 3) +
         PercentEncodePath(path.substr(authority + 3));
}

std::string VectorOf(const AddFile& file) {
  return file.deletion_vector ? file.deletion_vector->UniqueId() : "";
}

// A file is never changed, but a table may be made anew in the same place.
std::string OriginOf(const table::Snapshot& source, const AddFile& file) {
  return fmt::format("{} {} {} {}", source.metadata().id, file.size,
                     file.modification_time, file.path);
}

std::string SelfOf(const AddFile& file, std::string_view vector) {
  return fmt::format("{} {}", file.path, vector);
}

std::string Tag(const AddFile& file, const char* name) {
  const auto found = file.tags.find(name);
  return found == file.tags.end() ? "" : found->second.value_or("");
}

}  // namespace

Result<AddFile> ByAbsolutePath(const table::Snapshot& source, AddFile file) {
  BAYOU_ASSIGN(file.path, AbsoluteUri(source, CanonicalPath(file.path)));
  auto& vector = file.deletion_vector;
  if (!vector || vector->storage_type == 'i') return file;
  BAYOU_ASSIGN(const std::string path, vector->FilePath());
  BAYOU_ASSIGN(vector->path_or_inline_dv, AbsoluteUri(source, path));
  vector->storage_type = 'p';
  return file;
}

Result<CopiedFiles> CopiedFiles::Of(const table::Snapshot& clone) {
  CopiedFiles copied;
  BAYOU_TRY(VisitFiles(clone, kAllFields, [&](AddFile file) -> Status {
    std::string origin = Tag(file, kOrigin);
    if (!origin.empty() && Tag(file, kSelf).starts_with(SelfOf(file, "")))
      copied.by_origin_.emplace(std::move(origin), copied.files_.size());
    copied.files_.push_back({std::move(file)});
    return {};
  }));
  return copied;
}

const AddFile* CopiedFiles::Take(const table::Snapshot& source,
                                 const AddFile& file) {
  const auto found = by_origin_.find(OriginOf(source, file));
  if (found == by_origin_.end()) return nullptr;
  Copy& copy = files_[found->second];
  copy.taken = true;
  return &copy.file;
}

std::vector<AddFile> CopiedFiles::Others() const {
  std::vector<AddFile> others;
  for (const Copy& copy : files_) {
    if (!copy.taken) others.push_back(copy.file);
  }
  return others;
}

bool HasDeletedRowsOf(const AddFile& copy, const AddFile& file) {
  return Tag(copy, kOriginVector) == VectorOf(file) &&
         Tag(copy, kSelf) == SelfOf(copy, VectorOf(copy));
}

void NoteOrigin(const table::Snapshot& source, const AddFile& file,
                AddFile& copy) {
  copy.tags[kOrigin] = OriginOf(source, file);
  copy.tags[kOriginVector] = VectorOf(file);
  copy.tags[kSelf] = SelfOf(copy, VectorOf(copy));
}

}  // namespace bayou::commands
