// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/vacuum_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>

#include "base/sum.h"
#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"
#include "kernel/log/log_listing.h"
#include "ops/commands/table_names.h"

namespace bayou::commands {
namespace {

using protocol::Action;
using protocol::Version;
using store::ObjectMeta;

std::string_view NameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Empty: the table's own folder.
std::string_view FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : path.substr(0, slash);
}

class Listing {
 public:
  Listing(const table::Snapshot& snapshot, const KeptFiles& kept,
          VacuumPlan& plan)
      : snapshot_(snapshot), kept_(kept), hidden_(snapshot), plan_(plan) {}

  Status Run() {
    const store::Store::TreeVisitor visitor{
        .enter = [this](const ObjectMeta& folder) { return Enter(folder); },
        .file =
            [this](const ObjectMeta& file) {
              Visit(file);
              return Status();
            }};
    BAYOU_TRY(snapshot_.store().ListTree("", visitor));
    LeaveOtherTables();
    FindEmptyFolders();
    if (!kept_.keeps_expired() && !leaves_expired_)
      plan_.done_until = plan_.expired_until;
    return {};
  }

 private:
  bool Enter(const ObjectMeta& folder) {
    ++plan_.folders_found;
    ++plan_.entries_found;
    const std::string_view name = NameOf(folder.name);
    if (name == log::kLogFolder || name == ".hoodie")
      FoundTableAt(FolderOf(folder.name));
    if (hidden_.IsHidden(name)) {
      Keep(FolderOf(folder.name));
      return false;
    }
    folders_.push_back(folder.name);
    // Somebody may be about to write into it.
    if (folder.modified_ms >= plan_.cutoff_ms) Keep(folder.name);
    return true;
  }

  void Visit(const ObjectMeta& file) {
    ++plan_.entries_found;
    const std::string_view folder = FolderOf(file.name);
    if (file.name.ends_with(".metadata.json") &&
        NameOf(folder) == "metadata") {  // An Iceberg table, maybe this one's.
      FoundTableAt(folder == "metadata" ? folder : FolderOf(folder));
    }
    if (hidden_.IsBelowHidden(file.name) || kept_.Contains(file.name))
      return Keep(folder);
    if (file.modified_ms >= plan_.cutoff_ms) {
      leaves_expired_ |= kept_.WasRemoved(file.name);
      return Keep(folder);
    }
    plan_.files.push_back({file.name, file.size, !kept_.WasRemoved(file.name)});
  }

  void FoundTableAt(std::string_view folder) {
    if (!folder.empty()) other_tables_.emplace(folder);
  }

  void Keep(std::string_view folder) {
    while (!folder.empty() && kept_folders_.emplace(folder).second)
      folder = FolderOf(folder);
  }

  bool IsInOtherTable(std::string_view path) const {
    for (; !path.empty(); path = FolderOf(path)) {
      if (other_tables_.contains(path)) return true;
    }
    return false;
  }

  void LeaveOtherTables() {
    if (other_tables_.empty()) return;
    for (const std::string& folder : other_tables_) Keep(folder);
    std::erase_if(plan_.files, [this](const VacuumFile& file) {
      return IsInOtherTable(file.name);
    });
    std::erase_if(folders_, [this](const std::string& folder) {
      return IsInOtherTable(folder);
    });
  }

  void FindEmptyFolders() {
    for (std::string& folder : folders_) {
      if (!kept_folders_.contains(folder))
        plan_.folders.push_back(std::move(folder));
    }
    // What lies in a folder sorts behind it.
    std::ranges::sort(plan_.folders, std::greater<>());
  }

  const table::Snapshot& snapshot_;
  const KeptFiles& kept_;
  const HiddenNames hidden_;
  VacuumPlan& plan_;
  std::vector<std::string> folders_;
  std::set<std::string, std::less<>> kept_folders_;
  std::set<std::string, std::less<>> other_tables_;
  bool leaves_expired_ = false;  // What went long ago, and yet is young.
};

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
      : snapshot_(snapshot), kept_(kept), hidden_(snapshot), plan_(plan) {}

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
        !seen_.insert(*name).second || IsInOtherTable(FolderOf(*name))) {
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

  bool IsInOtherTable(std::string_view folder) {
    for (; !folder.empty(); folder = FolderOf(folder)) {
      auto found = is_table_.find(folder);
      if (found == is_table_.end()) {
        const bool has_log = snapshot_.store()
                                 .List(JoinPath(folder, log::kLogFolder), "")
                                 .has_value();
        found = is_table_.emplace(folder, has_log).first;
      }
      if (found->second) return true;
    }
    return false;
  }

  const table::Snapshot& snapshot_;
  const KeptFiles& kept_;
  const HiddenNames hidden_;
  VacuumPlan& plan_;
  std::unordered_set<std::string> seen_;
  std::map<std::string, bool, std::less<>> is_table_;  // By folder.
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

}  // namespace

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
  BAYOU_TRY(Listing(snapshot, kept, plan).Run());
  BAYOU_TRY(FindTemporaryLogFiles(snapshot, plan));
  Sort(plan);
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
