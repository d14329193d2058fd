// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/row_level_merge.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/uri_path.h"
#include "kernel/scan/chosen_rows.h"

namespace bayou::transaction {
namespace {

using protocol::AddFile;
using protocol::DeletionVector;
using protocol::RemoveFile;
using Base = std::shared_ptr<const table::Snapshot>;

// nullptr: there is none.
template <typename Files>
auto FindPath(Files& files, const std::string& path) {
  const auto found = std::ranges::find_if(files, [&](const auto& file) {
    return CanonicalPath(file.path) == path;
  });
  return found == files.end() ? nullptr : &*found;
}

template <typename File>
Result<DeletionVector> VectorOf(const Base& base, const File& file) {
  AddFile named;
  named.path = file.path;
  named.deletion_vector = file.deletion_vector;
  return scan::DeletedRowsOf(base, {}, named);
}

// The rows that go from `before` to `after`; an error, too, when rows come.
template <typename Before, typename After>
Result<DeletionVector> RowsTaken(const Base& base, const Before& before,
                                 const After& after) {
  BAYOU_ASSIGN(DeletionVector taken, VectorOf(base, after));
  BAYOU_ASSIGN(const DeletionVector old, VectorOf(base, before));
  const std::uint64_t all = taken.Cardinality();
  taken.Subtract(old);
  if (taken.Cardinality() + old.Cardinality() == all) return taken;
  return Fail(ErrorCode::kConflict, "DELTA_CONCURRENT_APPEND",
              "rows came back");  // Nobody reads it: the checker reports.
}

}  // namespace

RowLevelMerge RowLevelMerge::Plan(const Base& base, const StagedActions& staged,
                                  const WinningCommit& winner) {
  RowLevelMerge merge;
  std::unordered_map<std::string, const RemoveFile*> removed;
  for (const protocol::Action& action : winner.actions) {
    if (const auto* remove = std::get_if<RemoveFile>(&action))
      removed[CanonicalPath(remove->path)] = remove;
  }
  for (const protocol::Action& action : winner.actions) {
    const auto* add = std::get_if<AddFile>(&action);
    if (add == nullptr || !add->deletion_vector) continue;
    const auto before = removed.find(CanonicalPath(add->path));
    if (before != removed.end()) merge.Add(base, staged, *before->second, *add);
  }
  return merge;
}

void RowLevelMerge::Add(const Base& base, const StagedActions& staged,
                        const RemoveFile& before, const AddFile& after) {
  const std::string path = CanonicalPath(after.path);
  const RemoveFile* our_before = FindPath(staged.removes, path);
  const AddFile* our_after = FindPath(staged.adds, path);
  // A file that is removed for good, or written anew, has no vector to merge.
  const bool is_ours = our_before != nullptr || our_after != nullptr;
  if (is_ours && (our_before == nullptr || our_after == nullptr)) return;
  const auto theirs = RowsTaken(base, before, after);
  if (!theirs) return;
  if (is_ours) {
    const auto ours = RowsTaken(base, *our_before, *our_after);
    if (!ours || ours->Intersects(*theirs)) return;
    auto gone = VectorOf(base, after);
    if (!gone) return;
    gone->Merge(*ours);
    merged_.push_back({after, *std::move(gone)});
  }
  files_.insert(path);
}

Status RowLevelMerge::Apply(StagedActions& staged,
                            write::DeletionVectorWriter& vectors) const {
  for (const MergedFile& merged : merged_) {
    const std::string path = CanonicalPath(merged.file.path);
    RemoveFile& remove = *FindPath(staged.removes, path);
    remove.deletion_vector = merged.file.deletion_vector;
    remove.stats = merged.file.stats;
    remove.tags = merged.file.tags;
    // Even if it has no rows left: how many it had, only statistics say.
    AddFile* const add = FindPath(staged.adds, path);
    const bool data_change = add->data_change;
    *add = merged.file;
    add->data_change = data_change;
    BAYOU_ASSIGN(add->deletion_vector, vectors.Add(merged.gone));
  }
  return {};
}

}  // namespace bayou::transaction
