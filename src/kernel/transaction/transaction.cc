// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "base/json.h"
#include "base/sum.h"
#include "base/uri_path.h"
#include "kernel/log/file_view.h"
#include "kernel/log/log_file_name.h"
#include "kernel/protocol/manifest_property.h"
#include "kernel/protocol/table_features.h"
#include "kernel/protocol/table_properties.h"
#include "kernel/transaction/back_off.h"
#include "kernel/transaction/row_ids.h"

namespace bayou::transaction {
namespace {

// Each lost race means that another writer got on; so many in a row mean that
// something else is wrong.
constexpr int kMaxAttempts = 10'000;
// So often a name may be taken and have nothing to read: no writer leaves it
// so.
constexpr int kMaxBlockedAttempts = 5;

constexpr char kProtectedBefore[] =
    "delta.requireCheckpointProtectionBeforeVersion";

std::string CommitPath(Version version) {
  return JoinPath(log::kLogFolder, log::CommitName(version));
}

protocol::RemoveFile RemoveOf(const protocol::AddFile& live, std::int64_t now,
                              bool data_change) {
  protocol::RemoveFile remove;
  remove.path = live.path;
  remove.deletion_timestamp = now;
  remove.data_change = data_change;
  remove.extended_file_metadata = true;
  remove.partition_values = live.partition_values;
  remove.size = live.size;
  remove.stats = live.stats;
  remove.tags = live.tags;
  remove.deletion_vector = live.deletion_vector;
  remove.base_row_id = live.base_row_id;
  remove.default_row_commit_version = live.default_row_commit_version;
  return remove;
}

bool RemovesData(const WinningCommit& winner) {
  return std::ranges::any_of(winner.actions, [](const auto& action) {
    const auto* remove = std::get_if<protocol::RemoveFile>(&action);
    return remove != nullptr && remove->data_change;
  });
}

}  // namespace

Result<Transaction> Transaction::On(std::shared_ptr<const table::Snapshot> base,
                                    Env& env) {
  if (base->is_preview()) {
    return Fail(ErrorCode::kInternal, "DELTA_UNCOMMITTED_READ",
                "table " + base->location() +
                    ": a transaction was begun on changes of another one that "
                    "are not committed");
  }
  BAYOU_TRY(protocol::CheckWritable(base->protocol(), base->metadata(),
                                    base->location()));
  Transaction transaction(base->shared_store(), env);
  transaction.protocol_ = base->state().protocol();
  transaction.metadata_ = base->state().metadata();
  if (base->is_changed()) {
    transaction.SetProtocol(base->protocol());
    transaction.SetMetadata(base->metadata());
  }
  transaction.base_ = std::move(base);
  return transaction;
}

Transaction Transaction::Create(std::shared_ptr<store::Store> store,
                                protocol::Protocol protocol,
                                protocol::Metadata metadata, Env& env) {
  Transaction transaction(std::move(store), env);
  transaction.staged_.protocol = std::move(protocol);
  transaction.staged_.metadata = std::move(metadata);
  return transaction;
}

const protocol::Protocol& Transaction::protocol() const {
  return staged_.protocol ? *staged_.protocol : protocol_;
}

const protocol::Metadata& Transaction::metadata() const {
  return staged_.metadata ? *staged_.metadata : metadata_;
}

void Transaction::AddFiles(std::vector<protocol::AddFile> files) {
  for (protocol::AddFile& file : files) {
    own_files_.push_back(CanonicalPath(file.path));
    staged_.adds.push_back(std::move(file));
  }
}

void Transaction::AdoptFiles(std::vector<protocol::AddFile> files) {
  staged_.adds.insert(staged_.adds.end(),
                      std::make_move_iterator(files.begin()),
                      std::make_move_iterator(files.end()));
}

void Transaction::AddChangeFiles(std::vector<protocol::CdcFile> files) {
  for (protocol::CdcFile& file : files) {
    own_files_.push_back(CanonicalPath(file.path));
    staged_.change_files.push_back(std::move(file));
  }
}

bool Transaction::TakeBack(const protocol::AddFile& live) {
  auto& adds = staged_.adds;
  const auto earlier =
      adds.begin() + static_cast<std::ptrdiff_t>(earlier_adds_);
  const auto found = std::find_if(adds.begin(), earlier, [&](const auto& add) {
    return add.path == live.path && add.deletion_vector == live.deletion_vector;
  });
  if (found == earlier) return false;
  taken_back_.insert(CanonicalPath(live.path));
  adds.erase(found);
  --earlier_adds_;
  return true;
}

// What is left behind, such as files of vectors, is for VACUUM.
void Transaction::DeleteTakenBack() {
  for (const protocol::AddFile& add : staged_.adds)
    taken_back_.erase(CanonicalPath(add.path));
  for (const std::string& name : own_files_) {
    if (taken_back_.contains(name)) (void)store_->Delete(name);
  }
}

void Transaction::RemoveFile(const protocol::AddFile& live, bool data_change) {
  if (TakeBack(live)) return;
  staged_.removes.push_back(RemoveOf(live, env_->NowMs(), data_change));
}

void Transaction::ReplaceFile(const protocol::AddFile& live,
                              protocol::AddFile file) {
  // The same file with the same vector is no longer removed: it is described
  // anew.
  if (live.deletion_vector != file.deletion_vector) {
    RemoveFile(live, file.data_change);
  } else if (!TakeBack(live)) {
    ++described_anew_.files;
    described_anew_.bytes = Sum(described_anew_.bytes, live.size);
  }
  staged_.adds.push_back(std::move(file));
}

void Transaction::OwnFile(std::string name) {
  own_files_.push_back(std::move(name));
}

void Transaction::SetProtocol(protocol::Protocol protocol) {
  staged_.protocol = std::move(protocol);
}

void Transaction::SetMetadata(protocol::Metadata metadata) {
  staged_.metadata = std::move(metadata);
}

void Transaction::SetDomain(protocol::DomainMetadata domain) {
  staged_.domains.push_back(std::move(domain));
}

void Transaction::SetAppVersion(protocol::SetTransaction app) {
  for (protocol::SetTransaction& known : staged_.app_versions) {
    if (known.app_id != app.app_id) continue;
    if (app.version > known.version) known = std::move(app);
    return;
  }
  staged_.app_versions.push_back(std::move(app));
}

void Transaction::ReadFiles(std::shared_ptr<const log::FilePredicate> files) {
  reads_.scans.push_back(std::move(files));
}

void Transaction::ReadRows(std::shared_ptr<const log::FilePredicate> files) {
  reads_.row_scans.push_back(std::move(files));
}

std::optional<std::int64_t> Transaction::AppVersion(const std::string& app_id) {
  reads_.app_ids.insert(app_id);
  if (!base_) return std::nullopt;
  const auto& applications = base_->state().transactions();
  const auto found = applications.find(app_id);
  if (found == applications.end()) return std::nullopt;
  return found->second.version;
}

// The change feed has columns of its own beside the table's.
Status Transaction::CheckFeedColumns() const {
  if (!protocol::TableProperties(metadata().configuration).change_data_feed())
    return {};
  BAYOU_ASSIGN(const auto schema,
               protocol::ParseSchema(metadata().schema_string));
  for (const char* name :
       {"_change_type", "_commit_version", "_commit_timestamp"}) {
    if (schema.Find(name) == nullptr) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS",
                fmt::format("table {}: a column called {} and "
                            "delta.enableChangeDataFeed = true do not go "
                            "together, for the feed has a column of that name; "
                            "nothing was committed",
                            location(), name));
  }
  return {};
}

Status Transaction::CheckStaged() const {
  BAYOU_TRY(CheckNoDuplicates(staged_, location()));
  if (staged_.protocol || staged_.metadata) {
    BAYOU_TRY(protocol::CheckWritable(protocol(), metadata(), location()));
  }
  if (staged_.metadata) {
    BAYOU_TRY(CheckFeedColumns());
    BAYOU_TRY(protocol::CheckManifestProperty(base_ ? &metadata_ : nullptr,
                                              *staged_.metadata, location()));
  }
  const bool deletes =
      std::ranges::any_of(staged_.removes, &protocol::RemoveFile::data_change);
  // Asked of the table that has the rows, not of what replaces it.
  if (!deletes ||
      !protocol::TableProperties(metadata_.configuration).append_only()) {
    return {};
  }
  return Fail(
      ErrorCode::kConstraint, "DELTA_CANNOT_MODIFY_APPEND_ONLY",
      fmt::format("table {} has delta.appendOnly = true: rows cannot be "
                  "changed or deleted; ALTER TABLE ... SET TBLPROPERTIES "
                  "('delta.appendOnly' = 'false') lets them",
                  location()));
}

Result<Version> Transaction::Commit(const Operation& operation) {
  BAYOU_TRY(CheckStaged());
  operation_ = operation.name;
  Version version = 0;
  Predecessor before;
  if (base_) {
    version = base_->version() + 1;
    BAYOU_ASSIGN(before, BasePredecessor());
    // Our commit is worth nothing after a crash if the one below it was lost.
    // A checkpoint alone may stand for that.
    if (base_->state().segment().last_commit)
      BAYOU_TRY(store_->Sync(CommitPath(base_->version())));
  }
  int blocked = 0;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    BAYOU_ASSIGN(const Outcome outcome, Try(operation, version, &before));
    if (outcome == Outcome::kCommitted) {
      DeleteTakenBack();
      return version;
    }
    blocked = outcome == Outcome::kBlocked ? blocked + 1 : 0;
    if (blocked == kMaxBlockedAttempts) return Blocked(version);
    env_->Sleep(BackOffMs(attempt + 1, *env_));
    if (outcome != Outcome::kLost) continue;
    ++version;
    BAYOU_TRY(CatchUp(&version, &before));
  }
  const Error exhausted{
      ErrorCode::kUnavailable, "DELTA_COMMIT_RETRIES_EXHAUSTED",
      fmt::format("table {}: lost {} races for a version in a row, the last "
                  "one for version {}; run the statement again",
                  location(), kMaxAttempts, version)};
  if (may_be_committed_) return UnknownOutcome(version, exhausted);
  return tl::unexpected<Error>(exhausted);
}

Result<Transaction::Outcome> Transaction::Try(const Operation& operation,
                                              Version version,
                                              Predecessor* before) {
  BAYOU_ASSIGN(const std::string commit,
               Render(operation, version, *before, &committed_));
  const Status put = store_->PutIfAbsent(CommitPath(version), commit);
  if (put) return Won();
  const bool may_be_older = may_be_committed_;
  if (put.error().code == ErrorCode::kCommitUnknown) may_be_committed_ = true;
  const bool taken = put.error().code == ErrorCode::kAlreadyExists;
  if (!taken && !may_be_committed_) return tl::unexpected<Error>(put.error());

  const Result<std::optional<WinningCommit>> holder = ReadCommit(version);
  if (!holder && may_be_committed_)
    return UnknownOutcome(version, holder.error());
  if (!holder) return tl::unexpected<Error>(holder.error());
  if (!*holder && taken) return Outcome::kBlocked;
  if (!*holder && put.error().code != ErrorCode::kCommitUnknown)
    return UnknownOutcome(version, put.error());
  if (!*holder) return Outcome::kNobody;
  const protocol::CommitInfo* info = (*holder)->info();
  if (info != nullptr && info->txn_id == txn_id_) {
    committed_.is_certain =
        put.error().code == ErrorCode::kCommitUnknown && !may_be_older;
    return Won();
  }
  // The version is another's: no request of ours can have it any more.
  may_be_committed_ = false;
  BAYOU_TRY(YieldTo(**holder, before));
  return Outcome::kLost;
}

// A put that is bound to lose costs more than a look.
Status Transaction::CatchUp(Version* version, Predecessor* before) {
  while (true) {
    BAYOU_ASSIGN(const std::optional<WinningCommit> holder,
                 ReadCommit(*version));
    if (!holder) return {};
    BAYOU_TRY(YieldTo(*holder, before));
    ++*version;
  }
}

Transaction::Outcome Transaction::Won() {
  may_be_committed_ = true;
  return Outcome::kCommitted;
}

tl::unexpected<Error> Transaction::Blocked(Version version) const {
  const Error blocked{
      ErrorCode::kCorruption, "DELTA_COMMIT_NAME_BLOCKED",
      fmt::format("version {} cannot be committed: {} exists, but is no file "
                  "that can be read (a folder, or a link to nothing); remove "
                  "it",
                  version, JoinPath(location(), CommitPath(version)))};
  if (may_be_committed_) return UnknownOutcome(version, blocked);
  return tl::unexpected<Error>(blocked);
}

tl::unexpected<Error> Transaction::UnknownOutcome(Version version,
                                                  const Error& reason) const {
  return Fail(
      ErrorCode::kCommitUnknown, "DELTA_COMMIT_UNKNOWN",
      fmt::format("table {}: whether version {} was committed could not be "
                  "found out ({}); it was if the commitInfo of that version "
                  "has txnId {}",
                  location(), version, reason.message, txn_id_));
}

Result<std::optional<WinningCommit>> Transaction::ReadCommit(
    Version version) const {
  const std::string path = CommitPath(version);
  const Result<std::string> text = store_->Read(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) return tl::unexpected<Error>(text.error());
  WinningCommit commit{.version = version, .actions = {}};
  BAYOU_ASSIGN(commit.actions,
               protocol::ParseActions(*text, JoinPath(location(), path)));
  return commit;
}

Status Transaction::YieldTo(const WinningCommit& winner, Predecessor* before) {
  if (!base_) {
    return Fail(
        ErrorCode::kAlreadyExists, "DELTA_TABLE_ALREADY_EXISTS",
        fmt::format("table {} was created by another at the same time; nothing "
                    "of this statement was committed",
                    location()));
  }
  const IsolationLevel isolation = IsolationLevelOf(metadata(), staged_);
  RowLevelMerge merge;
  if (RemovesData(winner)) {
    BAYOU_TRY(FindFilesRead(isolation));
    if (isolation == IsolationLevel::kWriteSerializable)
      merge = RowLevelMerge::Plan(base_, staged_, winner);
  }
  static const std::set<std::string> kNone;
  const LosingTransaction loser{
      .table = location(),
      .operation = operation_,
      .reads = reads_,
      .files_read = files_read_ ? *files_read_ : kNone,
      .settled = merge.files(),
      .staged = staged_,
      .isolation = isolation,
      .protocol = protocol_,
      .metadata = metadata_,
      .comes_before = comes_before_};
  BAYOU_TRY(CheckConflict(loser, winner));
  if (!comes_before_ && CountsAsLater(loser, winner))
    comes_before_ = winner.version;
  FollowMovedRows(winner, isolation);
  BAYOU_TRY(MergeRows(merge));
  BAYOU_TRY(store_->Sync(CommitPath(winner.version)));
  return Adopt(winner, before);
}

Status Transaction::MergeRows(const RowLevelMerge& merge) {
  write::DeletionVectorWriter vectors(*store_, *env_);
  BAYOU_TRY(merge.Apply(staged_, vectors));
  return vectors.Finish(&own_files_);
}

// Of whose rows it matters that they went.
std::vector<std::shared_ptr<const log::FilePredicate>>
Transaction::ScansThatMatter(IsolationLevel isolation) const {
  auto scans = reads_.scans;
  if (isolation != IsolationLevel::kWriteSerializable) {
    scans.insert(scans.end(), reads_.row_scans.begin(), reads_.row_scans.end());
  }
  return scans;
}

void Transaction::FollowMovedRows(const WinningCommit& winner,
                                  IsolationLevel isolation) {
  const auto scans = ScansThatMatter(isolation);
  for (const protocol::Action& action : winner.actions) {
    const auto* add = std::get_if<protocol::AddFile>(&action);
    if (add == nullptr || add->data_change) continue;
    log::PartitionView values;
    const log::FileView view = log::ViewOf(*add, values);
    if (std::ranges::any_of(scans,
                            [&](const auto& scan) { return scan->Keep(view); }))
      files_moved_to_.insert(CanonicalPath(add->path));
  }
  if (files_read_) files_read_->merge(std::set(files_moved_to_));
}

Status Transaction::FindFilesRead(IsolationLevel isolation) {
  if (files_read_ || reads_.whole_table) return {};
  files_read_ = files_moved_to_;
  std::vector<protocol::AddFile> batch;
  for (const auto& scan : ScansThatMatter(isolation)) {
    BAYOU_ASSIGN(const auto files, base_->state().Files({}, scan));
    for (bool more = true; more;) {
      BAYOU_ASSIGN(more, files->Next(batch));
      for (const protocol::AddFile& file : batch)
        files_read_->insert(CanonicalPath(file.path));
    }
  }
  return {};
}

// The version after `winner` is built on what it left.
Status Transaction::Adopt(const WinningCommit& winner, Predecessor* before) {
  TakeOverRowIds(winner.actions, staged_);
  std::optional<std::int64_t> timestamp;
  for (const protocol::Action& action : winner.actions) {
    if (const auto* info = std::get_if<protocol::CommitInfo>(&action)) {
      timestamp = info->in_commit_timestamp;
    } else if (const auto* domain =
                   std::get_if<protocol::DomainMetadata>(&action)) {
      if (domain->domain != kRowTrackingDomain || domain->removed) continue;
      BAYOU_ASSIGN(before->row_id_high_water_mark,
                   RowIdHighWaterMark(*domain, location()));
    } else if (const auto* protocol =
                   std::get_if<protocol::Protocol>(&action)) {
      protocol_ = *protocol;
    } else if (const auto* metadata =
                   std::get_if<protocol::Metadata>(&action)) {
      metadata_ = *metadata;
    }
  }
  if (!timestamp && HasInCommitTimestamps()) {
    BAYOU_ASSIGN(const auto file, store_->Head(CommitPath(winner.version)));
    timestamp = file.modified_ms;
  }
  if (timestamp) before->timestamp = std::max(before->timestamp, *timestamp);
  return {};
}

void Transaction::Abandon() {
  if (may_be_committed_) return;
  // What is left behind is invisible; VACUUM deletes it.
  for (const std::string& name : own_files_) (void)store_->Delete(name);
  own_files_.clear();
}

bool Transaction::HasInCommitTimestamps() const {
  return protocol::TableProperties(metadata().configuration)
      .in_commit_timestamps();
}

bool Transaction::EnablesInCommitTimestamps() const {
  return base_ && staged_.metadata && HasInCommitTimestamps() &&
         !protocol::TableProperties(metadata_.configuration)
              .in_commit_timestamps();
}

// Then versions before the commit's own are to be protected.
bool Transaction::DropsReaderFeature() const {
  if (!base_ || !staged_.protocol || !staged_.metadata) return false;
  const auto value = [](const protocol::Metadata& metadata) {
    const auto found = metadata.configuration.find(kProtectedBefore);
    return found == metadata.configuration.end() ? std::string()
                                                 : found->second;
  };
  return value(*staged_.metadata) != value(metadata_);
}

Result<Transaction::Predecessor> Transaction::BasePredecessor() const {
  Predecessor before;
  if (HasInCommitTimestamps()) {
    BAYOU_ASSIGN(before.timestamp, base_->Timestamp());
  }
  const auto& domains = base_->state().domains();
  const auto row_tracking = domains.find(std::string(kRowTrackingDomain));
  if (row_tracking != domains.end()) {
    BAYOU_ASSIGN(before.row_id_high_water_mark,
                 RowIdHighWaterMark(row_tracking->second, location()));
  }
  return before;
}

log::FileTotals Transaction::Growth() const {
  log::FileTotals growth{std::ssize(staged_.adds) -
                             std::ssize(staged_.removes) -
                             described_anew_.files,
                         Difference(0, described_anew_.bytes)};
  for (const protocol::AddFile& add : staged_.adds)
    growth.bytes = Sum(growth.bytes, add.size);
  for (const protocol::RemoveFile& remove : staged_.removes)
    growth.bytes = Difference(growth.bytes, remove.size.value_or(0));
  return growth;
}

Result<std::string> Transaction::Render(const Operation& operation,
                                        Version version,
                                        const Predecessor& before,
                                        Committed* committed) const {
  StagedActions staged = staged_;
  if (AssignsRowIds(protocol(), metadata())) {
    BAYOU_TRY(AssignRowIds(version, before.row_id_high_water_mark, location(),
                           staged));
  }
  CommitFacts facts;
  facts.timestamp = env_->NowMs();
  if (HasInCommitTimestamps()) {
    if (before.timestamp == INT64_MAX) {
      return Fail(ErrorCode::kCorruption, "DELTA_LOG_INVALID",
                  fmt::format("table {}: the version before {} has an "
                              "inCommitTimestamp behind which there is no time",
                              location(), version));
    }
    facts.timestamp = std::max(facts.timestamp, before.timestamp + 1);
    facts.in_commit_timestamp = facts.timestamp;
  }
  if (EnablesInCommitTimestamps()) {
    auto& configuration = staged.metadata->configuration;
    configuration["delta.inCommitTimestampEnablementVersion"] =
        std::to_string(version);
    configuration["delta.inCommitTimestampEnablementTimestamp"] =
        std::to_string(*facts.in_commit_timestamp);
  }
  if (DropsReaderFeature()) {
    staged.metadata->configuration[kProtectedBefore] = std::to_string(version);
  }
  if (base_) facts.read_version = base_->version();
  facts.isolation = IsolationLevelOf(metadata(), staged_);
  facts.is_blind_append = staged_.OnlyAddsFiles() && !reads_.HasFiles();
  facts.txn_id = txn_id_;

  std::string commit;
  const auto append = [&commit](const auto& action) {
    commit += protocol::ActionToJson(action);
    commit += '\n';
  };
  append(MakeCommitInfo(operation, facts));
  staged.ForEach(append);
  BAYOU_TRY(CheckText(commit));
  *committed = {.bytes = std::ssize(commit),
                .actions = std::move(staged),
                .in_commit_timestamp = facts.in_commit_timestamp,
                .growth = Growth()};
  return commit;
}

// A commit that is no text would make the table unreadable.
Status Transaction::CheckText(std::string_view commit) const {
  if (simdjson::validate_utf8(commit)) return {};
  return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_TEXT",
              fmt::format("table {}: nothing was committed, for a text in the "
                          "commit (a name, a comment, a property, a value) is "
                          "no valid UTF-8",
                          location()));
}

}  // namespace bayou::transaction
