// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/vacuum.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <variant>

#include "base/uri_path.h"
#include "kernel/engine/for_each.h"
#include "kernel/log/log_file_name.h"
#include "kernel/transaction/transaction.h"
#include "ops/commands/kept_files.h"
#include "ops/commands/vacuum_decision.h"
#include "ops/commands/vacuum_record.h"
#include "ops/commands/whole_commit.h"

namespace bayou::commands {
namespace {

using protocol::Version;
using transaction::Operation;
using transaction::Transaction;

constexpr std::int64_t kWeekMs = std::int64_t{7} * 24 * 60 * 60 * 1000;
constexpr double kHourMs = 60.0 * 60 * 1000;

std::int64_t TableRetentionMs(const table::Snapshot& snapshot) {
  return snapshot.properties().deleted_file_retention().count();
}

std::int64_t RetentionMs(const table::Snapshot& snapshot,
                         const VacuumRequest& request) {
  return request.retention_ms.value_or(TableRetentionMs(snapshot));
}

Status CheckNotNegative(const VacuumRequest& request) {
  if (request.retention_ms.value_or(0) >= 0) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE",
              "the retention time of VACUUM can't be less than 0 hours");
}

// ------------------------------------------------------------------- deleting

// Deletes files, several at a time: most of it is waiting for the store.
class Deletion {
 public:
  Deletion(duckdb::ClientContext& context, store::Store& store,
           VacuumProgress& progress)
      : context_(context), store_(store), progress_(progress) {}

  void Run(const std::vector<std::string>& names) {
    constexpr std::size_t kMostThreads = 8;
    constexpr std::size_t kFilesForAThread = 64;
    ended_ = engine::ForEach(
        names.size(), std::min(kMostThreads, names.size() / kFilesForAThread),
        [&](std::size_t i) { return Delete(names[i]); });
  }

  std::int64_t deleted() const { return deleted_; }
  // What put an end to it before its time.
  const Status& ended() const { return ended_; }
  const std::vector<std::string>& failed() const { return failed_; }
  const std::string& reason() const { return reason_; }

 private:
  Status Delete(const std::string& name) {
    if (context_.IsInterrupted()) {
      return Fail(ErrorCode::kCancelled, "INTERRUPTED", "VACUUM was cancelled");
    }
    const Status deleted = store_.Delete(name);
    if (deleted) {
      ++deleted_;
    } else if (deleted.error().code != ErrorCode::kNotFound) {
      const std::lock_guard lock(mutex_);
      if (failed_.empty()) reason_ = deleted.error().message;
      failed_.push_back(name);
    }
    ++progress_.done;
    return {};
  }

  duckdb::ClientContext& context_;
  store::Store& store_;
  VacuumProgress& progress_;
  std::atomic<std::int64_t> deleted_ = 0;
  Status ended_;
  std::mutex mutex_;
  std::vector<std::string> failed_;
  std::string reason_;
};

Status Outcome(const table::Snapshot& snapshot, const Deletion& deletion) {
  if (!deletion.ended()) {
    Error error = deletion.ended().error();
    error.message =
        fmt::format("table {}: {}, after {} files", snapshot.location(),
                    error.message, deletion.deleted());
    return tl::unexpected<Error>(std::move(error));
  }
  if (deletion.failed().empty()) return {};
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, deletion.failed().size()); ++i)
    names += (i == 0 ? "" : ", ") + deletion.failed()[i];
  return Fail(
      ErrorCode::kUnavailable, "DELTA_VACUUM_FAILED",
      fmt::format("table {}: {} files could not be deleted, among them {} "
                  "({}); {} others are gone; mend the reason and run VACUUM "
                  "again",
                  snapshot.location(), deletion.failed().size(), names,
                  deletion.reason(), deletion.deleted()));
}

// -------------------------------------------------------------------- history

Operation StartOf(const table::Snapshot& snapshot, const VacuumRequest& request,
                  const VacuumPlan& plan) {
  Operation start;
  start.name = "VACUUM START";
  start.parameters = {
      {"retentionCheckEnabled", request.checks_retention ? "true" : "false"},
      {"defaultRetentionMillis", std::to_string(TableRetentionMs(snapshot))}};
  if (request.retention_ms) {
    start.parameters.emplace_back("specifiedRetentionMillis",
                                  std::to_string(*request.retention_ms));
  }
  start.parameters.emplace_back("typeOfVacuum",
                                transaction::TextParameter(NameOf(plan.mode)));
  start.metrics = {
      {"numFilesToDelete", static_cast<std::int64_t>(plan.files.size())},
      {"sizeOfDataToDelete", plan.bytes()}};
  start.user_metadata = request.user_metadata;
  return start;
}

Operation EndOf(const VacuumRequest& request, const VacuumResult& result,
                bool completed) {
  const VacuumPlan& plan = result.plan;
  Operation end;
  end.name = "VACUUM END";
  end.parameters = {
      {"status",
       transaction::TextParameter(completed ? "COMPLETED" : "FAILED")},
      {"typeOfVacuum", transaction::TextParameter(NameOf(plan.mode))},
      {"retentionMillis", std::to_string(result.retention_ms)}};
  end.metrics = {{"numDeletedFiles", result.files_deleted},
                 {"numVacuumedDirectories", plan.folders_found}};
  end.user_metadata = request.user_metadata;
  return end;
}

Result<Version> Record(duckdb::ClientContext& context,
                       const std::shared_ptr<const table::Snapshot>& snapshot,
                       const Operation& operation, Env& env) {
  BAYOU_ASSIGN(Transaction transaction, Transaction::On(snapshot, env));
  return CommitWhole(transaction, operation, *context.db, env);
}

// On the newest version: whatever others have changed meanwhile, what was
// deleted is to be told.
Result<Version> RecordEnd(duckdb::ClientContext& context,
                          const std::shared_ptr<store::Store>& store,
                          const Operation& operation, Env& env) {
  constexpr int kTries = 10;
  for (int left = kTries - 1;; --left) {
    BAYOU_ASSIGN(const auto latest, table::Snapshot::Open(store, *context.db));
    auto ended = Record(context, latest, operation, env);
    if (ended || ended.error().code != ErrorCode::kConflict || left == 0)
      return ended;
  }
}

// What others have committed since the snapshot may name files again that were
// none of the table's then.
Status SpareWhatCame(const table::Snapshot& snapshot, Version until,
                     VacuumPlan& plan) {
  KeptFiles named;
  for (Version version = snapshot.version() + 1; version < until; ++version) {
    const std::string name =
        JoinPath(log::kLogFolder, log::CommitName(version));
    BAYOU_ASSIGN(const std::string text, snapshot.store().Read(name));
    BAYOU_ASSIGN(
        const auto actions,
        protocol::ParseActions(text, JoinPath(snapshot.location(), name)));
    for (const protocol::Action& action : actions)
      BAYOU_TRY(named.Add(snapshot, action));
  }
  std::erase_if(plan.files, [&](const VacuumFile& file) {
    return named.Contains(file.name);
  });
  return {};
}

}  // namespace

std::int64_t LeastRetentionMs(const table::Snapshot& snapshot) {
  return std::max(kWeekMs, TableRetentionMs(snapshot));
}

Status CheckRetention(const table::Snapshot& snapshot,
                      const VacuumRequest& request) {
  BAYOU_TRY(CheckNotNegative(request));
  const std::int64_t least = LeastRetentionMs(snapshot);
  if (!request.checks_retention || !request.retention_ms ||
      *request.retention_ms >= least) {
    return {};
  }
  return Fail(
      ErrorCode::kInvalidArgument, "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT",
      fmt::format(
          "table {}: VACUUM RETAIN {:g} HOURS would delete files that a "
          "running "
          "reader or writer may still need, and all versions older than that; "
          "at least {:g} hours are safe. If you are sure that nobody is at "
          "work on the table, SET bayou_retention_check = false",
          snapshot.location(),
          static_cast<double>(*request.retention_ms) / kHourMs,
          static_cast<double>(least) / kHourMs));
}

Result<VacuumPlan> PlanVacuum(const table::Snapshot& snapshot,
                              const VacuumRequest& request, Env& env) {
  BAYOU_TRY(CheckNotNegative(request));
  const std::int64_t now_ms = env.NowMs();
  const std::int64_t retention_ms = RetentionMs(snapshot, request);
  const std::int64_t cutoff_ms = now_ms - retention_ms;
  if (request.inventory)
    return PlanInventoryVacuum(snapshot, cutoff_ms, request.inventory);
  VacuumDecision decision;
  if (request.mode) {
    decision.kind = *request.mode == VacuumMode::kLite
                        ? VacuumDecision::Kind::kLite
                        : VacuumDecision::Kind::kFull;
  } else if (request.is_optimistic) {
    BAYOU_ASSIGN(decision, DecideVacuum(snapshot, retention_ms, now_ms));
  }
  VacuumPlan plan;
  plan.cutoff_ms = cutoff_ms;
  if (decision.kind == VacuumDecision::Kind::kSkip) {
    plan.is_skipped = true;
  } else if (decision.kind == VacuumDecision::Kind::kLite) {
    const VacuumRecord record =
        ReadVacuumRecord(snapshot.store(), snapshot.version());
    BAYOU_ASSIGN(plan, PlanLiteVacuum(snapshot, cutoff_ms, record.done_until));
  } else {
    BAYOU_ASSIGN(plan, PlanFullVacuum(snapshot, cutoff_ms));
  }
  plan.reason = std::move(decision.reason);
  return plan;
}

Result<VacuumResult> Vacuum(
    duckdb::ClientContext& context,
    const std::shared_ptr<const table::Snapshot>& snapshot,
    const VacuumRequest& request, VacuumProgress& progress, Env& env) {
  VacuumResult result;
  result.start_ms = env.NowMs();
  result.retention_ms = RetentionMs(*snapshot, request);
  BAYOU_TRY(Transaction::On(snapshot, env));  // May it be written at all?
  BAYOU_TRY(CheckRetention(*snapshot, request));
  BAYOU_ASSIGN(result.plan, PlanVacuum(*snapshot, request, env));
  VacuumPlan& plan = result.plan;
  result.delete_ms = result.end_ms = env.NowMs();
  if (plan.is_skipped) return result;
  BAYOU_ASSIGN(
      const Version started,
      Record(context, snapshot, StartOf(*snapshot, request, plan), env));
  result.delete_ms = env.NowMs();
  Status outcome = SpareWhatCame(*snapshot, started, plan);
  if (outcome) {
    std::vector<std::string> names = plan.temporary_log_files;
    for (const VacuumFile& file : plan.files) names.push_back(file.name);
    progress.planned = static_cast<std::int64_t>(names.size());
    Deletion deletion(context, snapshot->store(), progress);
    deletion.Run(names);
    result.files_deleted = deletion.deleted();
    outcome = Outcome(*snapshot, deletion);
  }
  if (outcome) {
    for (const std::string& folder : plan.folders) {
      const auto gone = snapshot->store().DeleteEmptyFolder(folder);
      if (gone && *gone) ++result.folders_deleted;
    }
  }
  const auto ended =
      RecordEnd(context, snapshot->shared_store(),
                EndOf(request, result, outcome.has_value()), env);
  BAYOU_TRY(outcome);
  BAYOU_TRY(ended);
  result.end_ms = env.NowMs();
  // What an earlier run has done with less retention time stays done.
  VacuumRecord record = ReadVacuumRecord(snapshot->store(), *ended);
  record.done_until = std::max(record.done_until, plan.done_until);
  if (plan.mode == VacuumMode::kFull) record.last_full = *ended;
  BAYOU_TRY(WriteVacuumRecord(snapshot->store(), record));
  return result;
}

}  // namespace bayou::commands
