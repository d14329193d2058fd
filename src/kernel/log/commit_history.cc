// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/commit_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/uri_path.h"
#include "kernel/engine/scalar_text.h"
#include "kernel/log/log_listing.h"

namespace bayou::log {
namespace {

struct Commit {
  LogFileName file;
  std::int64_t file_ms = 0;  // Made to rise from the oldest commit on.
};

// The commits still in the log up to `latest`, ascending: the newest run of
// versions that no gap interrupts.
Result<std::vector<Commit>> ListCommits(store::Store& store, Version latest) {
  BAYOU_ASSIGN(std::vector<LogFileName> files, ListLog(store, 0));
  std::vector<Commit> commits;
  for (LogFileName& file : files) {
    if (file.kind != LogFileKind::kCommit || file.version > latest) continue;
    std::int64_t time = file.modified_ms;
    if (!commits.empty()) time = std::max(time, commits.back().file_ms + 1);
    if (!commits.empty() && commits.back().file.version + 1 != file.version) {
      commits.clear();
    }
    commits.push_back({std::move(file), time});
  }
  return commits;
}

// The commitInfo of a commit: nullopt when it has none or it cannot be read.
// Looks for its line and parses no other: a commit may hold a million files.
std::optional<protocol::CommitInfo> FindCommitInfo(std::string_view text,
                                                   std::string_view file) {
  constexpr std::size_t kKeyNearStart = 32;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.substr(0, kKeyNearStart).find("\"commitInfo\"") ==
        std::string_view::npos) {
      continue;
    }
    auto actions = protocol::ParseActions(line, file);
    if (!actions) return std::nullopt;
    for (protocol::Action& action : *actions) {
      if (auto* info = std::get_if<protocol::CommitInfo>(&action))
        return std::move(*info);
    }
  }
  return std::nullopt;
}

Result<std::optional<protocol::CommitInfo>> ReadCommitInfo(store::Store& store,
                                                           Version version) {
  const std::string name = JoinPath(kLogFolder, CommitName(version));
  BAYOU_ASSIGN(const std::string text, store.Read(name));
  return FindCommitInfo(text, name);
}

Result<std::int64_t> InCommitTimestamp(store::Store& store, Version version) {
  BAYOU_ASSIGN(const auto info, ReadCommitInfo(store, version));
  if (info && info->in_commit_timestamp) return *info->in_commit_timestamp;
  return Fail(
      ErrorCode::kCorruption, "DELTA_IN_COMMIT_TIMESTAMP_MISSING",
      fmt::format("{} lacks the inCommitTimestamp that table {} requires",
                  CommitName(version), store.location()));
}

bool HasInCommitTimestamp(std::optional<InCommitTimestampRange> range,
                          Version version) {
  return range && version >= range->enabled_at;
}

std::string Instant(std::int64_t ms) {
  std::int64_t micros = 0;
  if (__builtin_mul_overflow(ms, std::int64_t{1000}, &micros)) {
    return std::to_string(ms) + " ms";
  }
  std::string text = engine::FormatTimestamp(duckdb::timestamp_t(micros), ' ');
  return text.substr(0, text.size() - 3) + " UTC";
}

tl::unexpected<Error> NoCommits(const store::Store& store) {
  return Fail(
      ErrorCode::kNotFound, "DELTA_VERSION_NOT_FOUND",
      fmt::format(
          "the log of {} holds no commit any more, so its versions have "
          "no times; name a version instead",
          store.location()));
}

// The last of `commits` whose time is at most `timestamp_ms`, and the first and
// last time there are, as far as in-commit timestamps and file times tell.
class Timeline {
 public:
  Timeline(store::Store& store, std::vector<Commit> commits,
           std::optional<InCommitTimestampRange> range)
      : store_(store), commits_(std::move(commits)), range_(range) {}

  Result<std::int64_t> TimeOf(std::size_t i) const {
    if (HasInCommitTimestamp(range_, commits_[i].file.version)) {
      return InCommitTimestamp(store_, commits_[i].file.version);
    }
    return commits_[i].file_ms;
  }
  Result<std::int64_t> First() const { return TimeOf(0); }
  Result<std::int64_t> Last() const { return TimeOf(commits_.size() - 1); }
  Version VersionOf(std::size_t i) const { return commits_[i].file.version; }

  // The position of the last commit not after `timestamp_ms`; -1 when all are
  // after it. File times may lie after the in-commit timestamps of later
  // versions, so the two are searched apart: those first.
  Result<std::int64_t> Find(std::int64_t timestamp_ms) const {
    const auto split = static_cast<std::int64_t>(
        std::find_if(commits_.begin(), commits_.end(),
                     [&](const Commit& commit) {
                       return HasInCommitTimestamp(range_, commit.file.version);
                     }) -
        commits_.begin());
    const auto end = static_cast<std::int64_t>(commits_.size());
    BAYOU_ASSIGN(const std::int64_t found, Search(split, end, timestamp_ms));
    return found >= split ? found : Search(0, split, timestamp_ms);
  }

 private:
  // Among [first, end); first - 1 when all are after it.
  Result<std::int64_t> Search(std::int64_t first, std::int64_t end,
                              std::int64_t timestamp_ms) const {
    while (first < end) {
      const std::int64_t middle = first + (end - first) / 2;
      BAYOU_ASSIGN(const std::int64_t time,
                   TimeOf(static_cast<std::size_t>(middle)));
      if (time <= timestamp_ms) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    return first - 1;
  }

  store::Store& store_;
  std::vector<Commit> commits_;
  std::optional<InCommitTimestampRange> range_;
};

tl::unexpected<Error> OutOfRange(const store::Store& store, std::int64_t asked,
                                 const char* relation, std::int64_t first,
                                 std::int64_t last) {
  return Fail(
      ErrorCode::kInvalidArgument, "DELTA_TIMESTAMP_OUT_OF_RANGE",
      fmt::format(
          "{} is {} of table {}: its commits are from {} to {}; ask for "
          "a time in between",
          Instant(asked), relation, store.location(), Instant(first),
          Instant(last)));
}

}  // namespace

Result<std::int64_t> CommitTimestamp(
    store::Store& store, Version version,
    std::optional<InCommitTimestampRange> in_commit) {
  if (HasInCommitTimestamp(in_commit, version))
    return InCommitTimestamp(store, version);
  BAYOU_ASSIGN(const auto commits, ListCommits(store, version));
  if (commits.empty() || commits.back().file.version != version) {
    return Fail(ErrorCode::kNotFound, "DELTA_VERSION_NOT_FOUND",
                fmt::format("the commit of version {} is not in the log of {}",
                            version, store.location()));
  }
  return commits.back().file_ms;
}

Result<Version> VersionAtTimestamp(
    store::Store& store, std::int64_t timestamp_ms,
    std::optional<InCommitTimestampRange> in_commit, Version latest,
    bool allow_after_last) {
  BAYOU_ASSIGN(auto commits, ListCommits(store, latest));
  if (commits.empty()) return NoCommits(store);
  const Timeline timeline(store, std::move(commits), in_commit);
  BAYOU_ASSIGN(const std::int64_t last, timeline.Last());
  if (timestamp_ms > last) {
    if (allow_after_last) return latest;
    BAYOU_ASSIGN(const std::int64_t first, timeline.First());
    return OutOfRange(store, timestamp_ms, "after the last commit", first,
                      last);
  }
  BAYOU_ASSIGN(const std::int64_t found, timeline.Find(timestamp_ms));
  if (found < 0) {
    BAYOU_ASSIGN(const std::int64_t first, timeline.First());
    return OutOfRange(store, timestamp_ms, "before the first commit", first,
                      last);
  }
  return timeline.VersionOf(static_cast<std::size_t>(found));
}

bool MayHaveInCommitTimestamps(store::Store& store, Version latest) {
  const auto info = ReadCommitInfo(store, latest);
  return !info || (*info && (*info)->in_commit_timestamp.has_value());
}

Result<std::vector<HistoryEntry>> ReadHistory(
    store::Store& store, Version latest, std::int64_t limit,
    std::optional<InCommitTimestampRange> in_commit) {
  BAYOU_ASSIGN(const auto commits, ListCommits(store, latest));
  std::vector<HistoryEntry> history;
  for (auto commit = commits.rbegin();
       commit != commits.rend() && std::cmp_less(history.size(), limit);
       ++commit) {
    const Version version = commit->file.version;
    BAYOU_ASSIGN(auto info, ReadCommitInfo(store, version));
    std::int64_t time = commit->file_ms;
    if (HasInCommitTimestamp(in_commit, version) && info &&
        info->in_commit_timestamp) {
      time = *info->in_commit_timestamp;
    }
    history.push_back({version, time, std::move(info)});
  }
  return history;
}

}  // namespace bayou::log
