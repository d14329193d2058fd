// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/validate_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/uri_path.h"
#include "kernel/log/checksum.h"
#include "kernel/log/log_file_name.h"
#include "kernel/log/log_listing.h"
#include "kernel/log/log_replay.h"
#include "kernel/log/log_segment.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/table_properties.h"
#include "ops/commands/table_names.h"

namespace bayou::commands {
namespace {

using log::LogFileKind;
using log::LogFileName;
using protocol::Action;
using protocol::Version;

constexpr const char* kDeleteChecksum =
    "if nothing else is found, the log is right: delete the checksum";
constexpr const char* kRestoreFile = "restore the file from a backup";

// What the actions of one commit may have once only.
class CommitRules {
 public:
  // Says what is wrong, if anything is.
  std::optional<std::string> Take(const Action& action) {
    return std::visit([this](const auto& value) { return Look(value); },
                      action);
  }

 private:
  using Wrong = std::optional<std::string>;

  Wrong Look(const protocol::AddFile& add) {
    const std::string path = CanonicalPath(add.path);
    if (!added_.insert(path).second)
      return fmt::format("adds the file {} twice", add.path);
    const std::string key = protocol::FileKey(add.path, add.deletion_vector);
    if (removed_keys_.contains(key)) return Contradiction(add.path);
    added_keys_.insert(key);
    return std::nullopt;
  }
  Wrong Look(const protocol::RemoveFile& remove) {
    const std::string path = CanonicalPath(remove.path);
    if (!removed_.insert(path).second)
      return fmt::format("removes the file {} twice", remove.path);
    const std::string key =
        protocol::FileKey(remove.path, remove.deletion_vector);
    if (added_keys_.contains(key)) return Contradiction(remove.path);
    removed_keys_.insert(key);
    return std::nullopt;
  }
  Wrong Look(const protocol::Protocol&) {
    return ++protocols_ > 1 ? Wrong("sets the protocol twice") : Wrong();
  }
  Wrong Look(const protocol::Metadata&) {
    return ++metadata_ > 1 ? Wrong("sets the metadata twice") : Wrong();
  }
  Wrong Look(const protocol::SetTransaction& app) {
    if (apps_.insert(app.app_id).second) return std::nullopt;
    return fmt::format("has two versions of the application {}", app.app_id);
  }
  Wrong Look(const protocol::DomainMetadata& domain) {
    if (domains_.insert(domain.domain).second) return std::nullopt;
    return fmt::format("sets the domain {} twice", domain.domain);
  }
  template <typename Other>
  Wrong Look(const Other&) {
    return std::nullopt;
  }

  static std::string Contradiction(const std::string& path) {
    return fmt::format("adds and removes the same file {}", path);
  }

  std::set<std::string> added_, removed_, added_keys_, removed_keys_;
  std::set<std::string> apps_, domains_;
  int protocols_ = 0;
  int metadata_ = 0;
};

class LogExamination {
 public:
  LogExamination(duckdb::ClientContext& context,
                 const std::shared_ptr<store::Store>& store, Findings& findings)
      : context_(context), store_(store), findings_(findings) {}

  Result<LogVerdict> Run() {
    BAYOU_ASSIGN(files_, log::ListLog(*store_, 0));
    FindCheckpoints();
    LookForGaps();
    BAYOU_TRY(LookAtDeltas());
    BAYOU_TRY(LookAtCheckpoints());
    LookAtChecksums();
    LookAtHint();
    LookForLeftovers();
    return verdict_;
  }

 private:
  void Add(std::string_view code, Severity severity, std::string place,
           std::string what, std::string remedy) {
    findings_.Add({.code = code,
                   .severity = severity,
                   .place = std::move(place),
                   .what = std::move(what),
                   .remedy = std::move(remedy)});
  }

  Status CheckInterrupt() const {
    if (!context_.IsInterrupted()) return {};
    return Fail(ErrorCode::kCancelled, "INTERRUPTED",
                "the examination was cancelled");
  }

  // What a version needs that a complete checkpoint stands for is needed for
  // older versions alone.
  Severity SeverityAt(Version version) const {
    const bool is_covered =
        !checkpoints_.empty() && version <= checkpoints_.back().version;
    return is_covered ? Severity::kWarning : Severity::kError;
  }

  // Complete ones, ascending; several may be of one version.
  void FindCheckpoints() {
    std::set<Version> versions;
    for (const LogFileName& file : files_) {
      if (file.kind == LogFileKind::kCheckpoint) versions.insert(file.version);
    }
    std::set<std::string> complete;
    for (const Version version : versions) {
      std::vector<LogFileName> of_version;
      for (const LogFileName& file : files_) {
        if (file.version == version && file.kind == LogFileKind::kCheckpoint)
          of_version.push_back(file);
      }
      for (;;) {
        const auto segment =
            log::ChooseLogSegment(of_version, version, complete);
        if (!segment || segment->checkpoint.empty()) break;
        for (const LogFileName& file : segment->checkpoint)
          complete.insert(file.name);
        checkpoints_.push_back(*segment);
      }
    }
    for (const LogFileName& file : files_) {
      if (file.kind != LogFileKind::kCheckpoint || complete.contains(file.name))
        continue;
      Add("CHECKPOINT_INCOMPLETE", Severity::kWarning, file.name,
          file.size == 0 ? "the checkpoint has no bytes"
                         : "other parts of the checkpoint are missing",
          "delete it: readers pass it over");
    }
  }

  void LookForGaps() {
    std::optional<Version> before;
    bool has_needed_gap = false;
    for (const LogFileName& file : files_) {
      if (file.kind != LogFileKind::kCommit) continue;
      if (before && file.version > *before + 1) {
        const Version first = *before + 1;
        const Version last = file.version - 1;
        has_needed_gap |= SeverityAt(last) == Severity::kError;
        Add("LOG_GAP", SeverityAt(last), log::CommitName(first),
            first == last
                ? fmt::format("version {} is missing", first)
                : fmt::format("versions {} to {} are missing", first, last),
            SeverityAt(last) == Severity::kError
                ? "restore the files: without them the latest version cannot "
                  "be read"
                : "restore the files, or do without these older versions");
      }
      before = file.version;
    }
    const auto latest = log::ChooseLogSegment(files_, std::nullopt);
    if (!latest && !has_needed_gap) {
      Add("LOG_GAP", Severity::kError, std::string(log::kLogFolder),
          latest.error().message, kRestoreFile);
    }
  }

  // ----------------------------------------------------------------- commits

  Status LookAtDeltas() {
    for (const LogFileName& file : files_) {
      BAYOU_TRY(CheckInterrupt());
      if (file.kind == LogFileKind::kCommit) LookAtCommit(file);
      if (file.kind == LogFileKind::kCompacted) LookAtCompacted(file);
    }
    return {};
  }

  Result<std::vector<Action>> ActionsOf(const LogFileName& file) const {
    BAYOU_ASSIGN(const std::string text,
                 store_->Read(JoinPath(log::kLogFolder, file.name)));
    return protocol::ParseActions(text, file.name);
  }

  void LookAtCommit(const LogFileName& file) {
    const Severity severity = SeverityAt(file.version);
    if (file.size == 0) {
      return Add("COMMIT_EMPTY", severity, file.name,
                 "the commit has no bytes: its writer died", kRestoreFile);
    }
    const auto actions = ActionsOf(file);
    if (!actions) {
      return Add("COMMIT_INVALID", severity, file.name, actions.error().message,
                 kRestoreFile);
    }
    CommitRules rules;
    for (const Action& action : *actions) {
      if (const auto wrong = rules.Take(action)) {
        Add("COMMIT_BREAKS_PROTOCOL", severity, file.name,
            "the commit " + *wrong,
            "readers may disagree on this version: tell the writer's makers, "
            "and RESTORE the version before it");
      }
      if (const auto* metadata = std::get_if<protocol::Metadata>(&action))
        LookAtMetadata(file, *metadata);
    }
    LookAtTime(file, *actions);
  }

  void LookAtMetadata(const LogFileName& file,
                      const protocol::Metadata& metadata) {
    const auto wrong = [&](std::string what) {
      Add("SCHEMA_INVALID", SeverityAt(file.version), file.name,
          std::move(what), "RESTORE a version before it");
    };
    const protocol::TableProperties properties(metadata.configuration);
    has_commit_times_ = properties.in_commit_timestamps();
    is_append_only_ = properties.append_only();
    const auto schema = protocol::ParseSchema(metadata.schema_string);
    if (!schema) return wrong(schema.error().message);
    for (const std::string& column : metadata.partition_columns) {
      if (schema->Find(column) == nullptr) {
        wrong(fmt::format("the schema lacks the partition column {}", column));
      }
    }
  }

  // Of in-commit timestamps: there, in front, and growing.
  void LookAtTime(const LogFileName& file, const std::vector<Action>& actions) {
    const auto* info =
        actions.empty() ? nullptr
                        : std::get_if<protocol::CommitInfo>(&actions.front());
    const auto time =
        info == nullptr ? std::nullopt : info->in_commit_timestamp;
    if (has_commit_times_ && !time) {
      Add("COMMIT_TIME_MISSING", SeverityAt(file.version), file.name,
          "the commit does not begin with the time that the table promises",
          "RESTORE the version before it, and tell the writer's makers");
    }
    if (time && last_time_ && *time <= *last_time_) {
      Add("COMMIT_TIME_DISORDER", Severity::kWarning, file.name,
          "the commit's time is not after that of the commit before it",
          "time travel by time may miss it; travel by version");
    }
    if (time) last_time_ = time;
    if (info != nullptr) CompareChecksum(file.version, *info);
    const auto removes_rows = [](const Action& action) {
      const auto* remove = std::get_if<protocol::RemoveFile>(&action);
      return remove != nullptr && remove->data_change;
    };
    if (is_append_only_ && std::ranges::any_of(actions, removes_rows)) {
      Add("APPEND_ONLY_BROKEN", Severity::kWarning, file.name,
          "the commit takes rows out of a table with delta.appendOnly",
          "tell the writer's makers");
    }
  }

  void LookAtCompacted(const LogFileName& file) {
    const auto actions = ActionsOf(file);
    if (actions && file.size > 0) return;
    Add("COMPACTED_INVALID", Severity::kWarning, file.name,
        actions ? "the compacted file has no bytes" : actions.error().message,
        "delete it: readers take the commits themselves");
  }

  // -------------------------------------------------------------- checkpoints

  Status LookAtCheckpoints() {
    for (const log::LogSegment& checkpoint : checkpoints_) {
      BAYOU_TRY(CheckInterrupt());
      LookAtCheckpoint(checkpoint);
    }
    return {};
  }

  void LookAtCheckpoint(const log::LogSegment& checkpoint) {
    const std::string& name = checkpoint.checkpoint.front().name;
    std::string unreadable;
    const auto state =
        log::LogState::Replay(store_, *context_.db, checkpoint, &unreadable);
    const auto totals =
        state ? (*state)->Totals()
              : Result<log::FileTotals>(tl::unexpect, state.error());
    if (!totals) {
      return Add("CHECKPOINT_UNREADABLE", Severity::kWarning, name,
                 totals.error().message,
                 "delete it, and write another one: bayou checkpoint");
    }
    CompareChecksum(**state);
    const auto other = StateWithout(checkpoint);
    if (other == nullptr) return;
    const auto expected = log::ChecksumOf(*other);
    if (!expected) return;
    const auto difference =
        log::DifferenceOf(log::ChecksumOf(**state, *totals), *expected);
    if (!difference) return;
    Add("CHECKPOINT_MISMATCH", Severity::kError, name,
        "of the checkpoint: " + *difference,
        "delete it: the commits are there; then bayou checkpoint");
  }

  // The same version by another way; null where there is none.
  std::shared_ptr<const log::LogState> StateWithout(
      const log::LogSegment& checkpoint) const {
    std::set<std::string> passed_over;
    for (const LogFileName& file : files_) {
      const bool stands_for_it = file.kind == LogFileKind::kCheckpoint &&
                                 file.version == checkpoint.version;
      if (stands_for_it) passed_over.insert(file.name);
    }
    const auto segment =
        log::ChooseLogSegment(files_, checkpoint.version, passed_over);
    if (!segment) return nullptr;
    std::string unreadable;
    const auto state =
        log::LogState::Replay(store_, *context_.db, *segment, &unreadable);
    return state ? *state : nullptr;
  }

  // ---------------------------------------------------------------- checksums

  void LookAtChecksums() {
    for (const LogFileName& file : files_) {
      if (file.kind != LogFileKind::kChecksum) continue;
      const auto checksum = log::ReadChecksum(*store_, file.version);
      if (checksum) continue;
      Add("CHECKSUM_INVALID", Severity::kWarning, file.name,
          checksum.error().message, kDeleteChecksum);
    }
    const auto segment = log::ChooseLogSegment(files_, std::nullopt);
    if (!segment) return;
    std::string unreadable;
    const auto state =
        log::LogState::Replay(store_, *context_.db, *segment, &unreadable);
    if (state) CompareChecksum(**state);
  }

  // With the identity and the time of its commit, which no state tells.
  void CompareChecksum(Version version, const protocol::CommitInfo& info) {
    const auto written = log::ReadChecksum(*store_, version);
    if (!written || !*written) return;
    const auto wrong = [&](std::string what) {
      Add("CHECKSUM_MISMATCH", SeverityAt(version), log::ChecksumName(version),
          "of the version checksum: " + std::move(what), kDeleteChecksum);
    };
    const auto& id = (*written)->txn_id;
    if (id && info.txn_id && *id != *info.txn_id) {
      wrong(fmt::format("it says txnId {}, the commit has {}", *id,
                        *info.txn_id));
    }
    const auto& time = (*written)->in_commit_timestamp;
    if (time && time != info.in_commit_timestamp) {
      wrong(fmt::format(
          "it says inCommitTimestamp {}, the commit has {}", *time,
          info.in_commit_timestamp ? std::to_string(*info.in_commit_timestamp)
                                   : "none"));
    }
  }

  void CompareChecksum(const log::LogState& state) {
    const Version version = state.segment().version;
    if (!compared_.insert(version).second) return;
    const auto written = log::ReadChecksum(*store_, version);
    if (!written || !*written) return;
    const auto counted = log::ChecksumOf(state);
    if (!counted) return;
    const auto difference = log::DifferenceOf(**written, *counted);
    if (!difference) return;
    Add("CHECKSUM_MISMATCH", SeverityAt(version), log::ChecksumName(version),
        "of the version checksum: " + *difference, kDeleteChecksum);
  }

  void LookAtHint() {
    const std::string name(log::kLastCheckpoint);
    const auto text = store_->Read(JoinPath(log::kLogFolder, name));
    if (!text) return;  // Only a hint.
    const auto hint = log::ParseLastCheckpoint(*text);
    const char* const kRewrite =
        "delete it: readers list the log without it; bayou checkpoint writes "
        "it anew";
    if (!hint) {
      verdict_.has_bad_hint = true;
      return Add("HINT_INVALID", Severity::kWarning, name,
                 "the hint to the newest checkpoint makes no sense", kRewrite);
    }
    const bool leads_somewhere = std::ranges::any_of(
        checkpoints_, [&](const log::LogSegment& checkpoint) {
          return checkpoint.version == hint->version;
        });
    if (leads_somewhere) return;
    verdict_.has_bad_hint = true;
    Add("HINT_DANGLING", Severity::kWarning, name,
        fmt::format("the hint names a checkpoint of version {}, which is not "
                    "there, or not complete",
                    hint->version),
        kRewrite);
  }

  void LookForLeftovers() {
    const auto all = store_->List(log::kLogFolder, "");
    if (!all) return;
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    for (const store::ObjectMeta& file : *all) {
      if (!IsTemporaryLogFile(file.name)) continue;
      ++count;
      bytes += file.size;
    }
    if (count == 0) return;
    Add("LOG_LEFTOVERS", Severity::kNote, std::string(log::kLogFolder),
        fmt::format("{} files of {} bytes were left by writers that died, or "
                    "are being written",
                    count, bytes),
        "VACUUM deletes them when they are old enough");
  }

  duckdb::ClientContext& context_;
  const std::shared_ptr<store::Store>& store_;
  Findings& findings_;
  LogVerdict verdict_;
  std::vector<LogFileName> files_;
  // Each with its checkpoint alone.
  std::vector<log::LogSegment> checkpoints_;
  std::set<Version> compared_;  // With their checksums.
  // As the commits have said so far.
  bool has_commit_times_ = false;
  bool is_append_only_ = false;
  std::optional<std::int64_t> last_time_;
};

}  // namespace

Result<LogVerdict> ValidateLog(duckdb::ClientContext& context,
                               const std::shared_ptr<store::Store>& store,
                               Findings& findings) {
  return LogExamination(context, store, findings).Run();
}

}  // namespace bayou::commands
