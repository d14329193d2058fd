// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/restore.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sum.h"
#include "kernel/log/file_key_set.h"
#include "kernel/protocol/table_features.h"
#include "kernel/transaction/row_ids.h"
#include "kernel/transaction/transaction.h"
#include "ops/commands/kept_files.h"
#include "ops/commands/lasting_state.h"
#include "ops/commands/live_files.h"
#include "ops/commands/whole_commit.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using table::Snapshot;
using transaction::Transaction;

// -------------------------------------------------------------------- the
// files

Result<log::FileKeySet> KeysOf(const Snapshot& snapshot) {
  log::FileKeySet keys;
  BAYOU_TRY(VisitFiles(snapshot, {}, [&](const AddFile& file) -> Status {
    keys.Insert(protocol::FileKey(file.path, file.deletion_vector));
    return {};
  }));
  return keys;
}

// Of files outside of the table's folder nothing is known.
Result<bool> IsThere(const Snapshot& snapshot, const AddFile& file) {
  const auto exists =
      [&](const std::optional<std::string>& name) -> Result<bool> {
    if (!name) return true;
    const auto found = snapshot.store().Head(*name);
    if (found) return true;
    if (found.error().code == ErrorCode::kNotFound) return false;
    return tl::unexpected<Error>(found.error());
  };
  BAYOU_ASSIGN(const bool data, exists(NameInTable(snapshot, file.path)));
  if (!data) return false;
  BAYOU_ASSIGN(const auto vector, NameInTable(snapshot, file.deletion_vector));
  return exists(vector);
}

tl::unexpected<Error> MissingFiles(const RestoreRequest& request,
                                   const std::vector<std::string>& missing) {
  constexpr std::size_t kNamed = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, missing.size()); ++i)
    names += (i == 0 ? "" : ", ") + missing[i];
  return Fail(
      ErrorCode::kNotFound, "DELTA_RESTORE_MISSING_FILES",
      fmt::format("table {}: {} files of version {} are gone (VACUUM, or by "
                  "hand), among them {}; nothing was changed; restore a later "
                  "version, or SET bayou_ignore_missing_files = true to go "
                  "without their rows",
                  request.current->location(), missing.size(),
                  request.target->version(), names));
}

// Whether rows have ids again that they have lost since.
bool GivesIdsBack(const RestoreRequest& request) {
  return protocol::Supports(request.target->protocol(), "rowTracking") &&
         !protocol::Supports(request.current->protocol(), "rowTracking");
}

// New rows get ids above all that there were then.
void StageRowIdMark(const RestoreRequest& request, Transaction& transaction) {
  const auto& domains = request.target->state().domains();
  const auto mark = domains.find(std::string(transaction::kRowTrackingDomain));
  if (GivesIdsBack(request) && mark != domains.end())
    transaction.SetDomain(mark->second);
}

Status StageFiles(const RestoreRequest& request, Transaction& transaction,
                  RestoreResult& result) {
  const bool gives_ids = GivesIdsBack(request);
  BAYOU_ASSIGN(const auto now, KeysOf(*request.current));
  BAYOU_ASSIGN(const auto then, KeysOf(*request.target));
  std::vector<AddFile> restored;
  BAYOU_TRY(
      VisitFiles(*request.target, kAllFields, [&](AddFile file) -> Status {
        const bool stays = now.Contains(file.path, file.deletion_vector);
        if (!stays) {
          BAYOU_ASSIGN(const bool is_there, IsThere(*request.current, file));
          if (!is_there) {
            result.missing_files.push_back(file.path);
            return {};
          }
        }
        ++result.table_files;
        result.table_bytes = Sum(result.table_bytes, file.size);
        if (stays) {
          if (!gives_ids || !file.base_row_id) return {};
          file.data_change = false;
          const AddFile live = file;
          transaction.ReplaceFile(live, std::move(file));
          return {};
        }
        ++result.files_restored;
        result.bytes_restored = Sum(result.bytes_restored, file.size);
        file.data_change = true;
        restored.push_back(std::move(file));
        return {};
      }));
  if (!result.missing_files.empty() && !request.ignore_missing_files)
    return MissingFiles(request, result.missing_files);
  transaction.AdoptFiles(std::move(restored));
  return VisitFiles(
      *request.current, kAllFields, [&](const AddFile& file) -> Status {
        if (then.Contains(file.path, file.deletion_vector)) return {};
        ++result.files_removed;
        result.bytes_removed = Sum(result.bytes_removed, file.size);
        transaction.RemoveFile(file);
        return {};
      });
}

// ------------------------------------------------------------------ the commit

transaction::Operation OperationOf(const RestoreRequest& request,
                                   const RestoreResult& result) {
  transaction::Operation operation;
  operation.name = "RESTORE";
  operation.parameters = {
      {"version",
       request.timestamp ? "null" : std::to_string(request.target->version())},
      {"timestamp", request.timestamp
                        ? transaction::TextParameter(*request.timestamp)
                        : "null"}};
  operation.user_metadata = request.user_metadata;
  operation.metrics = {{"tableSizeAfterRestore", result.table_bytes},
                       {"numOfFilesAfterRestore", result.table_files},
                       {"numRemovedFiles", result.files_removed},
                       {"numRestoredFiles", result.files_restored},
                       {"removedFilesSize", result.bytes_removed},
                       {"restoredFilesSize", result.bytes_restored}};
  return operation;
}

std::vector<std::string> ApplicationsAhead(const RestoreRequest& request) {
  std::vector<std::string> ahead;
  const auto& then = request.target->state().transactions();
  for (const auto& [id, app] : request.current->state().transactions()) {
    const auto before = then.find(id);
    if (before == then.end() || before->second.version < app.version)
      ahead.push_back(id);
  }
  return ahead;
}

}  // namespace

Result<RestoreResult> Restore(const RestoreRequest& request,
                              duckdb::DatabaseInstance& database, Env& env) {
  RestoreResult result;
  const Snapshot& current = *request.current;
  BAYOU_ASSIGN(Transaction transaction, Transaction::On(request.current, env));
  if (request.target->version() == current.version()) {
    BAYOU_ASSIGN(const auto totals, current.state().Totals());
    result.table_files = totals.files;
    result.table_bytes = totals.bytes;
    return result;
  }
  // Whoever changes the table meanwhile was not seen, and must not be lost.
  transaction.ReadWholeTable();
  transaction.SetProtocol(
      MergedProtocol(current.protocol(), request.target->protocol()));
  BAYOU_ASSIGN(auto metadata, MetadataInPlaceOf(current, *request.target));
  transaction.SetMetadata(std::move(metadata));
  StageClusteringOf(&current, *request.target, transaction);
  StageRowIdMark(request, transaction);
  BAYOU_TRY(StageFiles(request, transaction, result));
  result.applications_ahead = ApplicationsAhead(request);
  BAYOU_ASSIGN(
      result.version,
      CommitWhole(transaction, OperationOf(request, result), database, env));
  return result;
}

}  // namespace bayou::commands
