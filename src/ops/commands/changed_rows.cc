// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/changed_rows.h"

#include <utility>

namespace bayou::commands {
namespace {

using protocol::DeletionVector;

// A row that both have; call only when there is one.
std::uint64_t FirstOfBoth(const DeletionVector& a, const DeletionVector& b) {
  std::uint64_t row = 0;
  while (!a.Contains(row) || !b.Contains(row)) ++row;
  return row;
}

}  // namespace

bool ChangedRows::Add(Place place, RowChange change) {
  if (last_ == nullptr || place.file != last_number_) {
    last_ = &files_[place.file];
    last_number_ = place.file;
  }
  const bool is_update = change == RowChange::kUpdate;
  DeletionVector& into = is_update ? last_->updated : last_->deleted;
  const DeletionVector& other = is_update ? last_->deleted : last_->updated;
  return !other.Contains(place.row) && into.Add(place.row);
}

std::optional<ChangedRows::Place> ChangedRows::Merge(ChangedRows other) {
  last_ = nullptr;
  std::optional<Place> twice;
  for (auto& [number, theirs] : other.files_) {
    OfFile& ours = files_[number];
    for (const auto* a : {&ours.deleted, &ours.updated}) {
      for (const auto* b : {&theirs.deleted, &theirs.updated}) {
        if (!twice && a->Intersects(*b))
          twice = Place{number, FirstOfBoth(*a, *b)};
      }
    }
    ours.deleted.Merge(theirs.deleted);
    ours.updated.Merge(theirs.updated);
  }
  return twice;
}

}  // namespace bayou::commands
