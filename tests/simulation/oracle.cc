// SPDX-License-Identifier: Apache-2.0
#include "simulation/oracle.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"
#include "kernel/protocol/version_checksum.h"

namespace bayou::simulation {
namespace {

// -1 when the commit does not say.
Version ReadVersionOf(const protocol::CommitInfo& info) {
  simdjson::dom::parser parser;
  const auto json = ParseJson(parser, info.json);
  std::int64_t version = -1;
  if (json) (void)(*json)["readVersion"].get(version);
  return version;
}

std::vector<std::string> FilesOf(const protocol::AddFile& add) {
  std::vector<std::string> files = {CanonicalPath(add.path)};
  if (add.deletion_vector && add.deletion_vector->storage_type == 'u')
    files.push_back(add.deletion_vector->FilePath().value());
  return files;
}

}  // namespace

void Change::ApplyTo(TableState& state) const {
  for (const Statement& statement : statements) statement.ApplyTo(state);
}

bool Change::IsBlindAppend() const {
  return std::ranges::all_of(statements, &Statement::IsBlindAppend);
}

bool Change::ChangesMetadata() const {
  return std::ranges::any_of(statements, &Statement::ChangesMetadata);
}

bool Change::IsVacuum() const {
  return std::ranges::all_of(statements, &Statement::IsVacuum);
}

bool Change::FindsNothingIn(const TableState& state) const {
  return std::ranges::all_of(statements, [&](const Statement& statement) {
    return statement.FindsNothingIn(state);
  });
}

void Oracle::Announce(int client, Change* change) {
  const auto index = static_cast<std::size_t>(client);
  if (announced_.size() <= index) announced_.resize(index + 1);
  announced_[index] = change;
}

void Oracle::Saw(int client, store::CallKind kind, std::string_view name,
                 std::string_view content, const Status& done) {
  if (!done) return;
  if (kind == store::CallKind::kDelete && live_.contains(std::string(name)))
    Fault(fmt::format("the live file {} was deleted", name));
  const log::LogFileName file =
      log::ParseLogFileName(name.substr(name.rfind('/') + 1));
  if (file.kind == log::LogFileKind::kChecksum &&
      kind == store::CallKind::kPutIfAbsent)
    SawChecksum(file.version, content);
  const auto version = VersionOfCommit(name);
  if (!version) return;
  if (kind == store::CallKind::kPutIfAbsent) {
    SawCommit(client, *version, content);
  } else if (store::Writes(kind) &&
             (kind != store::CallKind::kDelete || !MayBeGone(*version))) {
    Fault(fmt::format("{} of the commit {}", store::Name(kind), *version));
  }
}

void Oracle::SawCommit(int client, Version version, std::string_view content) {
  if (version != latest() + 1) {
    Fault(fmt::format("version {} was committed after {}", version, latest()));
    return;
  }
  const auto actions =
      protocol::ParseActions(content, "commit " + std::to_string(version));
  Change* const change = announced_[static_cast<std::size_t>(client)];
  if (!actions || change == nullptr) {
    Fault(fmt::format(
        "version {}: {}", version,
        actions ? "nobody meant to commit it" : actions.error().message));
    return;
  }
  Version read = -1;
  for (const auto& action : *actions) {
    const auto* info = std::get_if<protocol::CommitInfo>(&action);
    if (info == nullptr) continue;
    read = ReadVersionOf(*info);
    if (!info->txn_id || !txn_ids_.insert(*info->txn_id).second)
      Fault(fmt::format("version {} has no txnId of its own", version));
    // With no file at all a commit counts as one, as with delta-spark.
    if (info->is_blind_append != change->IsBlindAppend() &&
        !change->ChangesMetadata() && !change->IsVacuum() && version > 0)
      Fault(fmt::format("version {}: isBlindAppend is a lie: {}", version,
                        change->statements.front().Sql("t")));
  }
  CheckFiles(version, *actions);
  Commit commit;
  commit.state = StateAfter(*change, read);
  commit.at_ms = clock_.NowMs();
  commit.is_blind_append = change->IsBlindAppend() || change->IsVacuum();
  commit.changes_metadata = change->ChangesMetadata();
  if (change->IsBlindAppend()) change->ApplyTo(commit.added);
  commit.files = std::ssize(sizes_);
  for (const auto& [name, size] : sizes_) commit.bytes += size;
  history_.push_back(std::move(commit));
  change->commits.push_back(version);
  if (change->commits.size() > (change->IsVacuum() ? 2 : 1))
    Fault(fmt::format("versions {} and {} are the same change",
                      change->commits[0], version));
}

// What a commit names is there; what it takes out was there.
void Oracle::CheckFiles(Version version,
                        const std::vector<protocol::Action>& actions) {
  const std::set<std::string> gone_before = gone_;
  for (const auto& action : actions) {
    const auto* remove = std::get_if<protocol::RemoveFile>(&action);
    if (remove == nullptr) continue;
    gone_.insert(CanonicalPath(remove->path));
    sizes_.erase(CanonicalPath(remove->path));
    if (live_.erase(CanonicalPath(remove->path)) == 0)
      Fault(fmt::format("version {} removes {}, which is not live", version,
                        remove->path));
    if (remove->deletion_vector && remove->deletion_vector->storage_type == 'u')
      live_.erase(remove->deletion_vector->FilePath().value());
  }
  for (const auto& action : actions) {
    const auto* add = std::get_if<protocol::AddFile>(&action);
    if (add == nullptr) continue;
    if (gone_before.contains(CanonicalPath(add->path)))
      Fault(fmt::format("version {} brings {} back", version, add->path));
    gone_.erase(CanonicalPath(add->path));  // It has another vector.
    sizes_[CanonicalPath(add->path)] = add->size;
    for (const std::string& file : FilesOf(*add)) {
      live_.insert(file);
      if (!files_->Head(file))
        Fault(fmt::format("version {} names {}, which is not there", version,
                          file));
    }
  }
}

void Oracle::SawChecksum(Version version, std::string_view content) {
  const auto checksum =
      protocol::ParseVersionChecksum(content, std::to_string(version));
  if (!checksum || version > latest()) {
    Fault(checksum ? fmt::format("a checksum of version {} before its commit",
                                 version)
                   : checksum.error().message);
    return;
  }
  const Commit& commit = history_[static_cast<std::size_t>(version)];
  if (checksum->num_files == commit.files &&
      checksum->table_size_bytes == commit.bytes)
    return;
  Fault(
      fmt::format("the checksum of version {} has {} files of {} bytes "
                  "instead of {} of {}",
                  version, checksum->num_files, checksum->table_size_bytes,
                  commit.files, commit.bytes));
}

// As if the change had come last; under WriteSerializable it may come before
// the blind appends that it has not seen.
TableState Oracle::StateAfter(const Change& change, Version read) const {
  TableState state;
  if (!history_.empty()) state = history_.back().state;
  TableState unseen;
  if (write_serializable_ && !change.ChangesMetadata() && read >= 0) {
    for (Version version = read + 1; version <= latest(); ++version) {
      const Commit& commit = history_[static_cast<std::size_t>(version)];
      for (const auto& [row, count] : commit.added.rows) {
        const auto found = state.rows.find(row);
        if (found == state.rows.end()) continue;
        const int taken = std::min(count, found->second);
        state.Add(row, -taken);
        unseen.Add(row, taken);
      }
    }
  }
  change.ApplyTo(state);
  for (const auto& [row, count] : unseen.rows) state.Add(row, count);
  return state;
}

bool Oracle::IsRealConflict(const Change& change, Version read) const {
  for (Version version = read + 1; version <= latest(); ++version) {
    const Commit& winner = history_[static_cast<std::size_t>(version)];
    if (winner.changes_metadata) return true;
    if (change.IsBlindAppend()) continue;
    // What is removed or rewritten comes in whole files, with rows of any key.
    if (!winner.is_blind_append || change.ChangesMetadata()) return true;
    if (write_serializable_) continue;
    // Of the file of an append only the lowest and the highest key are known.
    const auto& rows = winner.added.rows;
    if (rows.empty()) continue;
    for (std::int64_t key = rows.begin()->first.k;
         key <= rows.rbegin()->first.k; ++key) {
      for (const Statement& statement : change.statements) {
        if (statement.Reads(key)) return true;
      }
    }
  }
  return false;
}

void Oracle::Fault(std::string text) {
  if (!fault_) fault_ = std::move(text);
}

}  // namespace bayou::simulation
