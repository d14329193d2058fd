// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/conflict_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <variant>

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/log/file_view.h"
#include "kernel/protocol/table_features.h"
#include "kernel/transaction/row_ids.h"
#include "kernel/transaction/tolerated_metadata.h"

namespace bayou::transaction {
namespace {

using protocol::AddFile;
using protocol::RemoveFile;

template <typename Kind>
const Kind* FindAction(const WinningCommit& winner) {
  for (const protocol::Action& action : winner.actions) {
    if (const auto* found = std::get_if<Kind>(&action)) return found;
  }
  return nullptr;
}

Status Conflict(std::string_view condition, const LosingTransaction& loser,
                const WinningCommit& winner, std::string_view reason) {
  const protocol::CommitInfo* info = winner.info();
  const std::string operation = info != nullptr && info->operation
                                    ? *info->operation
                                    : "of an unknown kind";
  return Fail(
      ErrorCode::kConflict, condition,
      fmt::format("table {}: version {} (operation {}) was committed first "
                  "and {}; nothing of this statement ({}) was committed: run "
                  "it again",
                  loser.table, winner.version, operation, reason,
                  loser.operation));
}

// ------------------------------------------------------ protocol and metadata

Status CheckProtocol(const LosingTransaction& loser,
                     const WinningCommit& winner) {
  const auto* changed = FindAction<protocol::Protocol>(winner);
  if (changed == nullptr) return {};
  const auto* metadata = FindAction<protocol::Metadata>(winner);
  BAYOU_TRY(protocol::CheckWritable(
      *changed, metadata != nullptr ? *metadata : loser.metadata, loser.table));
  if (loser.staged.protocol) {
    return Conflict("DELTA_PROTOCOL_CHANGED", loser, winner,
                    "changed the table's protocol, which this statement "
                    "changes too");
  }
  const auto left = protocol::SupportedFeatures(*changed);
  for (const std::string& feature :
       protocol::SupportedFeatures(loser.protocol)) {
    if (left.contains(feature)) continue;
    return Conflict("DELTA_PROTOCOL_CHANGED", loser, winner,
                    "dropped the table's feature " + feature);
  }
  return {};
}

// delta-spark marks commits whose metadata moves on nothing but the high-water
// marks of identity columns.
bool MovesOnlyIdentityMarks(const WinningCommit& winner) {
  const protocol::CommitInfo* info = winner.info();
  if (info == nullptr) return false;
  simdjson::dom::parser parser;
  const auto json = ParseJson(parser, info->json);
  std::string_view tag;
  return json &&
         (*json)["tags"]["delta.identity.schemaUpdate"].get(tag) ==
             simdjson::SUCCESS &&
         tag == "true";
}

Status CheckMetadata(const LosingTransaction& loser,
                     const WinningCommit& winner) {
  const auto* changed = FindAction<protocol::Metadata>(winner);
  if (changed == nullptr) return {};
  if (loser.staged.metadata) {
    return Conflict("DELTA_METADATA_CHANGED", loser, winner,
                    "changed the table's schema or properties, which this "
                    "statement changes too");
  }
  if (MovesOnlyIdentityMarks(winner)) return {};
  const auto* protocol = FindAction<protocol::Protocol>(winner);
  const auto harm =
      FirstHarmfulChange(loser.metadata, *changed,
                         protocol != nullptr ? *protocol : loser.protocol);
  if (!harm) return {};
  return Conflict("DELTA_METADATA_CHANGED", loser, winner,
                  *harm + ", on which this statement was built");
}

// ------------------------------------------------- domains and applications

Status CheckDomains(const LosingTransaction& loser,
                    const WinningCommit& winner) {
  for (const protocol::Action& action : winner.actions) {
    const auto* domain = std::get_if<protocol::DomainMetadata>(&action);
    if (domain == nullptr || domain->domain == kRowTrackingDomain) continue;
    const bool is_ours = std::ranges::any_of(
        loser.staged.domains,
        [&](const auto& ours) { return ours.domain == domain->domain; });
    if (!is_ours) continue;
    return Conflict("DELTA_CONCURRENT_TRANSACTION", loser, winner,
                    "changed the metadata domain " + domain->domain +
                        ", which this statement changes too");
  }
  return {};
}

Status CheckApplications(const LosingTransaction& loser,
                         const WinningCommit& winner) {
  for (const protocol::Action& action : winner.actions) {
    const auto* app = std::get_if<protocol::SetTransaction>(&action);
    if (app == nullptr || !loser.reads.app_ids.contains(app->app_id)) continue;
    return Conflict("DELTA_CONCURRENT_TRANSACTION", loser, winner,
                    fmt::format("was version {} of the application {}, as "
                                "which this statement writes",
                                app->version, app->app_id));
  }
  return {};
}

// ------------------------------------------------------------------- files

bool IsBlindAppend(const WinningCommit& winner) {
  const protocol::CommitInfo* info = winner.info();
  return info != nullptr && info->is_blind_append.value_or(false);
}

// Whether rows that the winner adds count as there before the loser read.
bool MustHaveRead(const LosingTransaction& loser, const WinningCommit& winner) {
  if (!loser.reads.HasFiles() || winner.IsRowTrackingBackfill()) return false;
  switch (loser.isolation) {
    case IsolationLevel::kSerializable:
      return true;
    case IsolationLevel::kWriteSerializable:
      return loser.staged.metadata || !IsBlindAppend(winner);
    case IsolationLevel::kSnapshotIsolation:
      return false;
  }
  return true;
}

bool WouldRead(const ReadSet& reads, const AddFile& add) {
  if (reads.whole_table) return true;
  log::PartitionView values;
  const log::FileView view = log::ViewOf(add, values);
  const auto keeps = [&](const auto& scan) { return scan->Keep(view); };
  return std::ranges::any_of(reads.scans, keeps) ||
         std::ranges::any_of(reads.row_scans, keeps);
}

bool AddsWhatIsRead(const LosingTransaction& loser,
                    const WinningCommit& winner) {
  return std::ranges::any_of(winner.actions, [&](const auto& action) {
    const auto* add = std::get_if<AddFile>(&action);
    return add != nullptr && add->data_change && WouldRead(loser.reads, *add);
  });
}

bool ChangesData(const WinningCommit& winner) {
  return std::ranges::any_of(winner.actions, [](const auto& action) {
    const auto* add = std::get_if<AddFile>(&action);
    const auto* remove = std::get_if<RemoveFile>(&action);
    return (add != nullptr && add->data_change) ||
           (remove != nullptr && remove->data_change);
  });
}

// nullopt: it does not say.
std::optional<std::int64_t> ReadVersion(const WinningCommit& winner) {
  const protocol::CommitInfo* info = winner.info();
  if (info == nullptr) return std::nullopt;
  simdjson::dom::parser parser;
  const auto json = ParseJson(parser, info->json);
  std::int64_t version = 0;
  if (!json || (*json)["readVersion"].get(version) != simdjson::SUCCESS)
    return std::nullopt;
  return version;
}

Status CheckOrder(const LosingTransaction& loser, const WinningCommit& winner) {
  if (!loser.comes_before || IsBlindAppend(winner) || !ChangesData(winner))
    return {};
  const auto read = ReadVersion(winner);
  if (read && *read < *loser.comes_before) return {};
  return Conflict("DELTA_CONCURRENT_APPEND", loser, winner,
                  fmt::format("may have read the rows of version {}, before "
                              "which this statement would have to come, for it "
                              "has not read them",
                              *loser.comes_before));
}

Status CheckAddedFiles(const LosingTransaction& loser,
                       const WinningCommit& winner) {
  if (!MustHaveRead(loser, winner)) return {};
  for (const protocol::Action& action : winner.actions) {
    const auto* add = std::get_if<AddFile>(&action);
    if (add == nullptr || !add->data_change || !WouldRead(loser.reads, *add))
      continue;
    if (loser.settled.contains(CanonicalPath(add->path))) continue;
    return Conflict("DELTA_CONCURRENT_APPEND", loser, winner,
                    "added rows in file " + add->path +
                        ", which this statement would have read");
  }
  return {};
}

Status CheckRemovedFilesRead(const LosingTransaction& loser,
                             const WinningCommit& winner) {
  if (!loser.reads.HasFiles()) return {};
  for (const protocol::Action& action : winner.actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (remove == nullptr || !remove->data_change) continue;
    if (!loser.reads.whole_table &&
        !loser.files_read.contains(CanonicalPath(remove->path))) {
      continue;
    }
    return Conflict("DELTA_CONCURRENT_DELETE_READ", loser, winner,
                    "removed rows of file " + remove->path +
                        ", which this statement has read");
  }
  return {};
}

Status CheckRemovedTwice(const LosingTransaction& loser,
                         const WinningCommit& winner) {
  // An added file may be one that is there already, described anew: it must not
  // come back either. The names of new files are nobody else's.
  std::unordered_set<std::string> ours;
  const auto insert = [&](const auto& files) {
    for (const auto& file : files) {
      std::string path = CanonicalPath(file.path);
      if (!loser.settled.contains(path)) ours.insert(std::move(path));
    }
  };
  insert(loser.staged.removes);
  insert(loser.staged.adds);
  for (const protocol::Action& action : winner.actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (remove == nullptr || !ours.contains(CanonicalPath(remove->path)))
      continue;
    return Conflict("DELTA_CONCURRENT_DELETE_DELETE", loser, winner,
                    "removed or rewrote file " + remove->path +
                        ", which this statement does too");
  }
  return {};
}

}  // namespace

const protocol::CommitInfo* WinningCommit::info() const {
  return FindAction<protocol::CommitInfo>(*this);
}

bool WinningCommit::IsRowTrackingBackfill() const {
  return info() != nullptr && info()->operation == "ROW TRACKING BACKFILL";
}

Status CheckConflict(const LosingTransaction& loser,
                     const WinningCommit& winner) {
  BAYOU_TRY(CheckProtocol(loser, winner));
  BAYOU_TRY(CheckMetadata(loser, winner));
  BAYOU_TRY(CheckDomains(loser, winner));
  BAYOU_TRY(CheckApplications(loser, winner));
  BAYOU_TRY(CheckAddedFiles(loser, winner));
  BAYOU_TRY(CheckOrder(loser, winner));
  BAYOU_TRY(CheckRemovedFilesRead(loser, winner));
  return CheckRemovedTwice(loser, winner);
}

bool CountsAsLater(const LosingTransaction& loser,
                   const WinningCommit& winner) {
  return loser.isolation == IsolationLevel::kWriteSerializable &&
         IsBlindAppend(winner) && AddsWhatIsRead(loser, winner);
}

}  // namespace bayou::transaction
