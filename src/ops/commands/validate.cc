// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/validate.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <variant>

#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"
#include "kernel/log/log_listing.h"
#include "kernel/protocol/table_features.h"
#include "kernel/store/location.h"
#include "kernel/transaction/transaction.h"
#include "ops/commands/kept_files.h"
#include "ops/commands/vacuum_plan.h"
#include "ops/commands/validate_files.h"
#include "ops/commands/validate_log.h"
#include "ops/commands/whole_commit.h"

namespace bayou::commands {
namespace {

using table::Snapshot;
using transaction::Transaction;

void LookAtFeatures(const Snapshot& snapshot, Findings& findings) {
  const Status writable = protocol::CheckWritable(
      snapshot.protocol(), snapshot.metadata(), snapshot.location());
  if (writable) return;
  findings.Add({.code = "TABLE_NOT_WRITABLE",
                .severity = Severity::kNote,
                .place = snapshot.location(),
                .what = writable.error().message,
                .remedy = "write with an engine that has these features"});
}

// The files of the change feed, of which the commits alone tell.
Result<std::set<std::string>> ChangeFiles(const Snapshot& snapshot) {
  std::set<std::string> names;
  BAYOU_ASSIGN(const auto listing, log::ListLog(snapshot.store(), 0));
  for (const log::LogFileName& file : listing) {
    if (file.kind != log::LogFileKind::kCommit) continue;
    BAYOU_ASSIGN(const auto actions, ReadRemovals(snapshot, file.version));
    for (const protocol::Action& action : actions) {
      const auto* change = std::get_if<protocol::CdcFile>(&action);
      if (change == nullptr) continue;
      if (auto name = NameInTable(snapshot, change->path))
        names.insert(*std::move(name));
    }
  }
  return names;
}

// What lies in the table's folder for nothing.
void LookForOrphans(const Snapshot& snapshot, Env& env, Findings& findings) {
  const auto plan = PlanFullVacuum(snapshot, env.NowMs());
  if (!plan) return;  // Of stores that cannot list folders nothing is known.
  const auto change_files = ChangeFiles(snapshot);
  std::int64_t orphans = 0;
  std::int64_t orphan_bytes = 0;
  std::int64_t expired = 0;
  std::int64_t expired_bytes = 0;
  for (const VacuumFile& file : plan->files) {
    const bool is_orphan =
        file.is_orphan && !(change_files && change_files->contains(file.name));
    ++(is_orphan ? orphans : expired);
    (is_orphan ? orphan_bytes : expired_bytes) += file.size;
  }
  if (orphans > 0) {
    findings.Add({.code = "ORPHANS",
                  .severity = Severity::kNote,
                  .place = snapshot.location(),
                  .what = fmt::format("{} files of {} bytes are named by no "
                                      "version: killed writers left them, or "
                                      "writers are at work",
                                      orphans, orphan_bytes),
                  .remedy = "VACUUM deletes them when they are old enough"});
  }
  if (expired > 0) {
    findings.Add({.code = "OLD_FILES",
                  .severity = Severity::kNote,
                  .place = snapshot.location(),
                  .what = fmt::format("{} files of {} bytes are needed by "
                                      "older versions and the change feed "
                                      "alone",
                                      expired, expired_bytes),
                  .remedy = "VACUUM deletes them when they are old enough"});
  }
}

// Takes the files out of the table that are gone. Where all are, it is more
// likely that the folder is not what it was.
Result<protocol::Version> TakeOutMissing(
    duckdb::ClientContext& context, const ValidateRequest& request,
    const std::shared_ptr<const Snapshot>& snapshot, const FilesVerdict& files,
    Env& env) {
  const auto count = static_cast<std::int64_t>(files.missing.size());
  if (count == files.files && count > 1) {
    return Fail(ErrorCode::kUnsupported, "DELTA_REPAIR_REFUSED",
                fmt::format("all {} files of the table are gone; the folder "
                            "may not be what it was (is a disk missing?)",
                            count));
  }
  BAYOU_ASSIGN(Transaction transaction, Transaction::On(snapshot, env));
  std::int64_t bytes = 0;
  for (const protocol::AddFile& file : files.missing) {
    transaction.RemoveFile(file);
    bytes += file.size;
  }
  transaction::Operation operation;
  operation.name = "FSCK";
  operation.parameters = {{"dryRun", "false"}};
  operation.metrics = {{"numFilesScanned", files.files},
                       {"numMissingFiles", count},
                       {"removedFilesSize", bytes}};
  operation.user_metadata = request.user_metadata;
  return CommitWhole(transaction, operation, *context.db, env);
}

// What came of a repair, at the findings of the code that it was about.
void NoteRepair(const Status& repaired,
                std::initializer_list<std::string_view> codes,
                std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    for (const std::string_view code : codes) {
      if (finding.code != code) continue;
      if (repaired) {
        finding.is_repaired = true;
      } else {
        finding.what += "; not repaired: " + repaired.error().message;
      }
    }
  }
}

Status Repair(duckdb::ClientContext& context, const ValidateRequest& request,
              const std::shared_ptr<const Snapshot>& snapshot,
              const LogVerdict& log, const FilesVerdict& files, Env& env,
              ValidateResult& result) {
  if (log.has_bad_hint) {
    // Only a hint: without it readers list the log.
    NoteRepair(snapshot->store().Delete(
                   JoinPath(log::kLogFolder, log::kLastCheckpoint)),
               {"HINT_INVALID", "HINT_DANGLING"}, result.findings);
  }
  if (files.missing.empty()) return {};
  const auto version = TakeOutMissing(context, request, snapshot, files, env);
  if (version) result.version = *version;
  if (!version && version.error().code == ErrorCode::kConflict)
    return tl::unexpected<Error>(version.error());
  NoteRepair(version ? Status() : tl::unexpected<Error>(version.error()),
             {"DATA_FILE_MISSING"}, result.findings);
  return {};
}

}  // namespace

Result<ValidateResult> Validate(duckdb::ClientContext& context,
                                const ValidateRequest& request, Env& env) {
  Findings findings;
  const auto store = store::OpenStore(request.location);
  BAYOU_ASSIGN(const LogVerdict log, ValidateLog(context, store, findings));
  const auto snapshot = Snapshot::Open(store, *context.db);
  ValidateResult result;
  if (!snapshot) {
    findings.Add({.code = "TABLE_UNREADABLE",
                  .severity = Severity::kError,
                  .place = request.location,
                  .what = snapshot.error().message,
                  .remedy = "mend what else was found, if anything"});
    result.findings = findings.Take();
    return result;
  }
  LookAtFeatures(**snapshot, findings);
  BAYOU_ASSIGN(const FilesVerdict files,
               ValidateFiles(context, *snapshot, request.scan, request.is_deep,
                             findings));
  LookForOrphans(**snapshot, env, findings);
  result.findings = findings.Take();
  if (request.repairs)
    BAYOU_TRY(Repair(context, request, *snapshot, log, files, env, result));
  return result;
}

}  // namespace bayou::commands
