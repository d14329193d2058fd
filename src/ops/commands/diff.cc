// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/diff.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "base/uri_path.h"
#include "ops/commands/live_files.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using Kind = FileDifference::Kind;

constexpr log::FileFields kWithStats{
    .stats = true, .tags = false, .row_tracking = false};

struct Known {
  std::string vector;
  bool is_in_both = false;
};

std::string VectorOf(const AddFile& file) {
  return file.deletion_vector ? file.deletion_vector->UniqueId() : "";
}

}  // namespace

Result<std::vector<FileDifference>> DiffFiles(const table::Snapshot& from,
                                              const table::Snapshot& to) {
  std::unordered_map<std::string, Known> known;
  BAYOU_TRY(VisitFiles(from, {}, [&](const AddFile& file) -> Status {
    known[CanonicalPath(file.path)].vector = VectorOf(file);
    return {};
  }));
  std::vector<FileDifference> differences;
  BAYOU_TRY(VisitFiles(to, kWithStats, [&](AddFile file) -> Status {
    const auto found = known.find(CanonicalPath(file.path));
    if (found == known.end()) {
      differences.push_back({Kind::kAdded, std::move(file)});
      return {};
    }
    found->second.is_in_both = true;
    if (found->second.vector != VectorOf(file))
      differences.push_back({Kind::kChanged, std::move(file)});
    return {};
  }));
  BAYOU_TRY(VisitFiles(from, kWithStats, [&](AddFile file) -> Status {
    if (!known[CanonicalPath(file.path)].is_in_both)
      differences.push_back({Kind::kRemoved, std::move(file)});
    return {};
  }));
  return differences;
}

}  // namespace bayou::commands
