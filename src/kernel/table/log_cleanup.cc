// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/log_cleanup.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/uri_path.h"
#include "kernel/log/checkpoint.h"
#include "kernel/log/log_listing.h"
#include "kernel/log/log_segment.h"
#include "kernel/protocol/table_features.h"

namespace bayou::table {
namespace {

using Listing = std::vector<log::LogFileName>;

constexpr std::string_view kStagedFolder = "_delta_log/_staged_commits";

constexpr std::int64_t kDay = 24LL * 60 * 60 * 1000;

std::int64_t Midnight(std::int64_t time_ms) {
  return time_ms - ((time_ms % kDay) + kDay) % kDay;
}

// What is not younger may go.
struct CutOff {
  CutOff(const Snapshot& latest, Env& env)
      : log(Midnight(env.NowMs() -
                     latest.properties().log_retention().count())),
        sidecars(std::min(log, Midnight(env.NowMs()) - kDay)) {}
  std::int64_t log;
  std::int64_t sidecars;
};

// The version that was the latest at the cut, or nullopt when none was.
Result<std::optional<Version>> OldestKept(const Snapshot& latest,
                                          std::int64_t cutoff_ms) {
  const auto version = log::VersionAtTimestamp(latest.store(), cutoff_ms,
                                               latest.in_commit_timestamps(),
                                               latest.version(), true);
  if (version) return *version;
  if (version.error().condition == "DELTA_TIMESTAMP_OUT_OF_RANGE" ||
      version.error().condition == "DELTA_VERSION_NOT_FOUND") {
    return std::optional<Version>();
  }
  return tl::unexpected<Error>(version.error());
}

// Whether the commits from `start` on have the same times without the older
// ones: file times are made to rise from the first commit on.
bool KeepsTimes(const Snapshot& latest, const Listing& listing, Version start) {
  const auto in_commit = latest.in_commit_timestamps();
  if (in_commit && in_commit->enabled_at <= start) return true;
  std::int64_t before = INT64_MIN;
  for (const log::LogFileName& file : listing) {
    if (file.kind != log::LogFileKind::kCommit) continue;
    if (file.version >= start) return file.modified_ms > before;
    before = std::max(file.modified_ms, before + 1);
  }
  return true;
}

// The checkpoint that the log can begin with so that `oldest` can be rebuilt.
std::vector<log::LogFileName> Start(const Snapshot& latest,
                                    const Listing& listing, Version oldest) {
  while (oldest > 0) {
    const auto segment = log::ChooseLogSegment(listing, oldest);
    if (!segment || segment->checkpoint.empty()) return {};
    const Version start = segment->checkpoint.front().version;
    if (start < latest.properties().checkpoint_protection_before()) return {};
    if (KeepsTimes(latest, listing, start)) return segment->checkpoint;
    oldest = start - 1;
  }
  return {};
}

bool IsBefore(const log::LogFileName& file, Version start) {
  switch (file.kind) {
    case log::LogFileKind::kCommit:
    case log::LogFileKind::kChecksum:
    case log::LogFileKind::kCheckpoint:
      return file.version < start;
    case log::LogFileKind::kCompacted:  // Of use only behind an older start.
      return file.version <= start;
    case log::LogFileKind::kOther:
      return false;
  }
  return false;
}

// The files of a folder of the log; a folder that is not there has none.
Result<std::vector<store::ObjectMeta>> Folder(store::Store& store,
                                              std::string_view folder) {
  auto files = store.List(folder, "");
  if (!files) {
    if (files.error().code == ErrorCode::kNotFound) return {};
    return tl::unexpected<Error>(std::move(files).error());
  }
  for (store::ObjectMeta& file : *files) {
    file.name = JoinPath(folder, file.name);
  }
  return files;
}

class Planner {
 public:
  Planner(const Snapshot& latest, duckdb::DatabaseInstance& database,
          const CutOff& cutoff)
      : latest_(latest), database_(database), cutoff_(cutoff) {}

  Result<LogCleanup> Plan() && {
    BAYOU_ASSIGN(listing_, log::ListLog(latest_.store(), 0));
    if (!HasOldFile()) return LogCleanup();
    BAYOU_ASSIGN(const auto oldest, OldestKept(latest_, cutoff_.log));
    if (!oldest) return LogCleanup();
    const auto start = Start(latest_, listing_, *oldest);
    if (start.empty()) return LogCleanup();
    // What it stands for may go only if it can be read.
    BAYOU_TRY(Open(start));
    cleanup_.start = start.front().version;
    TakeLogFiles();
    BAYOU_TRY(TakeStagedCommits());
    BAYOU_TRY(TakeSidecars());
    ChooseManifest(start.front());
    if (cleanup_.files.empty() && cleanup_.manifest.empty())
      cleanup_.start.reset();
    return std::move(cleanup_);
  }

 private:
  // Most logs have none, and then no commit's time need be known. A file is
  // never older than the commit that it holds.
  bool HasOldFile() const {
    return std::ranges::any_of(listing_, [&](const log::LogFileName& file) {
      return file.kind == log::LogFileKind::kCommit &&
             file.modified_ms <= cutoff_.log;
    });
  }

  Result<log::Checkpoint> Open(const std::vector<log::LogFileName>& files) {
    return log::OpenCheckpoint(latest_.store(), database_, files, {});
  }

  // A version's commit before its checkpoint, as the listing has them.
  void TakeLogFiles() {
    for (const log::LogFileName& file : listing_) {
      if (!IsBefore(file, *cleanup_.start)) continue;
      cleanup_.files.push_back(
          {JoinPath(log::kLogFolder, file.name), file.size, file.modified_ms});
    }
  }

  Status TakeStagedCommits() {
    BAYOU_ASSIGN(const auto files, Folder(latest_.store(), kStagedFolder));
    // <version>.<uuid>.json; as text the versions are in order.
    const std::string start =
        JoinPath(kStagedFolder, fmt::format("{:020}", *cleanup_.start));
    for (const store::ObjectMeta& file : files) {
      if (file.name < start && file.modified_ms <= cutoff_.log) {
        cleanup_.files.push_back(file);
      }
    }
    return {};
  }

  // Sidecars that no checkpoint names which stays.
  Status TakeSidecars() {
    BAYOU_ASSIGN(const auto files,
                 Folder(latest_.store(), log::kSidecarFolder));
    if (files.empty()) return {};
    const auto used = SidecarsInUse();
    if (!used) {
      // What it names is not known.
      if (used.error().condition == "DELTA_CHECKPOINT_UNREADABLE") return {};
      return tl::unexpected<Error>(used.error());
    }
    for (const store::ObjectMeta& file : files) {
      if (!used->contains(file.name) && file.modified_ms <= cutoff_.sidecars) {
        cleanup_.files.push_back(file);
        ++cleanup_.sidecars;
      }
    }
    return {};
  }

  Result<std::set<std::string>> SidecarsInUse() {
    std::set<std::string> used;
    for (const log::LogFileName& file : listing_) {
      if (file.kind != log::LogFileKind::kCheckpoint) continue;
      cleanup_.checkpoints.insert(file.name);
      if (file.parts > 1 || IsBefore(file, *cleanup_.start)) continue;
      BAYOU_ASSIGN(log::Checkpoint checkpoint, Open({file}));
      used.insert(checkpoint.sidecars.begin(), checkpoint.sidecars.end());
    }
    return used;
  }

  void ChooseManifest(const log::LogFileName& start) {
    const auto is_classic = [&](const log::LogFileName& file) {
      return file.kind == log::LogFileKind::kCheckpoint && file.uuid.empty() &&
             file.version >= start.version;
    };
    if (start.uuid.empty() || start.is_json ||
        std::ranges::any_of(listing_, is_classic)) {
      return;
    }
    cleanup_.manifest = start.name;
  }

  const Snapshot& latest_;
  duckdb::DatabaseInstance& database_;
  CutOff cutoff_;
  Listing listing_;
  LogCleanup cleanup_;
};

}  // namespace

Result<LogCleanup> PlanLogCleanup(const Snapshot& latest,
                                  duckdb::DatabaseInstance& database,
                                  Env& env) {
  BAYOU_TRY(protocol::CheckWritable(latest.protocol(), latest.metadata(),
                                    latest.location()));
  return Planner(latest, database, CutOff(latest, env)).Plan();
}

namespace {

// Whether it did; a classic name may be taken by now, which is as good.
Result<bool> CopyManifest(store::Store& store, const LogCleanup& cleanup) {
  if (cleanup.manifest.empty()) return false;
  BAYOU_ASSIGN(const std::string content,
               store.Read(JoinPath(log::kLogFolder, cleanup.manifest)));
  const Status put = store.PutIfAbsent(
      JoinPath(log::kLogFolder, log::CheckpointName(*cleanup.start)), content);
  if (put) return true;
  if (put.error().code == ErrorCode::kAlreadyExists) return false;
  return tl::unexpected<Error>(put.error());
}

Status Delete(store::Store& store, std::span<const store::ObjectMeta> files) {
  for (const store::ObjectMeta& file : files) {
    const Status deleted = store.Delete(file.name);
    if (!deleted && deleted.error().code != ErrorCode::kNotFound) {
      return deleted;
    }
  }
  return {};
}

Result<bool> HasNewCheckpoint(store::Store& store,
                              const std::set<std::string>& known) {
  BAYOU_ASSIGN(const Listing listing, log::ListLog(store, 0));
  return std::ranges::any_of(listing, [&](const log::LogFileName& file) {
    return file.kind == log::LogFileKind::kCheckpoint &&
           !known.contains(file.name);
  });
}

}  // namespace

Status RunLogCleanup(store::Store& store, const LogCleanup& cleanup) {
  const std::span files(cleanup.files);
  std::set<std::string> known = cleanup.checkpoints;
  BAYOU_ASSIGN(const bool copied, CopyManifest(store, cleanup));
  if (copied) known.insert(log::CheckpointName(*cleanup.start));
  BAYOU_TRY(Delete(store, files.first(files.size() - cleanup.sidecars)));
  if (cleanup.sidecars > 0) {
    BAYOU_ASSIGN(const bool has_new, HasNewCheckpoint(store, known));
    if (has_new) return {};  // The next clean-up knows what it names.
    BAYOU_TRY(Delete(store, files.last(cleanup.sidecars)));
  }
  return {};
}

}  // namespace bayou::table
