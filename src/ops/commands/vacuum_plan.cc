// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/vacuum_plan.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>

#include "base/sum.h"
#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"
#include "kernel/log/log_listing.h"
#include "ops/commands/other_tables.h"
#include "ops/commands/table_names.h"
#include "ops/commands/vacuum_listing.h"

namespace bayou::commands {
namespace {

using protocol::Action;
using protocol::Version;
using store::ObjectMeta;

Status FindTemporaryLogFiles(const table::Snapshot& snapshot,
                             VacuumPlan& plan) {
  BAYOU_ASSIGN(const auto files, snapshot.store().List(log::kLogFolder, ""));
  for (const ObjectMeta& file : files) {
    if (file.modified_ms < plan.cutoff_ms && IsTemporaryLogFile(file.name)) {
      plan.temporary_log_files.push_back(JoinPath(log::kLogFolder, file.name));
    }
  }
  return {};
}

// The files that commits took out of the table.
class RemovedFiles {
 public:
  RemovedFiles(const table::Snapshot& snapshot, const KeptFiles& kept,
               VacuumPlan& plan)
      : snapshot_(snapshot),
        kept_(kept),
        hidden_(snapshot),
        others_(snapshot.store()),
        plan_(plan) {}

  // False: some of what the commit took out is to be kept for now.
  Result<bool> Look(Version version) {
    BAYOU_ASSIGN(const auto actions, ReadRemovals(snapshot_, version));
    bool is_done = true;
    for (const Action& action : actions) {
      if (const auto* remove = std::get_if<protocol::RemoveFile>(&action)) {
        if (remove->deletion_timestamp.value_or(0) >= plan_.cutoff_ms) {
          is_done = false;
          continue;
        }
        BAYOU_TRY(Take(NameInTable(snapshot_, remove->path)));
        BAYOU_ASSIGN(const auto vector,
                     NameInTable(snapshot_, remove->deletion_vector));
        BAYOU_TRY(Take(vector));
      } else if (const auto* change = std::get_if<protocol::CdcFile>(&action)) {
        BAYOU_TRY(Take(NameInTable(snapshot_, change->path)));
      }
    }
    return is_done;
  }

 private:
  Status Take(const std::optional<std::string>& name) {
    if (!name || kept_.Contains(*name) || hidden_.IsBelowHidden(*name) ||
        !seen_.insert(*name).second || others_.Contain(FolderOf(*name))) {
      return {};
    }
    const auto file = snapshot_.store().Head(*name);
    if (!file && file.error().code == ErrorCode::kNotFound) return {};
    if (!file) return tl::unexpected<Error>(file.error());
    // A path of the log may lead anywhere.
    if (!snapshot_.store().CheckInside(*name)) return {};
    plan_.files.push_back({*name, file->size, false});
    return {};
  }

  const table::Snapshot& snapshot_;
  const KeptFiles& kept_;
  const HiddenNames hidden_;
  OtherTables others_;
  VacuumPlan& plan_;
  std::unordered_set<std::string> seen_;
};

Result<Version> EarliestCommit(const table::Snapshot& snapshot) {
  BAYOU_ASSIGN(const auto listing, log::ListLog(snapshot.store(), 0));
  Version earliest = snapshot.version() + 1;
  for (const log::LogFileName& file : listing) {
    if (file.kind == log::LogFileKind::kCommit)
      earliest = std::min(earliest, file.version);
  }
  return earliest;
}

Result<VacuumPlan> BeginPlan(const table::Snapshot& snapshot, VacuumMode mode,
                             std::int64_t cutoff_ms) {
  VacuumPlan plan;
  plan.mode = mode;
  plan.cutoff_ms = cutoff_ms;
  BAYOU_ASSIGN(plan.expired_until, LatestVersionBefore(snapshot, cutoff_ms));
  return plan;
}

void Sort(VacuumPlan& plan) {
  std::ranges::sort(plan.files, {}, &VacuumFile::name);
}

// Looks at each file that an inventory gives up: it may be another one by now.
Status BelieveWhatIsThere(const table::Snapshot& snapshot,
                          VacuumListing& listing, VacuumPlan& plan) {
  Sort(plan);
  InventoryCheck check(snapshot, plan.cutoff_ms);
  std::vector<VacuumFile> found = std::exchange(plan.files, {});
  for (VacuumFile& file : found) {
    if (!plan.files.empty() && plan.files.back().name == file.name) continue;
    BAYOU_ASSIGN(const auto finding, check.Look(file.name));
    if (finding == InventoryCheck::Finding::kKeep)
      listing.Keep(FolderOf(file.name));
    if (finding == InventoryCheck::Finding::kOld)
      plan.files.push_back(std::move(file));
  }
  return {};
}

}  // namespace

const char* NameOf(VacuumMode mode) {
  switch (mode) {
    case VacuumMode::kFull:
      return "FULL";
    case VacuumMode::kLite:
      return "LITE";
    case VacuumMode::kInventory:
      break;
  }
  return "INVENTORY";
}

std::int64_t VacuumPlan::bytes() const {
  std::int64_t bytes = 0;
  for (const VacuumFile& file : files) bytes = Sum(bytes, file.size);
  return bytes;
}

Result<VacuumPlan> PlanFullVacuum(const table::Snapshot& snapshot,
                                  std::int64_t cutoff_ms) {
  BAYOU_ASSIGN(VacuumPlan plan,
               BeginPlan(snapshot, VacuumMode::kFull, cutoff_ms));
  BAYOU_ASSIGN(const KeptFiles kept,
               KeptFiles::Of(snapshot, cutoff_ms, plan.expired_until));
  VacuumListing listing(snapshot, kept, plan);
  const store::Store::TreeVisitor visitor{
      .enter = [&](const ObjectMeta& folder) { return listing.Enter(folder); },
      .file =
          [&](const ObjectMeta& file) {
            listing.Visit(file);
            return Status();
          },
      .knows = [&](std::string_view file) { return listing.Knows(file); }};
  BAYOU_TRY(snapshot.store().ListTree("", visitor));
  listing.Finish();
  if (!kept.keeps_expired() && !listing.leaves_expired())
    plan.done_until = plan.expired_until;
  BAYOU_TRY(FindTemporaryLogFiles(snapshot, plan));
  Sort(plan);
  return plan;
}

Result<VacuumPlan> PlanInventoryVacuum(const table::Snapshot& snapshot,
                                       std::int64_t cutoff_ms,
                                       const Inventory& inventory) {
  BAYOU_ASSIGN(VacuumPlan plan,
               BeginPlan(snapshot, VacuumMode::kInventory, cutoff_ms));
  BAYOU_ASSIGN(const KeptFiles kept,
               KeptFiles::Of(snapshot, cutoff_ms, plan.expired_until));
  VacuumListing listing(snapshot, kept, plan);
  BAYOU_TRY(inventory([&](const InventoryEntry& entry) {
    const auto found = EntryInTable(snapshot, entry);
    if (found && entry.is_folder) (void)listing.Enter(*found);
    if (found && !entry.is_folder && !listing.Knows(found->name))
      listing.Visit(*found);
    return Status();
  }));
  BAYOU_TRY(BelieveWhatIsThere(snapshot, listing, plan));
  listing.Finish();
  // How old a folder is, whose it is and where it lies, nobody has looked at.
  plan.folders.clear();
  BAYOU_TRY(FindTemporaryLogFiles(snapshot, plan));
  return plan;
}

Result<VacuumPlan> PlanLiteVacuum(const table::Snapshot& snapshot,
                                  std::int64_t cutoff_ms,
                                  std::optional<Version> done_until) {
  BAYOU_ASSIGN(VacuumPlan plan,
               BeginPlan(snapshot, VacuumMode::kLite, cutoff_ms));
  plan.done_until = done_until;
  if (!plan.expired_until) return plan;
  BAYOU_ASSIGN(const Version earliest, EarliestCommit(snapshot));
  const Version first = done_until ? *done_until + 1 : earliest;
  if (earliest != 0 && (!done_until || first < earliest)) {
    return Fail(ErrorCode::kUnsupported, "DELTA_CANNOT_VACUUM_LITE",
                "table " + snapshot.location() +
                    ": its log begins with version " +
                    std::to_string(earliest) +
                    ", so it no longer tells of all files that went out of "
                    "the table since the last VACUUM; run VACUUM ... FULL");
  }
  if (first > *plan.expired_until) return plan;
  BAYOU_ASSIGN(const KeptFiles kept,
               KeptFiles::Of(snapshot, cutoff_ms, plan.expired_until));
  plan.first_commit = first;
  plan.last_commit = plan.expired_until;
  RemovedFiles removed(snapshot, kept, plan);
  for (Version version = first; version <= *plan.last_commit; ++version) {
    BAYOU_ASSIGN(const bool is_done, removed.Look(version));
    if (is_done && plan.done_until.value_or(-1) == version - 1)
      plan.done_until = version;
  }
  Sort(plan);
  return plan;
}

}  // namespace bayou::commands
