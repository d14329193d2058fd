// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/table_features.h"
#include "kernel/protocol/table_properties.h"

namespace bayou::transaction {
namespace {

constexpr std::string_view kRowTrackingDomain = "delta.rowTracking";
// Each lost race means that another writer got on; so many in a row mean that
// something else is wrong.
constexpr int kMaxAttempts = 10'000;

std::string CommitPath(Version version) {
  return JoinPath(log::kLogFolder, log::CommitName(version));
}

std::int64_t HighWaterMark(const std::string& configuration) {
  simdjson::dom::parser parser;
  const auto json = ParseJson(parser, configuration);
  std::int64_t mark = -1;
  if (json && (*json)["rowIdHighWaterMark"].get(mark) != simdjson::SUCCESS)
    mark = -1;
  return mark;
}

protocol::DomainMetadata RowTrackingDomain(std::int64_t high_water_mark) {
  return {std::string(kRowTrackingDomain),
          fmt::format("{{\"rowIdHighWaterMark\":{}}}", high_water_mark), false};
}

std::int64_t RowsOf(const protocol::AddFile& file) {
  return protocol::ReadStatistics(file.stats.value_or(""), {})
      .num_records.value_or(0);
}

}  // namespace

Result<Transaction> Transaction::On(std::shared_ptr<const table::Snapshot> base,
                                    Env& env) {
  BAYOU_TRY(protocol::CheckWritable(base->protocol(), base->metadata(),
                                    base->location()));
  Transaction transaction(base->shared_store(), env);
  transaction.protocol_ = base->protocol();
  transaction.metadata_ = base->metadata();
  transaction.base_ = std::move(base);
  return transaction;
}

Transaction Transaction::Create(std::shared_ptr<store::Store> store,
                                protocol::Protocol protocol,
                                protocol::Metadata metadata, Env& env) {
  Transaction transaction(std::move(store), env);
  transaction.protocol_ = std::move(protocol);
  transaction.metadata_ = std::move(metadata);
  return transaction;
}

void Transaction::AddFiles(std::vector<protocol::AddFile> files) {
  adds_.insert(adds_.end(), std::make_move_iterator(files.begin()),
               std::make_move_iterator(files.end()));
}

Result<Version> Transaction::Commit(const Operation& operation) {
  Version version = 0;
  Predecessor before;
  if (base_) {
    version = base_->version() + 1;
    BAYOU_ASSIGN(before, BasePredecessor());
    // Our commit is worth nothing after a crash if the one below it was lost.
    BAYOU_TRY(store_->Sync(CommitPath(base_->version())));
  }
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    BAYOU_ASSIGN(const Outcome outcome, Try(operation, version, &before));
    if (outcome == Outcome::kCommitted) return version;
    if (outcome == Outcome::kLost) ++version;
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
  const Status put = store_->PutIfAbsent(CommitPath(version),
                                         Render(operation, version, *before));
  if (put) return Committed();
  if (put.error().code == ErrorCode::kCommitUnknown) may_be_committed_ = true;
  const bool taken = put.error().code == ErrorCode::kAlreadyExists;
  if (!taken && !may_be_committed_) return tl::unexpected<Error>(put.error());

  const Result<std::optional<WinningCommit>> holder = ReadCommit(version);
  if (!holder && may_be_committed_)
    return UnknownOutcome(version, holder.error());
  if (!holder) return tl::unexpected<Error>(holder.error());
  if (!*holder) return Outcome::kNobody;
  const protocol::CommitInfo* info = (*holder)->info();
  if (info != nullptr && info->txn_id == txn_id_) return Committed();
  // The version is another's: no request of ours can have it any more.
  may_be_committed_ = false;
  BAYOU_TRY(YieldTo(**holder, before));
  return Outcome::kLost;
}

Transaction::Outcome Transaction::Committed() {
  may_be_committed_ = true;
  return Outcome::kCommitted;
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

Status Transaction::YieldTo(const WinningCommit& winner,
                            Predecessor* before) const {
  if (!base_) {
    return Fail(
        ErrorCode::kAlreadyExists, "DELTA_TABLE_ALREADY_EXISTS",
        fmt::format("table {} was created by another at the same time; nothing "
                    "of this statement was committed",
                    location()));
  }
  BAYOU_TRY(CheckConflict(reads_, winner, location()));
  BAYOU_TRY(store_->Sync(CommitPath(winner.version)));
  for (const protocol::Action& action : winner.actions) {
    if (const auto* info = std::get_if<protocol::CommitInfo>(&action)) {
      if (info->in_commit_timestamp)
        before->in_commit_timestamp = *info->in_commit_timestamp;
    } else if (const auto* domain =
                   std::get_if<protocol::DomainMetadata>(&action)) {
      if (domain->domain == kRowTrackingDomain) {
        before->row_id_high_water_mark = HighWaterMark(domain->configuration);
      }
    }
  }
  return {};
}

void Transaction::Abandon() {
  if (may_be_committed_) return;
  // What is left behind is invisible; VACUUM deletes it.
  for (const protocol::AddFile& file : adds_) {
    (void)store_->Delete(CanonicalPath(file.path));
  }
  adds_.clear();
}

Result<Transaction::Predecessor> Transaction::BasePredecessor() const {
  Predecessor before;
  if (base_->in_commit_timestamps()) {
    BAYOU_ASSIGN(before.in_commit_timestamp, base_->Timestamp());
  }
  const auto& domains = base_->state().domains();
  const auto row_tracking = domains.find(std::string(kRowTrackingDomain));
  if (row_tracking != domains.end()) {
    before.row_id_high_water_mark =
        HighWaterMark(row_tracking->second.configuration);
  }
  return before;
}

std::string Transaction::Render(const Operation& operation, Version version,
                                const Predecessor& before) const {
  CommitFacts facts;
  facts.timestamp = env_->NowMs();
  if (protocol::TableProperties(metadata_.configuration)
          .in_commit_timestamps()) {
    facts.in_commit_timestamp =
        std::max(facts.timestamp, before.in_commit_timestamp + 1);
    facts.timestamp = *facts.in_commit_timestamp;
  }
  if (base_) facts.read_version = base_->version();
  facts.is_blind_append = !reads_.whole_table;
  facts.txn_id = txn_id_;

  std::string commit;
  const auto append = [&commit](const protocol::Action& action) {
    commit += protocol::ActionToJson(action);
    commit += '\n';
  };
  append(MakeCommitInfo(operation, facts));
  if (!base_) {
    append(protocol_);
    append(metadata_);
  }
  const auto suspended =
      metadata_.configuration.find("delta.rowTrackingSuspended");
  const bool tracks_rows = protocol::Supports(protocol_, "rowTracking") &&
                           (suspended == metadata_.configuration.end() ||
                            suspended->second != "true");
  std::int64_t mark = before.row_id_high_water_mark;
  for (const protocol::AddFile& file : adds_) {
    protocol::AddFile add = file;
    if (tracks_rows) {
      add.base_row_id = mark + 1;
      add.default_row_commit_version = version;
      mark += RowsOf(file);
    }
    append(add);
  }
  if (mark != before.row_id_high_water_mark) append(RowTrackingDomain(mark));
  return commit;
}

}  // namespace bayou::transaction
