// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/change_feed.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/log/commit_history.h"
#include "kernel/log/log_listing.h"
#include "kernel/protocol/table_features.h"
#include "kernel/scan/changed_files.h"
#include "kernel/scan/scan_binding.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {
namespace {

using protocol::Version;
using table::Snapshot;
using SnapshotPtr = std::shared_ptr<const Snapshot>;

struct Versions {
  Version first = 0;
  Version last = 0;
};

// The oldest version whose commit is there, with every one up to `last`.
Result<Version> OldestCommit(store::Store& store, Version last) {
  BAYOU_ASSIGN(const auto listing, log::ListLog(store, 0));
  std::set<Version> commits;
  for (const log::LogFileName& file : listing) {
    if (file.kind == log::LogFileKind::kCommit) commits.insert(file.version);
  }
  Version oldest = last;
  while (commits.contains(oldest - 1)) --oldest;
  return oldest;
}

// The first commit at or after the time.
Result<Version> FirstFrom(const Snapshot& latest, std::int64_t time_ms) {
  store::Store& store = latest.store();
  const auto in_commit = latest.in_commit_timestamps();
  const auto before = log::VersionAtTimestamp(store, time_ms, in_commit,
                                              latest.version(), true);
  if (!before) {
    if (before.error().condition != "DELTA_TIMESTAMP_OUT_OF_RANGE") {
      return tl::unexpected<Error>(before.error());
    }
    return OldestCommit(store, latest.version());
  }
  BAYOU_ASSIGN(const std::int64_t at,
               log::CommitTimestamp(store, *before, in_commit));
  if (at >= time_ms) return *before;
  if (*before < latest.version()) return *before + 1;
  return Fail(ErrorCode::kInvalidArgument, "DELTA_TIMESTAMP_OUT_OF_RANGE",
              "no commit of table " + latest.location() +
                  " is as late as the start of the change feed; its latest is "
                  "version " +
                  std::to_string(latest.version()));
}

Result<Versions> Settle(const Snapshot& latest, const ChangeRange& range) {
  Versions versions{range.first.version.value_or(0), latest.version()};
  if (range.first.timestamp_ms) {
    BAYOU_ASSIGN(versions.first, FirstFrom(latest, *range.first.timestamp_ms));
  }
  if (range.last && range.last->version) versions.last = *range.last->version;
  if (range.last && range.last->timestamp_ms) {
    BAYOU_ASSIGN(versions.last,
                 log::VersionAtTimestamp(
                     latest.store(), *range.last->timestamp_ms,
                     latest.in_commit_timestamps(), latest.version(), true));
  }
  for (const Version asked : {versions.first, versions.last}) {
    if (asked < 0 || asked > latest.version()) {
      return Fail(ErrorCode::kNotFound, "DELTA_VERSION_NOT_FOUND",
                  "table " + latest.location() + " has no version " +
                      std::to_string(asked) + "; its latest is version " +
                      std::to_string(latest.version()));
    }
  }
  if (versions.last < versions.first) {
    return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_CDC_RANGE",
                "the change feed of table " + latest.location() +
                    " was asked for from version " +
                    std::to_string(versions.first) + " to version " +
                    std::to_string(versions.last) + ": nothing lies between");
  }
  return versions;
}

tl::unexpected<Error> NotRecorded(const Snapshot& table, Version version) {
  return Fail(
      ErrorCode::kUnsupported, "DELTA_MISSING_CHANGE_DATA",
      "table " + table.location() + " recorded no change data in version " +
          std::to_string(version) +
          "; ask for versions since delta.enableChangeDataFeed was set");
}

// The commits of the range, or the error that says from where on they are
// there.
Result<std::vector<VersionChanges>> ReadCommits(const Snapshot& last,
                                                const Versions& versions) {
  store::Store& store = last.store();
  BAYOU_ASSIGN(const Version oldest, OldestCommit(store, versions.last));
  if (versions.first < oldest) {
    return Fail(ErrorCode::kNotFound, "DELTA_VERSION_NOT_FOUND",
                "the commits of table " + last.location() + " before version " +
                    std::to_string(oldest) +
                    " are gone; ask for changes from version " +
                    std::to_string(oldest) + " on");
  }
  BAYOU_ASSIGN(
      const auto history,
      log::ReadHistory(store, versions.last, versions.last - versions.first + 1,
                       last.in_commit_timestamps()));
  std::map<Version, std::int64_t> times;
  for (const auto& entry : history) times[entry.version] = entry.timestamp_ms;

  std::vector<VersionChanges> changes;
  for (Version version = versions.first; version <= versions.last; ++version) {
    const std::string name =
        JoinPath(log::kLogFolder, log::CommitName(version));
    BAYOU_ASSIGN(const std::string text, store.Read(name));
    BAYOU_ASSIGN(const auto actions, protocol::ParseActions(text, name));
    for (const protocol::Action& action : actions) {
      if (const auto* protocol = std::get_if<protocol::Protocol>(&action)) {
        BAYOU_TRY(protocol::CheckReadable(*protocol, last.location()));
      }
      const auto* metadata = std::get_if<protocol::Metadata>(&action);
      if (metadata && !protocol::TableProperties(metadata->configuration)
                           .change_data_feed()) {
        return NotRecorded(last, version);
      }
    }
    changes.push_back({version, times[version], ChangesOf(actions)});
  }
  return changes;
}

// Whether a version could not be opened because it was cleaned up.
bool IsGone(const Error& error) {
  return error.condition == "DELTA_VERSION_NOT_FOUND" ||
         error.condition == "DELTA_LOG_GAP";
}

Result<BoundScan> Bind(duckdb::ClientContext& context,
                       const std::string& location, const ChangeRange& range,
                       const ScanOptions& options) {
  duckdb::DatabaseInstance& database = *context.db;
  BAYOU_ASSIGN(SnapshotPtr last, Snapshot::Open(location, database));
  BAYOU_ASSIGN(const Versions versions, Settle(*last, range));
  // Was the feed on when the range began? A start that cannot be rebuilt any
  // more is answered by the commits in the range alone.
  const auto first =
      Snapshot::Open(last->shared_store(), database, {versions.first, {}});
  if (!first && !IsGone(first.error())) return tl::unexpected(first.error());
  if (first && !(*first)->properties().change_data_feed()) {
    return NotRecorded(**first, versions.first);
  }
  if (versions.last != last->version()) {
    BAYOU_ASSIGN(last, Snapshot::Open(last->shared_store(), database,
                                      {versions.last, {}}));
  }
  BAYOU_ASSIGN(auto changes, ReadCommits(*last, versions));

  BAYOU_ASSIGN(const auto table, DescribeTable(last, options));
  AddChangeColumns(*table);
  BAYOU_TRY(CheckChangedFiles(*table, changes,
                              duckdb::FileSystem::GetFileSystem(context)));
  return engine::Guard([&] {
    return BindFiles(context, table, ChangedFiles(std::move(changes)));
  });
}

}  // namespace

BoundScan BindChangeFeed(duckdb::ClientContext& context,
                         const std::string& location, const ChangeRange& range,
                         const ScanOptions& options) {
  return engine::Unwrap(Bind(context, location, range, options));
}

}  // namespace bayou::scan
