// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/log_segment.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

namespace bayou::log {
namespace {

// Tells the checkpoints of a folder apart and orders them, the best last: the
// newest version, then single file < more parts < V2 by name.
struct CheckpointKey {
  Version version = -1;
  int parts = 1;
  std::string uuid_name;  // Empty but for V2 checkpoints under a UUID name.

  auto Rank() const { return std::tie(version, uuid_name, parts); }
  bool operator<(const CheckpointKey& other) const {
    return Rank() < other.Rank();
  }
};
using Parts = std::map<int, const LogFileName*>;

struct Candidates {
  std::map<Version, const LogFileName*> commits;
  std::multimap<Version, const LogFileName*> compacted;  // By first version.
  std::map<CheckpointKey, Parts> checkpoints;
  // The newest version that some file shows to have existed. A damaged
  // checkpoint counts: leaving it out could silently give an older version.
  Version latest = -1;
};

Candidates Sort(std::span<const LogFileName> listing,
                const std::set<std::string>& passed_over) {
  Candidates found;
  for (const LogFileName& file : listing) {
    const bool usable = file.size > 0 && !passed_over.contains(file.name);
    switch (file.kind) {
      case LogFileKind::kCommit:
        // An empty commit stays: reading it is an error that names it.
        found.commits.emplace(file.version, &file);
        found.latest = std::max(found.latest, file.version);
        break;
      case LogFileKind::kCompacted:
        if (usable) found.compacted.emplace(file.version, &file);
        break;
      case LogFileKind::kCheckpoint: {
        found.latest = std::max(found.latest, file.version);
        if (!usable) break;
        const CheckpointKey key{file.version, file.parts,
                                file.uuid.empty() ? "" : file.name};
        found.checkpoints[key].emplace(file.part, &file);
        break;
      }
      case LogFileKind::kChecksum:
      case LogFileKind::kOther:
        break;
    }
  }
  std::erase_if(found.checkpoints, [](const auto& entry) {
    return static_cast<int>(entry.second.size()) != entry.first.parts;
  });
  return found;
}

std::vector<LogFileName> NewestCheckpoint(const Candidates& found,
                                          Version limit) {
  std::vector<LogFileName> files;
  auto after = found.checkpoints.lower_bound(
      {.version = limit + 1, .parts = 0, .uuid_name = {}});
  if (after == found.checkpoints.begin()) return files;
  for (const auto& [part, file] : std::prev(after)->second)
    files.push_back(*file);
  return files;
}

// The compacted file that begins at `first` and reaches furthest, but not
// beyond `end`.
const LogFileName* LongestCompacted(const Candidates& found, Version first,
                                    Version end) {
  const LogFileName* longest = nullptr;
  const auto [begin, stop] = found.compacted.equal_range(first);
  for (auto it = begin; it != stop; ++it) {
    if (it->second->end_version > end) continue;
    if (!longest || it->second->end_version > longest->end_version) {
      longest = it->second;
    }
  }
  return longest;
}

// The oldest version that can be rebuilt, or nullopt when none can.
std::optional<Version> EarliestVersion(const Candidates& found) {
  if (found.commits.contains(0)) return 0;
  if (found.checkpoints.empty()) return std::nullopt;
  return found.checkpoints.begin()->first.version;
}

tl::unexpected<Error> Gap(Version missing, const Candidates& found) {
  std::string message =
      fmt::format("the commit of version {} is missing from the log ({})",
                  missing, CommitName(missing));
  if (const auto earliest = EarliestVersion(found);
      earliest && missing > *earliest) {
    message += fmt::format(
        "; restore the file, or read version {} or an older one", missing - 1);
  } else {
    message +=
        "; restore the file: without it and without a checkpoint no version "
        "can be rebuilt";
  }
  return Fail(ErrorCode::kCorruption, "DELTA_LOG_GAP", std::move(message));
}

// Why there is no place to start from for version `end`.
tl::unexpected<Error> NoStart(const Candidates& found, Version end) {
  const auto earliest = EarliestVersion(found);
  if (!earliest) return Gap(0, found);
  return Fail(
      ErrorCode::kNotFound, "DELTA_VERSION_NOT_FOUND",
      fmt::format(
          "version {} can no longer be rebuilt, because its part of the "
          "log was cleaned up; the earliest version that can is {}",
          end, *earliest));
}

}  // namespace

Result<LogSegment> ChooseLogSegment(std::span<const LogFileName> listing,
                                    std::optional<Version> target,
                                    const std::set<std::string>& passed_over) {
  const Candidates found = Sort(listing, passed_over);
  if (found.latest < 0) {
    return Fail(ErrorCode::kNotFound, "DELTA_TABLE_NOT_FOUND",
                "the log folder holds neither a commit nor a checkpoint");
  }
  if (target && (*target > found.latest || *target < 0)) {
    return Fail(ErrorCode::kNotFound, "DELTA_VERSION_NOT_FOUND",
                fmt::format("version {} does not exist; the latest is {}",
                            *target, found.latest));
  }

  LogSegment segment;
  segment.version = target.value_or(found.latest);
  segment.checkpoint = NewestCheckpoint(found, segment.version);
  Version next =
      segment.checkpoint.empty() ? 0 : segment.checkpoint.front().version + 1;
  if (segment.checkpoint.empty() && !found.commits.contains(0) &&
      !LongestCompacted(found, 0, segment.version)) {
    return NoStart(found, segment.version);
  }
  while (next <= segment.version) {
    const LogFileName* delta = LongestCompacted(found, next, segment.version);
    if (!delta) {
      const auto commit = found.commits.find(next);
      if (commit == found.commits.end()) return Gap(next, found);
      delta = commit->second;
    }
    segment.deltas.push_back(*delta);
    next = delta->end_version + 1;
  }
  if (const auto last = found.commits.find(segment.version);
      last != found.commits.end()) {
    segment.last_commit = *last->second;
  }
  return segment;
}

}  // namespace bayou::log
